"""Principal coordinates of the rows, in which a search needs few products."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from structsvm.data.arrays import Vector
from structsvm.problems.margin_clustering.dask_rows import DaskRows
from structsvm.problems.margin_clustering.rows import StandardRows, inner_products

#: Share of the variance that the coordinates hold, unless that takes more than MOST of them.
SHARE = 0.99
#: Coordinates, at most.
MOST = 100
#: Variance below which a coordinate is rounding errors; rows have a mean squared norm of 1.
NONE = 1e-12


class PrincipalCoordinates:
    """The leading principal coordinates of scaled rows, and the coordinate along their mean.

    The mean of all but the last is 0. Where rows are centred the last is their constant feature.
    With fewer rows than features, or sparse ones, they come from the inner products of the rows, so
    that nothing of the size of a dense copy is made.

    Parameters
    ----------
    rows : StandardRows
        How rows are centred and scaled.
    x : array, CSR matrix or DaskRows of shape (n, d)
        A few thousand rows, at most: the time is cubic in n.

    Attributes
    ----------
    values : ndarray of shape (n, r), or (n, r + 1) where the rows have a mean
    mean : float
        The mean of the last column; 0 where the mean of the rows is 0.
    """

    def __init__(self, rows: StandardRows, x: Any) -> None:
        self._rows, self._x = rows, x[:] if isinstance(x, DaskRows) else x
        mean_row = rows.mean_row
        self.mean = float(np.linalg.norm(mean_row))
        self._direction = mean_row / (self.mean or 1.0)
        values, variances = _principal(
            self._x * self._x.dtype.type(1 / rows.scale), self._direction[: rows.n_features]
        )
        self._coefficients = values / np.where(variances > NONE * len(values), variances, np.inf)
        along = rows.scores(self._x, self._direction[None, :])
        self.values = np.column_stack([values, along]) if self.mean else values

    def weights(self, W: Vector) -> Vector:
        """Weights of shape (k, size) for the rows, of the same scores as W for the coordinates."""
        r = self._coefficients.shape[1]
        weights = self._rows.weighted_sums(self._x, W[:, :r] @ self._coefficients.T)
        if self.mean:
            weights += np.outer(W[:, -1] - weights @ self._direction, self._direction)
        return weights


def _principal(x: Any, without: Vector) -> tuple[Vector, Vector]:
    """The leading coordinates of rows, shape (n, r), and their sums of squares, shape (r,).

    They are those of the centred rows without their part along a vector of norm 1 or 0.
    """
    along = x @ without
    along -= along.mean()
    if sparse.issparse(x) or x.shape[0] <= x.shape[1]:
        variances, U = _leading(inner_products(x) - np.outer(along, along))
        return U * np.sqrt(variances), variances
    x = x - x.mean(axis=0, dtype=np.float64) - np.outer(along, without)
    variances, directions = _leading(x.T @ x)
    return x @ directions, variances


def _leading(products: Vector) -> tuple[Vector, Vector]:
    """The largest eigenvalues, which hold a share of the trace, and their eigenvectors."""
    m = len(products)
    eigenvalues, vectors = eigh(products, subset_by_index=[max(0, m - MOST), m - 1])
    held = np.cumsum(eigenvalues[::-1])
    eigenvalues = eigenvalues.clip(0)
    kept = 1 + int(np.searchsorted(held[:-1], SHARE * np.trace(products)))
    return eigenvalues[::-1][:kept], vectors[:, ::-1][:, :kept]
