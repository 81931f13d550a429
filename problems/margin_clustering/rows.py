"""Rows that are centred and scaled implicitly, with a constant feature for the offset."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.intercepts import BIAS
from structsvm.data.matrices import product_dtype, require_powers, weights_for
from structsvm.problems.margin_clustering.blocks import (
    column_moments,
    require_rows,
    rows_in_floats,
)
from structsvm.problems.margin_clustering.dask_rows import DaskRows

#: Rows from which the effective dimension is computed, at most.
SAMPLE = 4000


class StandardRows:
    """Rows minus their mean, divided by the root of their mean squared norm.

    Both are implicit, so that sparse data stay sparse; the scaling gives C the same meaning for all
    data. With an offset every row has the constant ``BIAS`` as last feature. Products with float32
    data are in float32.

    Parameters
    ----------
    x : array, CSR matrix or DaskRows of shape (n, d)
        The data that determine the mean and the scale.
    offset : bool
        Whether rows have the constant feature.
    center : bool, default=True
        Whether the mean is subtracted. Without it the rows are only scaled.

    Attributes
    ----------
    n_features : int
        d.
    mean : ndarray of shape (d,)
        The vector that is subtracted: the mean, or 0.
    scale : float
        The root of the mean squared norm of the rows, once ``mean`` is subtracted.

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers, has fewer than two rows, or its rows are all the same.
    """

    def __init__(self, x: Any, offset: bool, center: bool = True) -> None:
        require_rows(x)
        if x.shape[0] < 2:
            raise ValueError(f"X must hold at least 2 rows; got n_samples = {x.shape[0]}")
        x = rows_in_floats(x)
        self.offset = offset
        mean, variances = column_moments(x)
        spread = float(np.sqrt(variances.sum()))
        self._roots = np.sqrt(variances + np.square(mean))
        # Entries are about as large as the mean and the differences from it.
        size = max(spread, float(np.abs(mean).max()))
        require_powers(size, product_dtype(x))
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
        # So is a mean below this.
        center = center or far <= np.sqrt(precision.eps) * spread
        self.mean = mean if center else np.zeros_like(mean)
        self.scale = spread if center else float(np.hypot(spread, far))
        self._remaining = mean - self.mean

    @property
    def size(self) -> int:
        """The number of features with the constant one."""
        return self.n_features + self.offset

    @property
    def mean_row(self) -> Vector:
        """The mean of the rows as they are used, shape (size,): its score is the mean score."""
        mean = self._remaining / self.scale
        return np.append(mean, BIAS) if self.offset else mean

    @property
    def terms(self) -> Vector:
        """The size of the terms of the entries of a row, on average: centring is a difference."""
        terms = (self._roots + np.abs(self.mean)) / self.scale
        return np.append(terms, BIAS) if self.offset else terms

    def linear_function(self, W: Vector) -> tuple[Vector, Vector]:
        """Coefficients (k, d) and offsets (k,) of k scores, for rows as the user gave them.

        W of shape (k, size) holds the weights for the centred and scaled rows.
        """
        d = self.n_features
        coef = W[:, :d] / self.scale
        offsets = BIAS * W[:, d] if self.offset else np.zeros(len(W))
        # <W, (x - mean) / scale> = <coef, x> - <coef, mean>.
        return coef, offsets - coef @ self.mean

    def scores(self, x: Any, W: Vector) -> Vector:
        """The k scores of every row for weights W of shape (k, size); shape (n, k)."""
        coef, offsets = self.linear_function(W)
        return np.asarray(x @ weights_for(x, coef.T)).astype(np.float64) + offsets

    def weighted_sums(self, x: Any, weights: Any) -> Vector:
        """Sums of centred and scaled rows with weights of shape (m, n), dense or sparse.

        Returns an array of shape (m, size).
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
        """The number of directions in which the rows vary, (tr S)^2 / tr S^2 for covariance S.

        It is 1 where the rows lie on a line, and d where all d directions vary equally. With more
        than ``SAMPLE`` rows it is computed from evenly spaced ones.
        """
        # Ceiling division: the smallest step that leaves at most SAMPLE rows.
        x = x[:: -(-x.shape[0] // SAMPLE)]
        x = x / self.scale  # the fourth powers below would overflow for scales of 1e80
        if sparse.issparse(x) or x.shape[0] <= x.shape[1]:
            products = inner_products(x)
        else:  # the smaller matrix, of the same non-zero eigenvalues, hence traces
            x = x - x.mean(axis=0, dtype=np.float64)
            products = x.T @ x
        total = float(np.trace(products))
        # S is symmetric, so tr S^2 is the sum of its squared entries.
        return total**2 / float(np.square(products).sum()) if total > 0 else 1.0


def inner_products(x: Any) -> Vector:
    """The inner products of the centred rows, shape (n, n); sparse rows stay sparse."""
    if not sparse.issparse(x):
        x = x - x.mean(axis=0, dtype=np.float64)
        return np.asarray(x @ x.T)
    products = (x @ x.T).toarray().astype(np.float64)
    means = products.mean(axis=0)
    # Double centring, without a dense copy of the centred rows.
    return np.asarray(products + (means.mean() - means - means[:, None]))
