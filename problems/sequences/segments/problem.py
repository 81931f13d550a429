"""Segmentation of sequences by a semi-Markov chain as a structured problem, with its task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.problem import ScoreTerms
from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto, ClassWeight
from structsvm.data.examples import Spans
from structsvm.data.matrices import in_floats
from structsvm.data.validation import require_integer
from structsvm.problems.sequences.chain.data import Packed, packed
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.search import Marginals
from structsvm.problems.sequences.problem import Labelled, SequenceProblem, SequenceTask
from structsvm.problems.sequences.segments.data import (
    Segmentations,
    all_segments,
    every_segmentation,
)
from structsvm.problems.sequences.segments.search import marginals, max_marginals, viterbi

#: Largest number of positions of a segment: more would take too much memory.
MOST_POSITIONS = 1000


class SegmentsTask(SequenceTask):
    """The task of :class:`Segments` for n sequences, with packed rows of candidate segments."""

    problem: Segments
    Y: Segmentations

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Segmentations:
        scores, transition = self.scores(w)
        self._add_losses(scores)
        return self._best(scores, transition)

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        total = np.zeros(self.size)
        for y, sign in ((self.Y, 1.0), (outputs, -1.0)):
            total += sign * self._sum(self.problem.labelling(y, self.X.layout), weights)
        return total

    # ------------------------------------------------------------------ the soft oracle

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        X, true, of_classes = self.X, self.Y, self.problem.class_weight_
        truth, (log_partition, segments, pairs) = self.distribution(w, mu, weights)
        losses = of_classes[true.codes]
        least = np.bincount(true.layout.owner, losses, self.n)
        values = mu * log_partition + least - truth
        segments *= weights[X.layout.sequence]
        own = segments[self.true_places]
        # Relative to an output without segments, a wrong segment adds its loss, and a true one
        # subtracts it.
        of_labels = segments.sum(axis=(0, 2))
        loss = float(of_labels @ of_classes - 2 * own @ losses + weights @ least)
        expected = by_row(segments).astype(X.rows.dtype, copy=False)
        difference = self._sum(true, weights)
        difference[: -pairs.size] -= X.features.sums(expected)
        difference[-pairs.size :] -= pairs.ravel()
        return SoftSum(values, difference, loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        X, (_, (_, segments, pairs)) = self.X, self.distribution(w, mu, weights)
        # Treat segments as independent of each other.
        p = by_row(segments).astype(X.rows.dtype)
        np.minimum(p, 1, out=p)  # rounding
        weight = np.repeat(weights[X.layout.sequence], X.layout.width).astype(p.dtype)
        unary = X.features.squared().sums(p * (1 - p) * weight)
        return np.concatenate([unary, pairs.ravel()]).astype(np.float64)

    # ------------------------------------------------------------------ probabilities

    def probabilities(self, w: Vector, temperature: float) -> Packed:
        """Return the probability of every label of every candidate segment.

        Each input has an array of shape (length * max_length, k). The probability of a segmentation
        is proportional to exp(<w, Psi> / temperature).
        """
        (scores, transition), layout = self.scores(w, temperature), self.X.layout
        found = marginals(scores, transition, layout, np.ones(self.n))
        return Packed(by_row(found.parts).T, layout)

    def probabilities_of_truth(self, w: Vector, temperature: float) -> Vector:
        """Return the probabilities of the true segments."""
        p = self.probabilities(w, temperature).rows
        return np.asarray(p[self.true_rows, self.Y.codes])

    # ------------------------------------------------------------------ labels as parts

    def part_names(self, i: int) -> list[Any]:
        """Return the names of the parts of each position: B begins a segment, I continues it."""
        names = [f"{way}-{label}" for way in "BI" for label in self.problem.classes_]
        return [names] * int(self.X.layout.lengths[i])

    def part_places(self, outputs: Any) -> list[Indices]:
        layout, k = self.X.layout, len(self.problem.classes_)
        found = self.problem.labelling(outputs, layout)
        codes = np.repeat(found.codes + k, found.lengths)
        codes[np.cumsum(found.lengths) - found.lengths] -= k
        parts = np.split(codes, np.cumsum(layout.lengths)[:-1])
        return [2 * k * np.arange(len(own)) + own for own in parts]

    def decode_with(self, w: Vector, places: Sequence[int]) -> Segmentations:
        (scores, transition), layout, k = self.scores(w), self.X.layout, len(self.problem.classes_)
        step, part = np.divmod(np.asarray(places), 2 * k)
        largest = np.abs(scores[np.isfinite(scores)]).max() + np.abs(transition).max()
        large = 1 + 2 * layout.lengths.max() * largest  # decides any segmentation
        of_label = np.arange(k)[:, None] == part % k
        for more in range(len(scores)):  # from the position to the end of a segment
            some = np.flatnonzero(step + more < layout.lengths)
            here = layout.positions(some, step[some] + more)
            begins = np.arange(len(scores) - more)[:, None] == 0
            having = of_label[:, some] & (begins == (part < k)[some])[:, None]
            scores[more:, :, here] += large * having
        return self._best(scores, transition)

    def max_marginals(self, w: Vector) -> list[Vector]:
        found, layout = max_marginals(*self.scores(w), self.X.layout).T, self.X.layout
        return [found[layout.positions(i, np.arange(m))] for i, m in enumerate(layout.lengths)]

    # ------------------------------------------------------------------ scores

    @property
    def true_rows(self) -> Indices:
        """The row indices of the true segments among all candidates."""
        return self.Y.candidates(self.X.layout)

    @property
    def true_places(self) -> tuple[Indices, Indices, Indices]:
        """The indices of the true segments among the scores."""
        place, more = np.divmod(self.true_rows, self.X.layout.width)
        return more, self.Y.codes, place

    def distribution(self, w: Vector, mu: float, weights: Vector) -> tuple[Vector, Marginals]:
        """Return the scores of the true segmentations, and the marginals.

        The weights of the examples affect only the field ``pairs`` of the marginals.
        """
        scores, transition = self.scores(w, mu)
        before, after, sequence = self.Y.pairs()
        truth = np.bincount(self.Y.layout.owner, scores[self.true_places], self.n)
        truth += np.bincount(sequence, transition[before, after], self.n)
        self._add_losses(scores, mu)
        return np.asarray(mu * truth), marginals(scores, transition, self.X.layout, weights)

    def scores(self, w: Vector, mu: float = 1.0) -> tuple[Vector, Vector]:
        scores, transition = super().scores(w, mu)
        layout, k = self.X.layout, len(transition)
        scores = (
            scores.reshape(k, -1, layout.width).transpose(2, 0, 1).astype(np.float64, order="C")
        )
        for more, own in enumerate(scores):
            own[:, layout.step < more] = -np.inf
        return scores, transition

    def _add_losses(self, scores: Vector, mu: float = 1.0) -> None:
        """Add the loss of every candidate, relative to an output without segments."""
        of_classes = self.problem.class_weight_
        scores += of_classes[:, None] / mu
        scores[self.true_places] -= 2 * of_classes[self.Y.codes] / mu

    def _best(self, scores: Vector, transition: Vector) -> Segmentations:
        layout = self.X.layout
        places, lengths, codes = viterbi(scores, transition, layout)
        sequence, stops = layout.sequence[places], layout.step[places] + 1
        order = np.lexsort((stops, sequence))
        sizes, names = np.bincount(sequence, minlength=self.n), self.problem.classes_
        return Segmentations(stops[order], lengths[order], codes[order], Spans(sizes), names)

    def _sum(self, outputs: Segmentations, weights: Vector) -> Vector:
        """Return the weighted sum of the joint features of outputs, (size_joint_feature,)."""
        X, k = self.X, len(self.problem.classes_)
        rows = outputs.candidates(X.layout)
        weight = np.repeat(weights, outputs.layout.sizes).astype(X.rows.dtype)
        shape = (k, X.rows.shape[0])
        unary = X.features.sums(sparse.csr_matrix((weight, (outputs.codes, rows)), shape))
        before, after, sequence = outputs.pairs()
        pairs = np.bincount(before * k + after, weights[sequence], k * k)
        return np.concatenate([unary, pairs]).astype(np.float64)


def by_row(parts: Vector) -> Vector:
    """Return values of candidate segments in the order of their rows, shape (k, n_rows)."""
    return parts.transpose(1, 2, 0).reshape(parts.shape[1], -1)


@dataclass(eq=False, repr=False)
class Segments(SequenceProblem):
    """The problem of dividing a sequence into labelled segments, each with its own features.

    In a chain of labels, features describe single positions. In Segments, a feature may describe an
    entire segment, for example the word that its letters spell, or its length. An input is a matrix
    of candidate segments, dense or scipy.sparse CSR, of shape (length * max_length, d). Row ``(stop
    - 1) * max_length + m - 1`` has the features of the segment of m positions that ends before
    position ``stop``. A row is ignored if its segment would begin before the sequence. An output is
    a list of segments ``(start, stop, label)`` that follow each other and fill the sequence. Psi
    holds, for each label, the sum of the features of the segments with the label, and, for each
    pair of labels a and b, how often b follows a. The vector w has the weights of states and of
    transitions, as in :class:`Chain`. The loss is the number of segments that only one of two
    outputs has.

    The oracles are exact and take time proportional to length (k max_length + k^2).

    Parameters
    ----------
    max_length : int, default=10
        Largest number of positions of a segment, from 1 to 1000.
    all_possible_states : bool or 'auto', default='auto'
        Whether sparse inputs have a weight for all pairs of a feature and a label (True), or only
        for the pairs that occur in true segments (False). 'auto' takes all pairs of a feature and a
        label if there are at most half a million of them. Otherwise 'auto' takes the pairs that
        occur in true segments, and all pairs of the most frequent features, up to half a million
        pairs in total.
    class_weight : dict or 'balanced', optional
        For each label, the loss of missing a true segment, or of predicting a wrong segment; 1 by
        default. With 'balanced', the losses are inversely proportional to the frequencies of
        labels.

    Attributes
    ----------
    class_weight_ : ndarray of shape (k,)
        The loss of a segment of each label.
    classes_ : ndarray of shape (k,)
        The labels, sorted; there may be only one.
    n_features_ : int
        The number of columns of every input, d.

    References
    ----------
    Sarawagi & Cohen, Semi-Markov Conditional Random Fields for Information Extraction, NIPS 2004,
    for the features and the dynamic program. Unlike Sarawagi & Cohen, this class trains by
    maximising a margin, and its transitions have no features.

    Examples
    --------
    Divide letters into words, where the only feature of a candidate is whether it is a known word:

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

    max_length: int = 10
    all_possible_states: bool | Auto = "auto"
    class_weight: ClassWeight = None

    def initialize(self, X: Any, Y: Any) -> None:
        require_integer("max_length", self.max_length, least=1, most=MOST_POSITIONS)
        if Y is None:
            raise ValueError("Segments needs the outputs Y; it is None")
        X = packed(X, self.max_length)
        if isinstance(Y, Segmentations):
            labels = Y.names
        else:
            Y = all_segments(Y, X.layout.lengths, self.max_length)
            labels = [label for y in Y for _, _, label in y]
        self._learn_labels(labels, least=1)
        true = self.labelling(Y, X.layout)
        known = Labelled(X.rows[true.candidates(X.layout)], true.codes, X)
        self._learn_states([known])
        self._losses = dict(zip(self.classes_.tolist(), self.class_weight_.tolist(), strict=True))

    def task(self, X: Any, Y: Any = None) -> SegmentsTask:
        return SegmentsTask(self, X, Y)

    @property
    def width(self) -> int:  # type: ignore[override]
        return self.max_length

    def joint_feature(self, x: Any, y: Any) -> Any:
        k, longest = len(self.classes_), self.max_length
        layout = ChainLayout(np.array([x.shape[0] // longest]), longest)
        found = self.labelling([y], layout)
        before, after, _ = found.pairs()
        pairs = np.bincount(before * k + after, minlength=k * k).astype(np.float64)
        return self._sum_of(in_floats(x)[found.candidates(layout)], found.codes, pairs)

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        layout = ChainLayout(np.array([x.shape[0] // self.max_length]), self.max_length)
        found = self.labelling([y], layout)
        positions = [(start, stop) for start, stop, _ in found[0]]
        return self._terms(positions, in_floats(x)[found.candidates(layout)], found.codes, w)

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(sum(self._losses[label] for _, _, label in set(y) ^ set(y_hat)))

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``soft_oracle(x, y, w, mu).value`` with respect to x.

        Returns
        -------
        ndarray of the shape of x
        """
        task, k = self.task([x], [y]), len(self.classes_)
        _, found = task.distribution(w, mu, np.ones(1))
        p = by_row(found.parts).T
        p[task.true_rows, task.Y.codes] -= 1
        return p @ self.states_.by_label(w[: -k * k])

    def outputs(self, x: Any) -> Iterable[Any]:
        return every_segmentation(
            x.shape[0] // self.max_length, self.max_length, self.classes_.tolist()
        )

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return twenty short sequences of numbers, divided into runs of two labels."""
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

    def labelling(self, Y: Any, layout: ChainLayout) -> Segmentations:
        """Pack outputs as codes of the labels that occur in training."""
        if not isinstance(Y, Segmentations):
            return Segmentations.of(all_segments(Y, layout.lengths, self.max_length), self._labels)
        if Y.names is self.classes_:
            return Y
        return Y.with_fields(codes=self._labels.codes(Y.names)[Y.codes], names=self.classes_)
