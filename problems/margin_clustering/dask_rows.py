"""A matrix that need not fit in memory: a dask array that is used through products alone."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector


def is_dask(X: Any) -> bool:
    """Whether X is a dask array."""
    # By its attributes, since dask need not be installed.
    return hasattr(X, "dask") and hasattr(X, "rechunk")


class DaskRows:
    """The rows of a dask array, in blocks that are never in memory all at once.

    Products with it, and rows taken from it, are numpy arrays. Dask's current scheduler reads the
    blocks; their results are combined in the order of the blocks, so that rounding does not depend
    on the scheduler.

    Parameters
    ----------
    X : dask array of shape (n, d)
        float32 stays float32; all else is converted to float64, block by block.

    Raises
    ------
    ValueError
        X is not a matrix of real numbers, its blocks are not dense, or their sizes are unknown.
    """

    def __init__(self, X: Any) -> None:
        if not isinstance(X._meta, np.ndarray):
            raise ValueError(
                "X must be a dask array of numpy arrays; its blocks are of type "
                f"{type(X._meta).__name__}. Convert them with X.map_blocks(lambda b: b.toarray())"
            )
        if X.ndim != 2 or X.shape[1] == 0:
            raise ValueError(
                f"X must be 2-d with at least one column; got a dask array of shape {X.shape}"
            )
        if X.dtype.kind not in "fiub":
            raise ValueError(f"X must hold real numbers; got dtype {X.dtype}")
        if any(np.isnan(size) for size in X.shape):
            raise ValueError("X has blocks of unknown size; call X.compute_chunk_sizes() first")
        if X.dtype != np.float32:
            X = X.astype(np.float64)
        self._X = X.rechunk({1: -1})  # a block holds whole rows
        self.shape, self.dtype, self.ndim = X.shape, X.dtype, 2

    def __getitem__(self, rows: Any) -> Any:
        return self._X[rows].compute()

    def __matmul__(self, W: Any) -> Any:
        return np.concatenate(self.map_blocks(operator.matmul, W))

    def combined(self, weights: Any) -> Any:
        """``weights @ rows`` for dense or CSR weights of shape (m, n)."""
        edges = np.cumsum([0, *self._X.chunks[0]])
        columns = [weights[:, start:stop] for start, stop in pairwise(edges)]
        # Blocks without weight are not read: few rows may have changed their label.
        some = [pair for pair in zip(self._blocks(), columns, strict=True) if _any(pair[1])]
        # The sum starts from zeros, because it may be that no block has weight.
        shape = weights.shape[0], self.shape[1]
        return sum(_computed(_combined, some), start=np.zeros(shape, self.dtype))

    def map_blocks(self, function: Callable[..., Any], *shared: Any) -> list[Any]:
        """The results of ``function(block, *shared)`` for every block of rows, in order."""
        return _computed(function, [(block, *shared) for block in self._blocks()])

    def _blocks(self) -> list[Any]:
        return list(self._X.to_delayed().ravel())


def _computed(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
    import dask  # an optional dependency: whoever passes a dask array has it

    call = dask.delayed(function, pure=False)
    return list(dask.compute(*(call(*given) for given in calls)))


def _any(weights: Any) -> bool:
    """Whether CSR weights have an entry; dense weights count as having one."""
    return bool(weights.nnz) if hasattr(weights, "nnz") else True


def _combined(block: Vector, weights: Any) -> Vector:
    product = weights @ block
    return product.toarray() if hasattr(product, "toarray") else product
