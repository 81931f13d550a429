"""The scaling of feature columns, and the constant column for the intercept."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Mask, Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.intercepts import BIAS, with_constant
from structsvm.data.matrices import require_powers, row_blocks
from structsvm.data.mixed import MixedRows
from structsvm.data.weight_name import WeightName

#: How far columns that are not full are brought to one size: 0 is not at all, 1 is completely.
EVENED = 0.5
#: Largest factor by which entries of these columns are larger or smaller than typical entries.
FAR = 5.0


class ColumnScales(NamedTuple):
    """A linear transformation of the features that makes training independent of their units.

    Attributes
    ----------
    means : ndarray of shape (d,)
        The numbers that are subtracted from the columns.
    sizes : ndarray of shape (d,)
        The divisors of the columns.
    square : float
        The mean of ||x||^2 over the transformed training rows x.
    constant : float
        The value of an additional last column, whose weight is the intercept; 0 if there is no such
        column.
    """

    means: Vector
    sizes: Vector
    square: float
    constant: float

    @classmethod
    def none(cls, moments: ColumnMoments, *, constant: bool) -> ColumnScales:
        """Return a transformation that only appends the constant column."""
        units, means, variances, filled, _ = moments
        require_powers(float(units[filled > 0].max(initial=0)), np.float64, name="the features")
        square = float(np.sum(units**2 * (variances + means**2)))
        return cls(np.zeros(len(units)), np.ones(len(units)), square, BIAS * constant)

    @classmethod
    def learned(
        cls,
        moments: ColumnMoments,
        *,
        centred: bool | Mask,
        constant: bool,
        evened: float = EVENED,
    ) -> ColumnScales:
        """Return scales for columns that have the given ``moments``.

        The columns in ``moments.full`` are called dense, and all other columns are called sparse.
        The argument ``centred`` says which dense columns are centred: True means all, and an array
        has a value for each column.

        A dense column is divided by its standard deviation if the column is centred, and by its
        root mean square if the column is not centred. The root mean squares of sparse columns
        become equal if ``evened`` is 1, and only closer to each other if ``evened`` is between 0
        and 1. If two sparse columns have equally many nonzero entries, the typical sizes of their
        nonzero entries differ at most by the factor ``FAR**2`` after scaling. A common factor makes
        the mean of ||x||^2 equal to 1. The value of the constant column is ``BIAS`` times as large
        as a typical nonzero entry.
        """
        units, means, variances, filled, full = moments
        squares, moved = variances + means**2, full & centred
        squares[moved] = variances[moved]
        entries = np.where(moved, squares > 0, filled)  # a centred constant column has only zeros
        # A constant that is subtracted is its own size, and a column of zeros has none.
        sizes = np.where(squares > 0, np.sqrt(squares), np.abs(means))
        sizes = units * np.where(sizes > 0, sizes, 1)
        rare = ~full & (filled > 0)
        if rare.any():
            sizes[rare] = _evened(sizes[rare], filled[rare], evened)
        norm = float(np.sum(squares * np.square(units / sizes))) ** 0.5 or 1.0
        entry = max(1.0, float(entries.sum())) ** -0.5
        return cls(means * units * moved, sizes * norm, 1.0, BIAS * entry * constant)

    def limited(self, moments: ColumnMoments, some: Mask) -> ColumnScales:
        """Return scales that limit the share of the columns ``some`` in ||x||^2 to one half.

        For example, an embedding with a hundred columns may contribute nine tenths of ||x||^2
        before the limit, and the columns for words only one tenth. If all columns outside ``some``
        are 0, the scales stay the same.
        """
        units, means, variances, _, _ = moments
        of_columns = np.where(self.means == 0, variances + means**2, variances)
        of_columns *= np.square(units / self.sizes)
        own, others = float(of_columns[some].sum()), float(of_columns[~some].sum())
        if not 0 < others < own:
            return self
        sizes = np.where(some, np.sqrt(own / others), 1.0) * self.sizes
        return self._replace(sizes=sizes * np.sqrt(2 * others))

    def applied(self, rows: Any) -> Any:
        """Transform the features in their own precision, and append the constant."""
        if isinstance(rows, MixedRows):
            d = rows.sparse.shape[1]
            first = self._replace(means=self.means[:d], sizes=self.sizes[:d], constant=0.0)
            last = self._replace(means=self.means[d:], sizes=self.sizes[d:])
            return MixedRows(first.applied(rows.sparse), last.applied(rows.dense))
        if not self.means.any() and (self.sizes == 1).all():
            return with_constant(rows, self.constant) if self.constant else rows
        return self._of_sparse(rows) if sparse.issparse(rows) else self._of_dense(rows)

    def trained(self, weights: Vector) -> Vector:
        """Convert the weights of original features to the weights of transformed features.

        Weights have the shape (..., d), or (..., d + 1) if there is a constant. The last column of
        weights for the original features holds the intercepts.
        """
        coef, intercepts = self.parts(weights)
        if not self.constant:
            return coef * self.sizes
        constant = (intercepts + coef @ self.means) / self.constant
        return np.concatenate([coef * self.sizes, constant[..., None]], axis=-1)

    def given(self, W: Vector) -> Vector:
        """Convert weights for the scaled features to weights for the original features."""
        coef = W[..., : len(self.sizes)] / self.sizes
        if not self.constant:
            return coef
        intercepts = self.constant * W[..., -1] - coef @ self.means
        return np.concatenate([coef, intercepts[..., None]], axis=-1)

    def weight_name(self, column: int, label: Any, *others: str) -> WeightName:
        """Return the name of a column's weight.

        After the feature columns come the columns with the names ``others``.
        """
        if (after := column - len(self.sizes)) >= 0:
            return WeightName(others[after], label, size=1 / (self.constant or 1.0))
        return WeightName(column, label, float(self.means[column]), float(self.sizes[column]))

    def parts(self, weights: Vector) -> tuple[Vector, Vector]:
        """Split weights into coefficients and intercepts, which are 0 without a constant."""
        coef = weights[..., : len(self.sizes)].copy()
        return coef, weights[..., -1].copy() if self.constant else np.zeros(coef.shape[:-1])

    def _of_dense(self, rows: Any) -> Any:
        d, constants = len(self.sizes), [self.constant] if self.constant else []
        scaled = np.empty((len(rows), d + len(constants)), rows.dtype)
        scaled[:, d:] = constants
        for old, new in zip(row_blocks(rows), row_blocks(scaled[:, :d]), strict=True):
            block = old - self.means
            block /= self.sizes
            new[:] = block
        return scaled

    def _of_sparse(self, rows: Any) -> Any:
        n, dtype = rows.shape[0], rows.dtype
        data = (rows.data / self.sizes[rows.indices]).astype(dtype, copy=False)
        scaled = sparse.csr_matrix((data, rows.indices, rows.indptr), rows.shape)
        moved = np.flatnonzero(self.means)  # full columns, most of whose entries are stored
        if len(moved):
            shift = np.tile(-(self.means / self.sizes)[moved].astype(dtype), n)
            places = np.tile(moved, n), len(moved) * np.arange(n + 1)
            scaled = scaled + sparse.csr_matrix((shift, *places), rows.shape)
        return with_constant(scaled, self.constant) if self.constant else scaled


def _evened(sizes: Vector, filled: Vector, part: float) -> Vector:
    """Return divisors that bring the columns' root mean squares closer to a common value."""
    entries = np.log(sizes) - np.log(filled) / 2
    far = (1 - part) * (entries - np.average(entries, weights=filled))
    kept = np.clip(far, -np.log(FAR), np.log(FAR))
    return np.exp(entries + part * np.log(filled) / 2 - kept)
