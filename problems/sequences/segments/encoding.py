"""The encoding of sequences by the features of all candidate segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.column_moments import ColumnMoments
from structsvm.data.containers import n_examples, require_examples
from structsvm.data.conversion import require_ordered_each
from structsvm.data.validation import checked_sample_weight
from structsvm.estimators.encoding import Encoded
from structsvm.exceptions import ProblemError
from structsvm.features.vocabulary import Vocabulary
from structsvm.problems.classification.labels import Labels
from structsvm.problems.sequences.chain.data import Packed, packed
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.estimator import SequenceEncoding
from structsvm.problems.sequences.segments.data import Segmentations, all_segments

#: A function of a sequence, the first position of a segment, and the position after its last.
Features = Callable[[Any, int, int], Mapping[str, Any]]
#: Relative change of ||x||^2 that counts as rounding, even in single precision.
ROUNDING = 1e-12


class SegmentEncoding(SequenceEncoding):
    """The encoding of candidate segments by scaled features, and of their labels by codes.

    Parameters
    ----------
    scale : 'auto' or None
    features : callable or None
        The function that describes segments; None if inputs are matrices of candidates.
    max_length : int

    Attributes
    ----------
    vocabulary : Vocabulary or None
        The names of features; None if inputs are matrices.
    square : float
        The mean squared distance between the features of a true segment and the features of the
        segment without its first position. If the mean squared distance is 0, ``square`` is the
        mean squared norm of the features instead.
    """

    vocabulary: Vocabulary | None = None

    def __init__(self, scale: Any, features: Features | None, max_length: int) -> None:
        super().__init__(scale)
        self.features, self.max_length = features, max_length

    @property
    def column_names(self) -> list[Any] | None:
        return None if self.vocabulary is None else self.vocabulary.names

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        if self.features is not None:
            self.vocabulary = Vocabulary(begin=prior and prior._encoding.vocabulary)
        inputs = self._candidates(X)
        segments = all_segments(y, inputs.layout.lengths, self.max_length, "y")
        self.learn_classes([label for own in segments for _, _, label in own], prior, least=1)
        outputs = Segmentations.of(segments, Labels(self.classes, least=1))
        weights, rows = checked_sample_weight(sample_weight, len(inputs)), inputs.rows
        true, of_true = outputs.candidates(inputs.layout), weights[outputs.layout.owner]
        self.learn_columns(ColumnMoments.of(rows[true], of_true), centred=False, constant=False)
        self.square, longer = self.columns.square, true % self.max_length > 0
        if longer.any():
            true, of_true = true[longer], of_true[longer]
            moments = ColumnMoments.of(rows[true] - rows[true - 1], of_true)
            squares = np.square(moments.units / self.columns.sizes)
            change = float(squares @ (moments.variances + moments.means**2))
            if change > ROUNDING * self.square:
                self.square = change
        self.learn_states(rows, prior)
        return self._encoded(inputs, outputs, weights)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        inputs = self._candidates(X)
        if y is not None:
            segments = all_segments(y, inputs.layout.lengths, self.max_length, "y")
            y = Segmentations.of(segments, Labels(self.classes, least=1))
        return self._encoded(inputs, y, checked_sample_weight(sample_weight, len(inputs)))

    def per_square(self, n: float) -> float:
        return n / (self.square or 1.0)

    def _encoded(self, inputs: Packed, outputs: Any, weights: Any) -> Encoded:
        rows = self.columns.applied(inputs.rows)
        return Encoded(inputs.with_fields(rows=rows), outputs, weights, rows)

    def _candidates(self, X: Any) -> Packed:
        """Return the unscaled features of all candidates."""
        if self.vocabulary is None:
            return packed(X, self.max_length)
        lengths = _lengths(X)

        def place(row: int) -> str:
            position, m = divmod(row, self.max_length)
            i = int(np.searchsorted(np.cumsum(lengths), position, side="right"))
            stop = position + 1 - int(lengths[:i].sum())
            return f"features(X[{i}], {stop - 1 - m}, {stop})"

        rows = self.vocabulary.matrix(self._descriptions(X), place)
        return Packed.of(rows, ChainLayout(lengths, self.max_length))

    def _descriptions(self, X: Any) -> Iterator[Mapping[str, Any]]:
        """Yield the features of all candidates of all sequences."""
        for i in range(n_examples(X)):
            for stop in range(1, len(X[i]) + 1):
                for start in range(stop - 1, stop - 1 - self.max_length, -1):
                    yield self._described(i, X[i], start, stop) if start >= 0 else {}

    def _described(self, i: int, sequence: Any, start: int, stop: int) -> Mapping[str, Any]:
        """Return the features of one candidate."""
        assert self.features is not None
        call = f"features(X[{i}], {start}, {stop})"
        try:
            found = self.features(sequence, start, stop)
        except Exception as error:
            raise ProblemError(f"{call} raised {type(error).__name__}: {error}") from error
        if not isinstance(found, Mapping):
            raise ProblemError(
                f"{call} must return a dict of name and value; got {type(found).__name__}"
            )
        return found


def _lengths(X: Any) -> Any:
    """Return the lengths of sequences; raise a ValueError if one is 0."""
    if isinstance(X, str):
        raise ValueError(f"X must be a list of sequences; got the string {X[:60]!r}: give [X]")
    require_ordered_each("X", X)
    for i in range(n := require_examples(X)):
        if not hasattr(X[i], "__len__") or sparse.issparse(X[i]):
            raise ValueError(
                f"X[{i}] must be a sequence, such as a list of words; got {type(X[i]).__name__}"
            )
    lengths = np.array([len(X[i]) for i in range(n)], dtype=np.intp)
    if not lengths.all():
        i = int(np.argmin(lengths))
        raise ValueError(f"X[{i}] is empty; a sequence has at least one position")
    return lengths
