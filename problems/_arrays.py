"""What the array-based problems ask of their X."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis


def require_matrix(X: Any) -> None:
    """Raise unless X is a finite 2-d array or CSR matrix of numbers."""
    if not (isinstance(X, np.ndarray) or (sparse.issparse(X) and X.format == "csr")):
        raise ValueError(
            f"X must be a numpy array or a scipy.sparse CSR matrix; got {type(X).__name__}. "
            "Convert it with numpy.asarray(X) or X.tocsr()"
        )
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"X must be 2-d with at least one column; got shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X must hold real numbers; got dtype {X.dtype}")
    values = X.data if sparse.issparse(X) else X
    if not np.isfinite(values).all():
        raise ValueError("X contains NaN or infinity")


def dtype_of(X: Any) -> Any:
    """float32 stays float32 in products with X; all else is float64."""
    return np.float32 if X.dtype == np.float32 else np.float64


def column_moments(X: Any) -> tuple[Any, Any]:
    """Mean and variance of every column, in float64; sparse X stays sparse."""
    if not sparse.issparse(X):
        return X.mean(axis=0, dtype=np.float64), X.var(axis=0, dtype=np.float64)
    means, variances = mean_variance_axis(X.astype(dtype_of(X), copy=False), axis=0)
    return means.astype(np.float64), variances.astype(np.float64)
