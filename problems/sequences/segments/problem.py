"""Segmentation of sequences as a structured problem: a semi-Markov chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import SoftOutput, SoftSum
from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto, ClassWeight
from structsvm.data.containers import n_examples
from structsvm.data.matrices import in_floats, stacked_matrices
from structsvm.data.validation import require_integer
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.states import KnownStates, chosen_states
from structsvm.problems.sequences.chain.packed import ChainLayout
from structsvm.problems.sequences.segments.candidates import Candidates, checked_candidates
from structsvm.problems.sequences.segments.inference import SegmentMarginals, marginals, viterbi
from structsvm.problems.sequences.segments.segmentations import (
    Segmentations,
    all_segments,
    every_segmentation,
)

#: Positions of a segment, at most: more would take too much memory.
MOST_POSITIONS = 1000


@dataclass(eq=False, repr=False)
class Segments(Problem):
    """Segmentation: divide a sequence into labelled segments, each with features of its own.

    A chain of labels sees single positions; here a feature may be anything about a whole segment,
    such as the word that its letters spell, or its length. An input is a matrix of candidate
    segments, dense or scipy.sparse CSR, of shape (length * max_length, d): row
    ``(stop - 1) * max_length + m - 1`` has the features of the segment of m positions that ends
    before position ``stop``. Rows of segments that would begin before the sequence are ignored. An
    output is a list of segments ``(start, stop, label)`` that follow each other and fill the
    sequence. Psi sums x (x) e_label over the segments and e_a (x) e_b over neighbours; w has the
    weights of these, as in :class:`Chain`. The loss is the number of segments that only one of two
    outputs has.

    The oracles are exact and take time proportional to length, max_length and k, and to k^2.

    Parameters
    ----------
    max_length : int, default=10
        Positions of a segment, at most: from 1 to 1000.
    all_possible_states : bool or 'auto', default='auto'
        Which pairs of a feature and a label have a weight, where inputs are sparse: True, all;
        False, those that occur on true segments. 'auto' is all, if they are at most half a million;
        else those that occur, and of the most frequent features all, up to half a million.
    class_weight : dict or 'balanced', optional
        The loss of a segment that only one of two outputs has, by its label, as in scikit-learn; 1
        by default. 'balanced' is inversely proportional to the frequencies.

    Attributes
    ----------
    class_weight_ : ndarray of shape (k,)
        The loss of a segment by its label.
    classes_ : ndarray of shape (k,)
        The labels, sorted; there may be only one.
    n_features_ : int
        d, the number of columns of every input.

    References
    ----------
    Sarawagi & Cohen, Semi-Markov Conditional Random Fields for Information Extraction, NIPS 2004,
    for the features and the dynamic program. We differ in that we train for a margin, as
    structural SVMs do, and transitions have no features of segments.

    Examples
    --------
    Letters to words: a candidate has one feature, whether it is a known word.

    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Segments
    >>> def known(letters, longest=3):
    ...     rows = [[letters[max(0, stop - m) : stop] in ("a", "dog", "ran")] for stop in
    ...             range(1, len(letters) + 1) for m in range(1, longest + 1)]
    ...     return np.array(rows, dtype=float)
    >>> X = [known("adog"), known("dogran")]
    >>> Y = [[(0, 1, ""), (1, 4, "")], [(0, 3, ""), (3, 6, "")]]
    >>> svm = StructuredSVM(Segments(max_length=3)).fit(X, Y)
    >>> svm.predict([known("adogran")])[0]
    [(0, 1, ''), (1, 4, ''), (4, 7, '')]
    """

    parallelism = "threads"

    #: States that have a weight though they may not occur; an estimator with a prior sets them.
    known_states: KnownStates | None = field(init=False, default=None)

    max_length: int = 10
    all_possible_states: bool | Auto = "auto"
    class_weight: ClassWeight = None

    def initialize(self, X: Any, Y: Any) -> None:
        require_integer("max_length", self.max_length, least=1, most=MOST_POSITIONS)
        if Y is None:
            raise ValueError("Segments needs the outputs Y; it is None")
        if not isinstance(X, Candidates):
            checked_candidates(X, self.max_length)
            X = self._stored(X)
        rows, lengths = X.rows, X.layout.lengths
        every = all_segments(Y, lengths, self.max_length)
        labels: Any = [label for y in every for _, _, label in y]
        if self.known_states is not None:
            labels = self.known_states.and_labels(labels)
        self._labels = Labels(labels, least=1)
        self.n_features_, self.classes_, k = rows.shape[1], self._labels.names, len(self._labels)
        true = self._segmentations(Y, lengths)
        self.class_weight_ = checked_class_weight(
            self.class_weight, true.codes, self.classes_, None
        )
        self._losses = dict(zip(self.classes_.tolist(), self.class_weight_.tolist(), strict=True))
        own = rows[true.candidates(X.layout, self.max_length)]
        choice = self.all_possible_states
        self.states_ = chosen_states(choice, own, true.codes, self.classes_, self.known_states)
        self.size_joint_feature = self.states_.size + k * k
        numbers = rows.nnz if sparse.issparse(rows) else rows.size
        self.work = k * (numbers + k * lengths.sum()) / len(lengths)

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        if Y is None and not isinstance(X, Candidates):
            checked_candidates(X, self.max_length)
        X = self._inputs(X)
        return X, None if Y is None else self._segmentations(Y, X.layout.lengths)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        x, k = in_floats(x), len(self.classes_)
        found = self._segmentations([y], self._lengths([x]))
        rows = (found.stops - 1) * self.max_length + found.lengths - 1
        one_hot, (before, after, _) = np.eye(k)[found.codes], found.pairs()
        pairs = np.bincount(before * k + after, minlength=k * k).astype(np.float64)
        if sparse.issparse(x):
            unary = (x[rows].T @ sparse.csr_matrix(one_hot)).reshape(1, -1).tocsr()
            parts = [self.states_.of_joint(unary), sparse.csr_matrix(pairs)]
            return sparse.hstack(parts, format="csr")
        return np.concatenate([self.states_.of_matrix(x[rows].T @ one_hot), pairs])

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(sum(self._losses[label] for _, _, label in set(y) ^ set(y_hat)))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle([x], [y], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode([x], w)[0]

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        values, difference, loss, _ = self.sum_soft_oracle([x], [y], w, mu, np.ones(1))
        return SoftOutput(float(values[0]), difference, loss)

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        X, true, _, found = self._distribution([x], [y], w, mu, np.ones(1))
        k = len(self.classes_)
        p = found.segments.reshape(-1, k)
        p[true.candidates(X.layout, self.max_length), true.codes] -= 1
        return p @ self.states_.by_label(w[: -k * k])

    def outputs(self, x: Any) -> Iterable[Any]:
        length = int(self._lengths([x])[0])
        return every_segmentation(length, self.max_length, self.classes_.tolist())

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Twenty short sequences of numbers, divided into runs of two labels."""
        rng, longest = np.random.default_rng(0), 10
        X, Y = [], []
        for length in rng.integers(1, 6, size=20):
            ends = [0, *np.flatnonzero(rng.random(length - 1) < 0.5) + 1, length]
            labels = rng.integers(2, size=len(ends) - 1)
            y = [(int(a), int(b), "ud"[c]) for a, b, c in zip(ends, ends[1:], labels, strict=False)]
            level = np.repeat(2.0 * labels - 1, np.diff(ends)) + 0.5 * rng.normal(size=length)
            x = np.zeros((length, longest, 2))
            for stop in range(1, length + 1):
                for m in range(1, min(stop, longest) + 1):
                    x[stop - 1, m - 1] = level[stop - m : stop].sum(), 1.0
            X.append(x.reshape(-1, 2))
            Y.append(y)
        return X, Y

    # ------------------------------------------------------------------ all examples at once

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        X, (scores, transition) = self._scored(X, w)
        true = self._segmentations(Y, X.layout.lengths)
        self._add_losses(scores, true, X.layout)
        return self._decoded(scores, transition, X.layout)

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        X, (scores, transition) = self._scored(X, w)
        return self._decoded(scores, transition, X.layout)

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        return np.array([self.loss(Y[i], Y_hat[i]) for i in range(n_examples(Y, "Y"))])

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        X = self._inputs(X)
        total = np.zeros(self.size_joint_feature)
        for outputs, sign in ((Y, 1.0), (Y_hat, -1.0)):
            total += sign * self._sum(X, self._segmentations(outputs, X.layout.lengths), weights)
        return total

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> SoftSum:
        distribution = self._distribution(X, Y, w, mu, weights)
        X, true, truth, (log_partition, segments, pairs) = distribution
        k, rows = len(self.classes_), true.candidates(X.layout, self.max_length)
        losses = self.class_weight_[true.codes]
        least = np.bincount(true.owner, losses, len(X))
        values = mu * log_partition + least - truth
        segments *= weights[X.layout.sequence][:, None, None]
        own = segments.reshape(-1, k)[rows, true.codes]
        # Relative to an output without segments, a wrong segment costs its loss, a true one gains.
        of_labels = segments.reshape(-1, k).sum(axis=0)
        loss = float(of_labels @ self.class_weight_ - 2 * own @ losses + weights @ least)
        expected = segments.reshape(-1, k).T.astype(X.rows.dtype)
        difference = self._sum(X, true, weights)
        difference[: -pairs.size] -= X.features.sums(expected)
        difference[-pairs.size :] -= pairs.ravel()
        return SoftSum(values, difference, loss)

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Vector:
        X, _, _, (_, segments, pairs) = self._distribution(X, Y, w, mu, weights)
        # As if segments were independent of each other.
        p = segments.reshape(-1, len(self.classes_)).T.astype(X.rows.dtype)
        np.minimum(p, 1, out=p)  # rounding
        weight = np.repeat(weights[X.layout.sequence], self.max_length).astype(p.dtype)
        unary = X.features.squared().sums(p * (1 - p) * weight)
        return np.concatenate([unary, pairs.ravel()]).astype(np.float64)

    def probabilities(self, X: Any, w: Vector, temperature: float) -> Candidates:
        """The probability of every label of every candidate, (length * max_length, k) for an input.

        A segmentation has a probability ~ exp(<w, Psi> / temperature).
        """
        X, (scores, transition) = self._scored(X, w, temperature)
        found = marginals(scores, transition, X.layout, np.ones(len(X)))
        return Candidates(found.segments.reshape(-1, len(transition)), X.layout, self.max_length)

    def probabilities_of(self, X: Any, Y: Any, w: Vector, temperature: float) -> Vector:
        """The probabilities of the segments of outputs."""
        p, true = self.probabilities(X, w, temperature), self._segmentations(Y, self._lengths(X))
        return np.asarray(p.rows[true.candidates(p.layout, self.max_length), true.codes])

    # ------------------------------------------------------------------ inside

    def _lengths(self, X: Any) -> Any:
        if isinstance(X, Candidates):
            return X.layout.lengths
        rows = [X[i].shape[0] for i in range(n_examples(X))]
        return np.array(rows, dtype=np.intp) // self.max_length

    def _inputs(self, X: Any) -> Candidates:
        """The inputs in one container, for products."""
        if isinstance(X, Candidates):
            stored = X
        else:
            for i, x in enumerate(X[i] for i in range(n_examples(X))):
                if x.ndim != 2 or x.shape[1] != self.n_features_:
                    raise ValueError(
                        f"X[{i}] has shape {x.shape}; expected {self.n_features_} columns"
                    )
            stored = self._stored(X)
        return stored if stored.states is not None else stored.with_states(self.states_)

    def _stored(self, X: Any) -> Candidates:
        """The inputs in one container."""
        matrices = [in_floats(X[i]) for i in range(n_examples(X))]
        layout = ChainLayout(self._lengths(matrices))
        return Candidates.of(stacked_matrices(matrices), layout, self.max_length)

    def _segmentations(self, Y: Any, lengths: Any) -> Segmentations:
        """Outputs in one container."""
        if isinstance(Y, Segmentations):
            return Y
        every = all_segments(Y, lengths, self.max_length)
        flat = [segment for y in every for segment in y]
        starts, stops, labels = zip(*flat, strict=True)
        codes, lengths = self._labels.codes(list(labels)), np.subtract(stops, starts)
        sizes = np.array([len(y) for y in every])
        return Segmentations(np.array(stops), lengths, codes, sizes, self.classes_)

    def _scored(
        self, X: Any, w: Vector, mu: float = 1.0
    ) -> tuple[Candidates, tuple[Vector, Vector]]:
        """The inputs, and the scores of candidates and transitions in units of mu."""
        X, k = self._inputs(X), len(self.classes_)
        weights, transition = np.split(w, [-k * k])
        weights = np.divide(weights, mu, dtype=X.rows.dtype, casting="same_kind")
        scores = X.features.scores(weights).T.astype(np.float64).reshape(-1, self.max_length, k)
        scores[X.layout.step[:, None] < np.arange(self.max_length)] = -np.inf
        return X, (scores, transition.reshape(k, k) / mu)

    def _add_losses(
        self, scores: Vector, true: Segmentations, layout: ChainLayout, mu: float = 1.0
    ) -> None:
        """Add the loss of every candidate, relative to the loss of an output without segments."""
        scores += self.class_weight_ / mu
        rows = true.candidates(layout, self.max_length)
        losses = self.class_weight_[true.codes]
        scores.reshape(-1, scores.shape[2])[rows, true.codes] -= 2 * losses / mu

    def _distribution(
        self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector
    ) -> tuple[Candidates, Segmentations, Vector, SegmentMarginals]:
        """The inputs, the true segments, the scores of the truth, and the marginals.

        The weights of the examples are in the sum of the pairs only.
        """
        X, (scores, transition) = self._scored(X, w, mu)
        true = self._segmentations(Y, X.layout.lengths)
        rows = true.candidates(X.layout, self.max_length)
        before, after, sequence = true.pairs()
        n, own = len(X), scores.reshape(-1, scores.shape[2])[rows, true.codes]
        truth = np.bincount(true.owner, own, n)
        truth += np.bincount(sequence, transition[before, after], n)
        self._add_losses(scores, true, X.layout, mu)
        found = marginals(scores, transition, X.layout, weights)
        return X, true, np.asarray(mu * truth), found

    def _decoded(self, scores: Vector, transition: Vector, layout: ChainLayout) -> Segmentations:
        places, lengths, codes = viterbi(scores, transition, layout)
        sequence, stops = layout.sequence[places], layout.step[places] + 1
        order = np.lexsort((stops, sequence))
        sizes = np.bincount(sequence, minlength=len(layout.lengths))
        return Segmentations(stops[order], lengths[order], codes[order], sizes, self.classes_)

    def _sum(self, X: Candidates, outputs: Segmentations, weights: Vector) -> Vector:
        """The weighted sum of the joint features of outputs, shape (size_joint_feature,)."""
        k, rows = len(self.classes_), outputs.candidates(X.layout, self.max_length)
        weight = np.repeat(weights, outputs.sizes).astype(X.rows.dtype)
        shape = (k, X.rows.shape[0])
        unary = X.features.sums(sparse.csr_matrix((weight, (outputs.codes, rows)), shape))
        before, after, sequence = outputs.pairs()
        pairs = np.bincount(before * k + after, weights[sequence], k * k)
        return np.concatenate([unary, pairs]).astype(np.float64)
