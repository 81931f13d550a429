"""Products of many rows with few vectors, in stacks of rows.

BLAS rearranges large matrices before it multiplies them, which takes longer than the product where
one side has few rows. On processors with AVX-512 OpenBLAS leaves that out for small matrices: there
stacks of few rows take a third to two thirds of the time, and elsewhere about the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.problem import Vector

#: A small product: scores and multiplications at most, and columns at least.
SCORES, MULTIPLICATIONS, COLUMNS = 1024, 1_000_000, 32
#: Stacks of fewer rows are not worth while.
FEWEST = 16


def products(W: Vector, X: Any) -> Vector:
    """``W @ X.T`` of shape (k, n), in C order; X may be a CSR matrix."""
    if sparse.issparse(X):
        return np.ascontiguousarray((X @ W.T).T)
    rows = _stacked_rows(len(W), X)
    if not rows:
        return W @ X.T
    whole = len(X) - len(X) % rows
    found = np.empty((len(W), len(X)), np.result_type(W, X))
    np.matmul(W, _stacks(X[:whole], rows).transpose(0, 2, 1), out=_columns(found[:, :whole], rows))
    np.matmul(W, X[whole:].T, out=found[:, whole:])
    return found


def combined(P: Vector, X: Any) -> Vector:
    """``P @ X`` of shape (k, d) for P of shape (k, n), in C order; X may be a CSR matrix."""
    rows = 0 if sparse.issparse(X) else _stacked_rows(len(P), X)
    if not rows:
        return P @ X
    whole = len(X) - len(X) % rows
    of_stacks = _columns(P[:, :whole], rows) @ _stacks(X[:whole], rows)
    return of_stacks.sum(axis=0) + P[:, whole:] @ X[whole:]


def _stacked_rows(k: int, X: Any) -> int:
    """How many rows a stack has; 0 where the whole product is better."""
    d = X.shape[1]
    if d < COLUMNS or not X.flags.c_contiguous:
        return 0
    rows = min(SCORES // k, MULTIPLICATIONS // (k * d))
    return rows if FEWEST <= rows < len(X) else 0


def _stacks(X: Any, rows: int) -> Any:
    """The rows in stacks: shape (m, rows, d), a view."""
    return X.reshape(-1, rows, X.shape[1])


def _columns(P: Any, rows: int) -> Any:
    """The columns in stacks: shape (m, k, rows), a view."""
    return P.reshape(len(P), -1, rows).transpose(1, 0, 2)
