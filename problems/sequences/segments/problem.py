"""Segmentation of sequences as a structured problem: a semi-Markov chain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto, ClassWeight
from structsvm.data.matrices import in_floats
from structsvm.data.validation import require_integer
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.states import KnownStates, chosen_states
from structsvm.problems.sequences.segments.candidates import (
    Candidates,
    checked_candidates,
    packed_candidates,
)
from structsvm.problems.sequences.segments.segmentations import (
    Segmentations,
    all_segments,
    every_segmentation,
)
from structsvm.problems.sequences.segments.task import SegmentsTask

#: Positions of a segment, at most: more would take too much memory.
MOST_POSITIONS = 1000


@dataclass(eq=False, repr=False)
class Segments(SoftByTask):
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
            X = packed_candidates(X, self.max_length)
        rows, lengths = X.rows, X.layout.lengths
        every = all_segments(Y, lengths, self.max_length)
        labels: Any = [label for y in every for _, _, label in y]
        if self.known_states is not None:
            labels = self.known_states.and_labels(labels)
        self._labels = Labels(labels, least=1)
        self.n_features_, self.classes_, k = rows.shape[1], self._labels.names, len(self._labels)
        true = self.segmentations(Y, lengths)
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

    def task(self, X: Any, Y: Any = None) -> SegmentsTask:
        return SegmentsTask(self, X, Y)

    def joint_feature(self, x: Any, y: Any) -> Any:
        x, k = in_floats(x), len(self.classes_)
        found = self.segmentations([y], [x.shape[0] // self.max_length])
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

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        task, k = self.task([x], [y]), len(self.classes_)
        _, found = task.distribution(w, mu, np.ones(1))
        p = found.segments.reshape(-1, k)
        p[task.true_rows, task.Y.codes] -= 1
        return p @ self.states_.by_label(w[: -k * k])

    def outputs(self, x: Any) -> Iterable[Any]:
        return every_segmentation(
            x.shape[0] // self.max_length, self.max_length, self.classes_.tolist()
        )

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

    def segmentations(self, Y: Any, lengths: Any) -> Segmentations:
        """Outputs of sequences of these lengths in one container."""
        if isinstance(Y, Segmentations):
            return Y
        every = all_segments(Y, lengths, self.max_length)
        flat = [segment for y in every for segment in y]
        starts, stops, labels = zip(*flat, strict=True)
        codes, lengths = self._labels.codes(list(labels)), np.subtract(stops, starts)
        sizes = np.array([len(y) for y in every])
        return Segmentations(np.array(stops), lengths, codes, sizes, self.classes_)
