"""The encoding of sequences and labels for the problem :class:`Chain`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.blocks import BlockFiles, Mapped
from structsvm.data.choices import Auto
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.matrices import side_by_side
from structsvm.data.mixed import MixedRows
from structsvm.data.row_space import RowSpace
from structsvm.estimators.encoding import Encoded
from structsvm.problems.classification.labels import Labels, distinct, labels_of_blocks
from structsvm.problems.classification.states import have_all_states, scores_of_entries
from structsvm.problems.sequences.chain.data import Packed
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.data import Given, row_features
from structsvm.problems.sequences.estimator import SequenceEncoding

#: Names of the columns that mark first and last positions.
MARKS = ("first position", "last position")
ENDS = len(MARKS)


class ChainEncoding(SequenceEncoding):
    """The encoding of sequences as scaled rows with marks of first and last rows.

    Means are subtracted from columns if the weights of first labels and of transitions can make up
    for the means.

    Parameters
    ----------
    scale : 'auto' or None
    all_possible_states : bool or 'auto'

    Attributes
    ----------
    features : MatrixRows or DictRows
        The names of the features, learned from the training rows.
    """

    spans_rows = True
    marks = MARKS

    def __init__(self, scale: Any, all_possible_states: bool | Auto) -> None:
        super().__init__(scale)
        self.all_possible_states = all_possible_states

    @property
    def column_names(self) -> list[Any] | None:
        return self.features.names

    def learn(self, X: Given, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        self.learn_classes(X.labels(y), prior)
        self.features, rows = row_features(X, prior and prior._encoding.features)
        weights = np.repeat(X.weights(sample_weight)[0], X.lengths)
        self._learn_scales(ColumnMoments.of_blocks([(rows, weights)]), rows)
        data = self._encoded(rows, X, y, sample_weight)
        self.learn_states(data.rows, prior)
        return data

    def learn_blocks(
        self, blocks: Iterable[tuple[Any, Any]], files: BlockFiles, prior: Any = None
    ) -> Encoded:
        seen: list[Any] = []
        kinds = set()
        for X, y in blocks:
            if not files:
                self.features, rows = row_features(X, prior and prior._encoding.features)
            else:
                rows = self.features.extended(X)
            kinds.add((type(rows), getattr(rows, "dense", rows[:, :0]).shape[1]))
            if len(kinds) > 1:
                raise ValueError(
                    "its features are of another kind than those of the blocks before; give all "
                    "blocks named features, vectors of the same names, or both, or matrices of one "
                    "kind"
                )
            labels = X.labels(y)
            seen.append(distinct(labels))
            files.add((rows, X.lengths, labels), len(X.lengths))
        self.learn_classes(labels_of_blocks(seen), prior)
        d = len(self.features.names or ()) or rows.shape[1]
        wide = Mapped(files, lambda block: (widened(block[0], d), np.ones(block[0].shape[0])))
        self._learn_scales(ColumnMoments.of_blocks(wide), rows)
        for number, (rows, lengths, labels) in enumerate(files):
            inputs = self._packed(widened(rows, d), lengths)
            codes = Labels(self.classes).codes(labels)
            files.write(number, (inputs, Packed.of(codes, inputs.layout, self.classes)))
        self.learn_states(inputs.rows, prior)
        return Encoded(*files.examples(), np.ones(files.ends[-1]))

    def _learn_scales(self, moments: ColumnMoments, rows: Any) -> None:
        varied, every, k = moments.variances > 0, self.all_possible_states, len(self.classes)
        full = not sparse.issparse(rows) or have_all_states(every, len(varied) + ENDS, k)
        limited = None if isinstance(rows, np.ndarray) else moments.full & varied
        self.learn_columns(moments, centred=varied & full, constant=False, limited=limited)

    def encode(self, X: Given, y: Any = None, sample_weight: Any = None) -> Encoded:
        nothing = np.empty((0, len(self.columns.sizes)))
        rows = self.features.matrix(X) if X.lengths.any() else nothing
        return self._encoded(rows, X, y, sample_weight)

    def scores(self, given: Given, w: Vector, problem: Any) -> Vector | None:
        """Return the score of every label in every row, or None for features without names.

        The scores have shape (k, n_rows) and double precision.
        """
        if not given.lengths.any() or (entries := self.features.entries(given)) is None:
            return None
        columns, values, ends = entries
        values /= self.columns.sizes[columns]
        states, weights = problem.states_, w[: problem.states_.size]
        scores = scores_of_entries(states, columns, values, ends, weights)
        every, first, last = scores_of_entries(states, *self._constants, weights)
        lengths = given.lengths[given.lengths > 0]
        stops = lengths.cumsum()
        scores += every
        scores[stops - lengths] += first
        scores[stops - 1] += last
        return scores.T

    @cached_property
    def _constants(self) -> tuple[Any, Any, Any]:
        """Three CSR rows, added to the features of all, of first and of last positions."""
        means = sparse.csr_matrix(-self.columns.means / self.columns.sizes)
        rows = sparse.block_diag([means, np.eye(ENDS)], format="csr")
        return rows.indices, rows.data, rows.indptr

    def _encoded(self, rows: Any, given: Given, y: Any, sample_weight: Any) -> Encoded:
        """Return the encoded examples whose features are ``rows``, for training or prediction."""
        inputs = self._packed(rows, given.lengths[given.lengths > 0])
        weights, of_rows = given.weights(sample_weight)
        if y is None:
            return Encoded(inputs, None, weights)
        codes = Labels(self.classes).codes(given.labels(y))
        outputs = Packed.of(codes, inputs.layout, self.classes, of_rows)
        return Encoded(inputs, outputs, weights, inputs.rows)

    def _packed(self, rows: Any, lengths: Any) -> Packed:
        """Return packed sequences, with scaled features and marks of first and last rows."""
        rows = self.columns.applied(rows)
        ends, stops = np.zeros((rows.shape[0], ENDS), rows.dtype), np.cumsum(lengths)
        ends[stops - lengths, 0], ends[stops - 1, 1] = 1, 1
        if isinstance(rows, MixedRows):
            rows = MixedRows(rows.sparse, np.hstack([rows.dense, ends]))
        else:
            rows = side_by_side([rows, ends])
        return Packed.of(rows, ChainLayout(lengths))

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        return self._with_means(super().weights_given(w, problem), problem, -1.0)

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return super().weights_trained(self._with_means(weights, problem, 1.0), problem)

    def _with_means(self, weights: Vector, problem: Any, sign: float) -> Vector:
        """Add ``sign`` times the score of the column means for each label to weights of the label.

        The weights that change are the weight of each label at the first position, and the weights
        of all transitions to the label.
        """
        states, means = problem.states_, self.columns.means
        if not means.any():
            return weights
        weights, d = weights.copy(), len(means)
        scores = sign * (states.by_label(weights[: states.size])[:, :d] @ means)
        features, labels = states.places
        first = np.flatnonzero(features == d)
        weights[first] += scores[labels[first]]
        weights[states.size :] += np.tile(scores, len(scores))
        return weights

    def with_rows(self, X: Packed, rows: Any) -> Packed:
        return X.with_fields(rows=rows)

    def lifted(self, w: Vector, space: RowSpace, problem: Any) -> Vector:
        k = len(problem.classes_)
        states, transitions = np.split(w, [-k * k])
        return np.append(space.lifted(states.reshape(-1, k).T).T, transitions)


def widened(rows: Any, d: int) -> Any:
    """Append columns of zeros to the rows, up to d columns, for the features of later blocks."""
    if isinstance(rows, MixedRows):
        return MixedRows(widened(rows.sparse, d - rows.dense.shape[1]), rows.dense)
    if not sparse.issparse(rows):
        return rows
    return sparse.csr_matrix((rows.data, rows.indices, rows.indptr), (rows.shape[0], d))
