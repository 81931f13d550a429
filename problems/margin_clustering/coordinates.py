"""Principal coordinates of the rows, in which a search needs few products."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from structsvm.data.arrays import Vector
from structsvm.data.intercepts import BIAS
from structsvm.problems.margin_clustering.dask_rows import DaskRows
from structsvm.problems.margin_clustering.rows import StandardRows, inner_products

#: Share of the variance that the coordinates hold, unless that takes more than MOST of them.
SHARE = 0.99
#: Coordinates, at most.
MOST = 100


class PrincipalCoordinates:
    """The leading principal coordinates of centred and scaled rows, and their constant feature.

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
    values : ndarray of shape (n, r), or (n, r + 1) where rows have an offset
    offset : bool
        Whether the last column is the constant feature.
    """

    def __init__(self, rows: StandardRows, x: Any) -> None:
        self._rows, self._x = rows, x[:] if isinstance(x, DaskRows) else x
        values, variances = _principal(self._x * self._x.dtype.type(1 / rows.scale))
        self._coefficients = values / variances
        self.offset = rows.offset
        self.values = (
            np.column_stack([values, np.full(len(values), BIAS)]) if self.offset else values
        )

    def weights(self, W: Vector) -> Vector:
        """Weights of shape (k, size) for the rows, of the same scores as W for the coordinates."""
        r = self._coefficients.shape[1]
        weights = self._rows.weighted_sums(self._x, W[:, :r] @ self._coefficients.T)
        if self.offset:
            weights[:, -1] = W[:, -1]
        return weights


def _principal(x: Any) -> tuple[Vector, Vector]:
    """The leading coordinates of rows, shape (n, r), and their sums of squares, shape (r,)."""
    if sparse.issparse(x) or x.shape[0] <= x.shape[1]:
        variances, U = _leading(inner_products(x))
        return U * np.sqrt(variances), variances
    x = x - x.mean(axis=0, dtype=np.float64)
    variances, directions = _leading(x.T @ x)
    return x @ directions, variances


def _leading(products: Vector) -> tuple[Vector, Vector]:
    """The largest eigenvalues, which hold a share of the trace, and their eigenvectors."""
    m = len(products)
    eigenvalues, vectors = eigh(products, subset_by_index=[max(0, m - MOST), m - 1])
    held = np.cumsum(eigenvalues[::-1])
    kept = 1 + int(np.searchsorted(held[:-1], SHARE * np.trace(products)))
    return eigenvalues[::-1][:kept], vectors[:, ::-1][:, :kept]
