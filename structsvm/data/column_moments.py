"""Weighted moments of the columns of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Mask, Vector
from structsvm.data.blocks import Mapped
from structsvm.data.mixed import MixedRows

#: A variance below this fraction of the squared mean is due to rounding: the column is constant.
ROUNDING = 1e-24
#: A column of a sparse matrix is full if more than this fraction of its entries is not 0.
FULL = 0.5
#: Smallest size of a column that is not 0, because weights are divided by the sizes.
SMALLEST = 1e-300
#: Number of entries that are read at a time; they fit in a processor's cache.
ENTRIES = 100_000
#: Number of decimal places of sums of weights.
DIGITS = 12


class ColumnMoments(NamedTuple):
    """The weighted moments of columns, in units for which no square overflows or vanishes.

    Attributes
    ----------
    units : ndarray of shape (d,)
        The unit of each column: its largest absolute value, or 1 for a column of zeros.
    means, variances : ndarrays of shape (d,)
        The moments of the columns after division by their units. A variance that is only rounding
        error is set to 0.
    filled : ndarray of shape (d,)
        The fraction of nonzero entries of each column.
    full : ndarray of shape (d,), bool
        Whether each column is full: it belongs to a dense array, or its fraction of nonzero entries
        exceeds ``FULL``.
    """

    units: Vector
    means: Vector
    variances: Vector
    filled: Vector
    full: Mask

    @classmethod
    def of(cls, rows: Any, weights: Vector) -> ColumnMoments:
        """Compute the moments of an array, a CSR matrix or MixedRows, with one weight per row."""
        return cls.of_blocks([(rows, weights)])

    @classmethod
    def of_blocks(cls, blocks: Iterable[tuple[Any, Vector]]) -> ColumnMoments:
        """Compute the moments of the columns of several blocks, each a pair (rows, weights).

        The iterable ``blocks`` is iterated over several times.

        Raises
        ------
        ValueError
            If the largest entry of a column is so small that its inverse may overflow.
        """
        first, _ = next(iter(blocks))
        if isinstance(first, MixedRows):
            first = cls.of_blocks(Mapped(blocks, lambda pair: (pair[0].sparse, pair[1])))
            last = cls.of_blocks(Mapped(blocks, lambda pair: (pair[0].dense, pair[1])))
            joined: Any = map(np.concatenate, zip(first, last, strict=True))
            return cls(*joined)
        units, total = np.zeros(first.shape[1]), 0.0
        for rows, weights in blocks:
            units, total = np.maximum(units, _largest(rows)), total + weights.sum()
        units[units == 0] = 1
        if len(small := np.flatnonzero(units < SMALLEST)):
            raise ValueError(
                f"column {small[0]} of the features holds nothing above {units[small[0]]:.3g}, and "
                "the weight of so small a feature may overflow: multiply it by a constant, to "
                f"{SMALLEST:g} at least"
            )

        def mean(function: Callable[[Vector, Any], Vector]) -> Vector:
            found = np.zeros(len(units))
            for rows, weights in blocks:
                for values, columns, part in _pieces(rows, weights / (total or 1.0)):
                    # Contiguous values fix the order of sums.
                    scaled = np.ascontiguousarray(values / units[columns])
                    if values.ndim == 2:
                        found += part @ function(scaled, columns)
                    else:
                        found += np.bincount(columns, part * function(scaled, columns), len(units))
            return found

        means = mean(lambda x, _: x)
        filled = np.round(mean(lambda x, _: x != 0), DIGITS)  # 1 must be exact
        # Two passes are needed, since the difference of two moments would cancel digits.
        variances = mean(lambda x, columns: (x != 0) * np.square(x - means[columns]))
        variances += (1 - filled) * means**2
        variances[variances < ROUNDING * means**2] = 0
        return cls(units, means, variances, filled, (filled > FULL) | (not sparse.issparse(first)))


def _largest(rows: Any) -> Vector:
    """Return the largest absolute value of each column, in float64."""
    if not sparse.issparse(rows):
        ends = rows.max(axis=0, initial=0), -rows.min(axis=0, initial=0)
        return np.asarray(np.maximum(*ends), dtype=np.float64)
    found = np.zeros(rows.shape[1])
    np.maximum.at(found, rows.indices, np.abs(rows.data))
    return found


def _pieces(rows: Any, parts: Vector) -> Iterator[tuple[Vector, Any, Vector]]:
    """For pieces of consecutive rows, yield the entries, their columns and their weights.

    A piece of an array consists of whole rows, with a weight for each row. A piece of a CSR matrix
    consists of stored entries, with a weight for each entry.
    """
    if not sparse.issparse(rows):
        step = max(1, ENTRIES // rows.shape[1])
        for start in range(0, len(rows), step):
            yield rows[start : start + step], slice(None), parts[start : start + step]
        return
    starts = np.searchsorted(rows.indptr, np.arange(0, rows.nnz, ENTRIES))
    for first, last in pairwise([*starts, rows.shape[0]]):
        entries = slice(rows.indptr[first], rows.indptr[last])
        sizes = np.diff(rows.indptr[first : last + 1])
        yield rows.data[entries], rows.indices[entries], np.repeat(parts[first:last], sizes)
