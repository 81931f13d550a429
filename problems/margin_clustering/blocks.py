"""What the array-based problems ask of their X."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from structsvm.problems.margin_clustering.dask_rows import DaskRows

#: Numbers that are looked at at once, where an array may be mapped from a file.
BLOCK = 1_000_000


def require_matrix(X: Any) -> None:
    """Raise unless X is a finite 2-d array, CSR matrix or rows of a dask array."""
    kinds = np.ndarray, DaskRows
    if not (isinstance(X, kinds) or (sparse.issparse(X) and X.format == "csr")):
        raise ValueError(
            f"X must be a numpy array or a scipy.sparse CSR matrix; got {type(X).__name__}. "
            "Convert it with numpy.asarray(X) or X.tocsr()"
        )
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"X must be 2-d with at least one column; got shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X must hold real numbers; got dtype {X.dtype}")
    if not all(map_blocks(X.data if sparse.issparse(X) else X, _is_finite)):
        raise ValueError("X contains NaN or infinity")


def dtype_of(X: Any) -> Any:
    """float32 stays float32 in products with X; all else is float64."""
    return np.float32 if X.dtype == np.float32 else np.float64


def column_moments(X: Any) -> tuple[Any, Any]:
    """Mean and variance of every column, in float64; sparse X stays sparse."""
    if not sparse.issparse(X):
        mean = sum(map_blocks(X, _sum)) / X.shape[0]
        return mean, sum(map_blocks(X, _squared_distances, mean)) / X.shape[0]
    means, variances = mean_variance_axis(X.astype(dtype_of(X), copy=False), axis=0)
    return means.astype(np.float64), variances.astype(np.float64)


def map_blocks(X: Any, function: Callable[..., Any], *shared: Any) -> Any:
    """``function(block, *shared)`` of blocks of rows, in order."""
    if isinstance(X, DaskRows):
        return X.map_blocks(function, *shared)
    step = max(1, BLOCK // max(1, X[:1].size))
    return (function(X[i : i + step], *shared) for i in range(0, X.shape[0], step))


def _is_finite(block: Any) -> bool:
    return bool(np.isfinite(block).all())


def _sum(block: Any) -> Any:
    return block.sum(axis=0, dtype=np.float64)


def _squared_distances(block: Any, mean: Any) -> Any:
    return np.square(block - mean).sum(axis=0)
