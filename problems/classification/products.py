"""Products of a matrix of many rows with few vectors, computed in blocks of rows if that is faster.

Before BLAS multiplies large matrices, it copies them into another layout. If one of two matrices
has few rows, copying the matrices takes longer than multiplying them. On processors with AVX-512,
OpenBLAS multiplies small matrices without copying them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_info

from structsvm.data.arrays import Vector

#: OpenBLAS's names of the processors for which it has kernels for small matrices.
WITH_SMALL_KERNELS = {"SkylakeX", "Cooperlake", "SapphireRapids"}
#: Largest number of scores of a small product.
SCORES = 1024
#: Largest number of multiplications of a small product.
MULTIPLICATIONS = 1_000_000
#: With fewer columns of X, stacks gain nothing.
COLUMNS = 32
#: With fewer rows in a stack, stacks gain nothing.
FEWEST = 16


def products(W: Vector, X: Any) -> Vector:
    """Return ``W @ X.T`` of shape (k, n), in C order; X may be a CSR matrix."""
    if sparse.issparse(X):
        return np.ascontiguousarray((X @ W.T).T)
    # If both factors are transposed, float32 products of OpenBLAS 0.3.31 on processors with AVX-512
    # are wrong while another thread multiplies into rows of another length.
    W = np.ascontiguousarray(W)
    rows = _stacked_rows(len(W), X)
    if not rows:
        return np.asarray(W @ X.T)
    whole = len(X) - len(X) % rows
    # matmul writes through a view of ``found``: splitting the last axis of a slice never copies.
    found = np.empty((len(W), len(X)), np.result_type(W, X))
    np.matmul(W, _stacks(X[:whole], rows).transpose(0, 2, 1), out=_columns(found[:, :whole], rows))
    np.matmul(W, X[whole:].T, out=found[:, whole:])
    return found


def combined(P: Vector, X: Any) -> Vector:
    """Return ``P @ X`` of shape (k, d), for P of shape (k, n) in C order; X may be a CSR matrix."""
    # The second case is a single small product, which needs no stacks.
    if sparse.issparse(X) or P.size * X.shape[1] <= MULTIPLICATIONS:
        return np.asarray(P @ X)
    rows = _stacked_rows(len(P), X)
    if not rows:
        return np.asarray(P @ X)
    whole = len(X) - len(X) % rows
    of_stacks = _columns(P[:, :whole], rows) @ _stacks(X[:whole], rows)
    return np.asarray(of_stacks.sum(axis=0) + P[:, whole:] @ X[whole:])


def squared(X: Any) -> Any:
    """Return an array, or a CSR matrix, with its stored entries squared."""
    if not sparse.issparse(X):
        return np.square(X)
    # X.power(2) would put the entries of X itself in order.
    return sparse.csr_matrix((np.square(X.data), X.indices, X.indptr), X.shape)


def _stacked_rows(k: int, X: Any) -> int:
    """Return the number of rows in a block, or 0 if a single product of all rows is faster."""
    d = X.shape[1]
    if d < COLUMNS or not X.flags.c_contiguous or not _has_small_kernels():
        return 0
    rows = min(SCORES // k, MULTIPLICATIONS // (k * d))
    return rows if FEWEST <= rows < len(X) else 0


@cache
def _has_small_kernels() -> bool:
    return any(library.get("architecture") in WITH_SMALL_KERNELS for library in threadpool_info())


def _stacks(X: Any, rows: int) -> Any:
    """Return a view of the matrix ``X``, split into blocks of ``rows`` rows."""
    return X.reshape(-1, rows, X.shape[1])


def _columns(P: Any, rows: int) -> Any:
    """Return a view of the matrix ``P``, split into blocks of columns."""
    return P.reshape(len(P), -1, rows).transpose(1, 0, 2)
