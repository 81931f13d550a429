"""Computations that read a matrix one block of rows at a time, since it need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from structsvm.data.matrices import (
    in_floats,
    largest_entry,
    require_matrix,
    require_powers,
    row_blocks,
)
from structsvm.problems.margin_clustering.dask_rows import DaskRows


def require_rows(X: Any) -> None:
    """Raise a ValueError unless X is a finite array, CSR matrix or :class:`DaskRows`."""
    if isinstance(X, DaskRows):
        require_powers(float(np.max(X.map_blocks(largest_entry))), X.dtype, underflow=False)
    else:
        require_matrix(X)


def rows_in_floats(X: Any) -> Any:
    """Return X in floats, by :func:`structsvm.data.matrices.in_floats`; DaskRows are already."""
    return X if isinstance(X, DaskRows) else in_floats(X)


def column_moments(X: Any) -> tuple[Any, Any]:
    """The mean and variance of every column, in float64; sparse X stays sparse."""
    if not sparse.issparse(X):
        # Two passes: the mean of squares less the squared mean would cancel in float32.
        mean = sum(map_blocks(X, _sum)) / X.shape[0]
        return mean, sum(map_blocks(X, _squared_distances, mean)) / X.shape[0]
    means, variances = mean_variance_axis(X, axis=0)
    return means.astype(np.float64), variances.astype(np.float64)


def map_blocks(X: Any, function: Callable[..., Any], *shared: Any) -> Any:
    """The results of ``function(block, *shared)`` for every block of rows, in order."""
    if isinstance(X, DaskRows):
        return X.map_blocks(function, *shared)
    return (function(block, *shared) for block in row_blocks(X))


def _sum(block: Any) -> Any:
    return block.sum(axis=0, dtype=np.float64)


def _squared_distances(block: Any, mean: Any) -> Any:
    return np.square(block - mean).sum(axis=0)
