"""Rows that are implicitly centred and scaled, in memory or in blocks of a dask array."""

from __future__ import annotations

import operator
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from structsvm.data.arrays import Vector
from structsvm.data.intercepts import BIAS
from structsvm.data.matrices import (
    in_floats,
    largest_entry,
    product_dtype,
    require_matrix,
    require_powers,
    row_blocks,
    weights_for,
)


def is_dask(X: Any) -> bool:
    """Whether X is a dask array."""
    # The attributes decide, since dask need not be installed.
    return hasattr(X, "dask") and hasattr(X, "rechunk")


class DaskRows:
    """The rows of a dask array, which are read in blocks because they may not fit in memory.

    Products and selected rows are numpy arrays. Dask's current scheduler reads the blocks. Results
    are combined in the order of the blocks, so that rounding errors do not depend on the scheduler.

    Parameters
    ----------
    X : dask array of shape (n, d)
        The array. Data of type float32 are kept; other types are converted to float64, block by
        block.

    Raises
    ------
    ValueError
        If X is not a matrix of real numbers, or its blocks are sparse or have unknown sizes.
    """

    def __init__(self, X: Any) -> None:
        dense = isinstance(X._meta, np.ndarray) and not any(np.isnan(size) for size in X.shape)
        if not dense or X.ndim != 2 or X.shape[1] == 0 or X.dtype.kind not in "fiub":
            raise ValueError(
                "a dask array must be 2-d, of real numbers in numpy arrays of known sizes, as "
                f"X.compute_chunk_sizes() finds them; got X = {X}, with blocks of type "
                f"{type(X._meta).__name__}"
            )
        if X.dtype != np.float32:
            X = X.astype(np.float64)
        self._X = X.rechunk({1: -1})  # a block holds whole rows
        self.shape, self.dtype, self.ndim = X.shape, X.dtype, 2

    def __getitem__(self, rows: Any) -> Any:
        return self._X[rows].compute()

    def __matmul__(self, W: Any) -> Any:
        return np.concatenate(self.map_blocks(operator.matmul, W))

    def combined(self, weights: Any) -> Any:
        """Return ``weights @ rows`` for dense or CSR weights of shape (m, n)."""
        edges = np.cumsum([0, *self._X.chunks[0]])
        parts = [weights[:, start:stop] for start, stop in pairwise(edges)]
        # Blocks without weight are not read: perhaps only a few rows have changed their label.
        calls = [(w, b) for w, b in zip(parts, self._blocks(), strict=True) if abs(w).sum() > 0]
        # The sum starts from zeros, because all blocks may be without weight.
        shape = weights.shape[0], self.shape[1]
        return sum(_computed(operator.matmul, calls), start=np.zeros(shape, self.dtype))

    def map_blocks(self, function: Callable[..., Any], *shared: Any) -> list[Any]:
        """Return the results of ``function(block, *shared)`` for every block of rows, in order."""
        return _computed(function, [(block, *shared) for block in self._blocks()])

    def _blocks(self) -> list[Any]:
        return list(self._X.to_delayed().ravel())


def _computed(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
    dask: Any = import_module("dask")  # whoever passes a dask array has it
    call = dask.delayed(function, pure=False)
    return list(dask.compute(*(call(*given) for given in calls)))


#: Largest number of rows that the effective dimension is computed from.
SAMPLE = 4000


class StandardRows:
    """Rows minus their mean, divided by the root of their mean squared norm.

    Centring and scaling are implicit, so that sparse data stay sparse. The scaling gives C the same
    meaning for all data. With an offset, the last feature of every row is the constant ``BIAS``.
    Products with float32 data are computed in float32.

    Parameters
    ----------
    x : array, CSR matrix or DaskRows of shape (n, d)
        The data that determine the mean and the scale.
    offset : bool
        Whether the constant feature is added to the rows.
    center : bool, default=True
        Whether the mean is subtracted. If the mean is not subtracted, the rows are only scaled.

    Attributes
    ----------
    n_features : int
        Number of columns of x.
    mean : ndarray of shape (d,)
        The vector that is subtracted: the mean if ``center`` is True, otherwise 0.
    scale : float
        The root of the mean squared norm of the rows after ``mean`` is subtracted.

    Raises
    ------
    ValueError
        If x is not a matrix of finite numbers, or all rows are equal.
    """

    def __init__(self, x: Any, offset: bool, center: bool = True) -> None:
        require_rows(x)
        x = rows_in_floats(x)
        self.offset = offset
        mean, variances = column_moments(x)
        spread = float(np.sqrt(variances.sum()))
        self._roots = np.sqrt(variances + np.square(mean))
        # Entries are about as large as the mean and the differences from it.
        require_powers(max(spread, float(np.abs(mean).max())), product_dtype(x))
        self.n_features = len(mean)
        precision = np.finfo(product_dtype(x))
        # Differences below this are rounding errors of the mean, not a spread of the rows.
        far = float(np.linalg.norm(mean))
        if spread <= np.sqrt(precision.eps) * far:
            raise ValueError(
                "X must hold at least two different rows; all rows are the same, to the precision "
                f"of {precision.dtype} beside their mean: they are {spread:.1e} from it, and "
                f"its norm is {far:.1e}. If they do differ, subtract the mean of each column first"
            )
        # A mean below this is a rounding error, too.
        center = center or far <= np.sqrt(precision.eps) * spread
        self.mean = mean if center else np.zeros_like(mean)
        self.scale = spread if center else float(np.hypot(spread, far))
        self._remaining = mean - self.mean

    @property
    def size(self) -> int:
        """Number of features, including the constant feature if there is an offset."""
        return self.n_features + self.offset

    @property
    def mean_row(self) -> Vector:
        """Mean of the centred and scaled rows, shape (size,), whose score is the mean score."""
        mean = self._remaining / self.scale
        return np.append(mean, BIAS) if self.offset else mean

    @property
    def terms(self) -> Vector:
        """For each column, the root mean square plus the absolute mean, divided by ``scale``."""
        terms = (self._roots + np.abs(self.mean)) / self.scale
        return np.append(terms, BIAS) if self.offset else terms

    def linear_function(self, W: Vector) -> tuple[Vector, Vector]:
        """Return the coefficients (k, d) and offsets (k,) that give k scores of original rows.

        W of shape (k, size) holds the weights for the centred and scaled rows.
        """
        d = self.n_features
        coef = W[:, :d] / self.scale
        offsets = BIAS * W[:, d] if self.offset else np.zeros(len(W))
        # <W, (x - mean) / scale> = <coef, x> - <coef, mean>.
        return coef, offsets - coef @ self.mean

    def scores(self, x: Any, W: Vector) -> Vector:
        """Return k scores of every row for weights W of shape (k, size); shape (n, k)."""
        coef, offsets = self.linear_function(W)
        return np.asarray(x @ weights_for(x, coef.T)).astype(np.float64) + offsets

    def weighted_sums(self, x: Any, weights: Any) -> Vector:
        """Return m weighted sums of the centred and scaled rows, shape (m, size).

        The weights, dense or sparse, have shape (m, n).
        """
        weights = weights.astype(product_dtype(x), copy=False)
        product = x.combined(weights) if isinstance(x, DaskRows) else weights @ x
        dense = product.toarray() if hasattr(product, "toarray") else product
        sums = np.asarray(dense, dtype=np.float64)
        totals = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
        sums -= np.outer(totals, self.mean)  # centring, without a centred copy of x
        sums /= self.scale
        return np.column_stack([sums, BIAS * totals]) if self.offset else sums

    def effective_dimension(self, x: Any) -> float:
        """Return the effective dimension (tr S)^2 / tr S^2 for the covariance S of the rows.

        The effective dimension is 1 if the rows lie on a line, and d if all d directions vary
        equally. The covariance is computed from at most ``SAMPLE`` evenly spaced rows.
        """
        # Ceiling division: the smallest step that leaves at most SAMPLE rows.
        x = x[:: -(-x.shape[0] // SAMPLE)]
        x = x / self.scale  # the fourth powers below would overflow for scales of 1e80
        if sparse.issparse(x) or x.shape[0] <= x.shape[1]:
            products = inner_products(x)
        else:  # the smaller matrix, which has the same non-zero eigenvalues and so the same traces
            x = x - x.mean(axis=0, dtype=np.float64)
            products = x.T @ x
        total = float(np.trace(products))
        # S is symmetric, so tr S^2 is the sum of its squared entries.
        return total**2 / float(np.square(products).sum()) if total > 0 else 1.0


def inner_products(x: Any) -> Vector:
    """Return the inner products of the centred rows, shape (n, n); sparse rows stay sparse."""
    if not sparse.issparse(x):
        x = x - x.mean(axis=0, dtype=np.float64)
        return np.asarray(x @ x.T)
    products = (x @ x.T).toarray().astype(np.float64)
    means = products.mean(axis=0)
    # Double centring, without a dense copy of the centred rows.
    return np.asarray(products + (means.mean() - means - means[:, None]))


def require_rows(X: Any) -> None:
    """Raise a ValueError unless X is a finite array, CSR matrix or :class:`DaskRows`."""
    if isinstance(X, DaskRows):
        require_powers(float(np.max(X.map_blocks(largest_entry))), X.dtype, underflow=False)
    else:
        require_matrix(X)


def rows_in_floats(X: Any) -> Any:
    """Convert X to a floating-point dtype; return :class:`DaskRows` unchanged."""
    return X if isinstance(X, DaskRows) else in_floats(X)


def column_moments(X: Any) -> tuple[Any, Any]:
    """Return the mean and variance of every column, in float64; sparse X stays sparse."""
    if not sparse.issparse(X):
        # Two passes: the mean of squares minus the squared mean would cancel in float32.
        mean = sum(map_blocks(X, _sum)) / X.shape[0]
        return mean, sum(map_blocks(X, _squared_distances, mean)) / X.shape[0]
    means, variances = mean_variance_axis(X, axis=0)
    return means.astype(np.float64), variances.astype(np.float64)


def map_blocks(X: Any, function: Callable[..., Any], *shared: Any) -> Any:
    """Return the results of ``function(block, *shared)`` for every block of rows, in order."""
    if isinstance(X, DaskRows):
        return X.map_blocks(function, *shared)
    return (function(block, *shared) for block in row_blocks(X))


def _sum(block: Any) -> Any:
    return block.sum(axis=0, dtype=np.float64)


def _squared_distances(block: Any, mean: Any) -> Any:
    return np.square(block - mean).sum(axis=0)
