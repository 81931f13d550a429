"""The rows of a data matrix as the clusterers see them: centred, scaled, with an offset."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.problem import Vector
from structsvm.problems.margin_clustering.blocks import column_moments, require_rows
from structsvm.problems.margin_clustering.dask_rows import DaskRows
from structsvm.problems.multivariate.rows import BIAS
from structsvm.validation import product_dtype

#: Rows that the effective dimension is taken of, at most.
SAMPLE = 4000


class StandardRows:
    """Rows less their mean, divided by the root of their mean squared norm; all of it implicit.

    So sparse data stay sparse, and C has one meaning for all data. With an offset every row has
    the constant ``BIAS`` for a last feature. Products with float32 data are in float32.

    Parameters
    ----------
    x : array, CSR matrix or DaskRows of shape (n, d)
        From which the mean and the scale are taken.
    offset : bool
        Whether the constant feature is there.

    Attributes
    ----------
    n_features : int
    size : int
        The features and the constant one.

    Raises
    ------
    ValueError
        x is no matrix of finite numbers, has less than two rows, or all its rows are the same.
    """

    def __init__(self, x: Any, offset: bool) -> None:
        require_rows(x)
        if x.shape[0] < 2:
            raise ValueError(f"X must hold at least 2 rows; got n_samples = {x.shape[0]}")
        self.offset = offset
        self.mean, variances = column_moments(x)
        self.scale = float(np.sqrt(variances.sum()))
        self.n_features = len(self.mean)
        self.size = self.n_features + offset
        precision = np.finfo(product_dtype(x))
        if self.scale <= np.sqrt(precision.eps) * np.linalg.norm(self.mean):
            raise ValueError(
                "X must hold at least two different rows; all rows are the same, to the precision "
                f"of {precision.dtype}. If they do differ, subtract their mean first"
            )

    def linear_function(self, W: Vector) -> tuple[Vector, Vector]:
        """Coefficients (k, d) and offsets (k,) of k scores, for rows as the user gave them.

        W is of shape (k, size), for rows as they are seen here.
        """
        d = self.n_features
        coef = W[:, :d] / self.scale
        offsets = BIAS * W[:, d] if self.offset else np.zeros(len(W))
        return coef, offsets - coef @ self.mean

    def scores(self, x: Any, W: Vector) -> Vector:
        """The scores of every row, shape (n, k)."""
        coef, offsets = self.linear_function(W)
        return np.asarray(x @ coef.T.astype(product_dtype(x))).astype(np.float64) + offsets

    def weighted_sums(self, x: Any, weights: Any) -> Vector:
        """sum_i weights[j, i] * (row i as seen here), shape (m, size); weights may be sparse."""
        weights = weights.astype(product_dtype(x), copy=False)
        product = x.combined(weights) if isinstance(x, DaskRows) else weights @ x
        dense = product.toarray() if hasattr(product, "toarray") else product
        sums = np.asarray(dense, dtype=np.float64)
        totals = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
        sums -= np.outer(totals, self.mean)
        sums /= self.scale
        return np.column_stack([sums, BIAS * totals]) if self.offset else sums

    def effective_dimension(self, x: Any) -> float:
        """(tr S)^2 / tr S^2 of the covariance S of the rows: in how many directions they vary.

        It is 1 where they lie on a line and d where all d directions vary alike. Of more than
        4000 rows some, evenly spaced, are taken.
        """
        x = x[:: -(-x.shape[0] // SAMPLE)]
        if sparse.issparse(x):
            products = (x @ x.T).toarray().astype(np.float64)
            means = products.mean(axis=0)
            products += means.mean() - means - means[:, None]
        else:
            x = x - x.mean(axis=0, dtype=np.float64)
            products = x.T @ x if x.shape[1] < x.shape[0] else x @ x.T
        total = float(np.trace(products))
        return total**2 / float(np.square(products).sum()) if total > 0 else 1.0
