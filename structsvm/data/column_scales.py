"""Columns of features in units of their own, and a constant for the intercept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.intercepts import BIAS, with_constant
from structsvm.data.matrices import largest_entry, row_blocks

#: A variance below this fraction of the mean square is rounding: the column is constant.
NEGLIGIBLE_VARIANCE = 1e-24
#: Columns of a sparse matrix that are this many times larger than others are of another unit.
FAR = 5.0


class ColumnScales(NamedTuple):
    """A linear change of the features, after which their units do not matter.

    Attributes
    ----------
    means : ndarray of shape (d,)
        Subtracted from the columns; 0 for sparse rows.
    sizes : ndarray of shape (d,)
        The columns are divided by them.
    constant : float
        A last column, which carries the intercept; 0 if there is none.
    """

    means: Vector
    sizes: Vector
    constant: float

    @classmethod
    def as_given(cls, d: int, *, constant: bool) -> ColumnScales:
        """No change of d columns, but for the constant."""
        return cls(np.zeros(d), np.ones(d), BIAS * constant)

    @classmethod
    def learned(cls, rows: Any, weights: Vector, *, centred: bool, constant: bool) -> ColumnScales:
        """The scales of weighted rows, an array or a CSR matrix.

        The columns of an array are divided by their standard deviations, or if they are not to be
        centred by their root mean squares, over the root of the fraction of entries that are not 0:
        a column that is rarely filled counts as much as a full one with the same entries. The
        columns of a sparse matrix have one divisor, since differences in size tell much in counts
        or tf-idf; but those that are :data:`FAR` times larger or smaller than is typical are
        brought to that. A common factor makes the mean of ||x||^2 1. The constant is ``BIAS`` times
        as large as an entry that is not 0.
        """
        if sparse.issparse(rows):
            sizes, filled = _sparse_sizes(rows, weights)
            means = np.zeros(len(sizes))
        else:
            means, sizes, filled = _moments(rows, weights, centred)
        norm = max(1.0, filled) ** 0.5
        return cls(means, norm * sizes, BIAS / norm * constant)

    def applied(self, rows: Any) -> Any:
        """The features in the new units, in their own precision, and with the constant."""
        d, constant = len(self.sizes), [self.constant] if self.constant else []
        if sparse.issparse(rows) and not self.means.any():
            scaled = rows if (self.sizes == 1).all() else _divided(rows, self.sizes)
            return with_constant(scaled, self.constant) if constant else scaled
        rows = rows.toarray() if sparse.issparse(rows) else rows
        scaled, start = np.empty((len(rows), d + len(constant)), rows.dtype), 0
        scaled[:, d:] = self.constant
        for block in row_blocks(rows):
            scaled[start : start + len(block), :d] = (block - self.means) / self.sizes
            start += len(block)
        return scaled

    def trained(self, weights: Vector) -> Vector:
        """The weights of the changed features, from those of the features as they were given.

        Both have the shape (..., d), or with a constant (..., d + 1); its weights for the features
        as given are the intercepts.
        """
        coef, intercepts = self.parts(weights)
        if not self.constant:
            return coef * self.sizes
        constant = (intercepts + coef @ self.means) / self.constant
        return np.concatenate([coef * self.sizes, constant[..., None]], axis=-1)

    def given(self, W: Vector) -> Vector:
        """The weights of the features as they were given: the inverse of :meth:`trained`."""
        coef = W[..., : len(self.sizes)] / self.sizes
        if not self.constant:
            return coef
        intercepts = self.constant * W[..., -1] - coef @ self.means
        return np.concatenate([coef, intercepts[..., None]], axis=-1)

    def parts(self, weights: Vector) -> tuple[Vector, Vector]:
        """The weights and the intercepts, 0 without a constant, of the features as given."""
        coef = weights[..., : len(self.sizes)].copy()
        return coef, weights[..., -1].copy() if self.constant else np.zeros(coef.shape[:-1])


def _divided(rows: Any, sizes: Vector) -> Any:
    """A CSR matrix with its columns divided, in its own precision."""
    data = (rows.data / sizes[rows.indices]).astype(rows.dtype, copy=False)
    return sparse.csr_matrix((data, rows.indices, rows.indptr), rows.shape)


def _sparse_sizes(rows: Any, weights: Vector) -> tuple[Vector, float]:
    """The divisors of the columns of a CSR matrix, and the mean number of entries not 0."""
    d = rows.shape[1]
    own = np.repeat(weights / weights.sum(), np.diff(rows.indptr)) * (rows.data != 0)
    unit = largest_entry(rows) or 1.0  # squares of smaller entries do not all underflow
    filled = np.bincount(rows.indices, own, d)
    squares = np.bincount(rows.indices, own * np.square(rows.data / unit, dtype=np.float64), d)
    some = squares > 0
    sizes = np.ones(d)
    sizes[some] = np.sqrt(squares[some] / filled[some])
    typical = np.exp(np.average(np.log(sizes[some]), weights=filled[some])) if some.any() else 1.0
    sizes /= np.clip(sizes / typical, 1 / FAR, FAR)
    norm = np.sqrt(np.sum(squares / np.square(sizes))) or 1.0
    total = float(filled.sum())
    return unit * sizes * norm / max(1.0, total) ** 0.5, total


def _moments(rows: Any, weights: Vector, centred: bool) -> tuple[Vector, Vector, float]:
    """The means and sizes of the columns of an array, and the mean number of entries not 0.

    Means are 0 unless the columns are to be centred; then those that are constant do not count.
    """
    unit = np.abs(rows).max(axis=0).astype(np.float64)
    unit[unit == 0] = 1  # squares of entries of at most 1 do not overflow, nor all underflow
    parts = weights / weights.sum()
    mean, filled = np.zeros(len(unit)), np.zeros(len(unit))
    for block, part in _blocks(rows, unit, parts):
        mean += part @ block
        filled += part @ (block != 0)
    origin = mean if centred else np.zeros(len(unit))
    # In two passes, since the difference of two moments would cancel the digits.
    spread = np.zeros(len(unit))
    for block, part in _blocks(rows, unit, parts):
        spread += part @ np.square(block - origin)
    varying = spread > NEGLIGIBLE_VARIANCE * mean**2
    filled[~varying] = 0
    sizes = np.where(mean != 0, np.abs(mean), 1)  # of constant columns
    sizes[varying] = np.sqrt(spread[varying] / filled[varying])
    return unit * origin, unit * sizes, float(filled.sum())


def _blocks(rows: Any, unit: Vector, parts: Vector) -> Iterator[tuple[Vector, Vector]]:
    """Blocks of rows in float64, with columns divided by their units, and weights of the rows."""
    start = 0
    for block in row_blocks(rows):
        yield block / unit, parts[start : start + len(block)]
        start += len(block)
