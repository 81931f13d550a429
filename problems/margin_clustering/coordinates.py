"""Principal coordinates of the rows, in which a search needs few products."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from structsvm.problem import Vector
from structsvm.problems.classification.rows import BIAS
from structsvm.problems.margin_clustering.dask_rows import DaskRows
from structsvm.problems.margin_clustering.rows import StandardRows

#: Share of the variance that the coordinates hold, unless that takes more than MOST of them.
SHARE = 0.99
#: Coordinates, at most.
MOST = 100
#: Columns up to which the covariance matrix is formed; beyond, ARPACK needs products with x only.
COVARIANCE_COLUMNS = 500


class PrincipalCoordinates:
    """The leading principal coordinates of centred and scaled rows, and their constant feature.

    Parameters
    ----------
    rows : StandardRows
        How rows are centred and scaled.
    x : array, CSR matrix or DaskRows of shape (n, d)

    Attributes
    ----------
    values : ndarray of shape (n, r), or (n, r + 1) where rows have an offset
    offset : bool
        Whether the last column is the constant feature.
    """

    def __init__(self, rows: StandardRows, x: Any) -> None:
        x = x[:] if isinstance(x, DaskRows) else x
        n, d = x.shape
        m = min(MOST, n - 1, d)
        solver = "covariance_eigh" if d <= COVARIANCE_COLUMNS or m == d else "arpack"
        x = x * x.dtype.type(1 / rows.scale)  # variances of rows of any scale neither over- nor
        pca = PCA(m, svd_solver=solver, random_state=0).fit(x)  # underflow
        held = np.cumsum(pca.explained_variance_ratio_)
        kept = 1 + int(np.searchsorted(held[:-1], SHARE))
        self._components = pca.components_[:kept].astype(np.float64)
        values = x @ self._components.T - self._components @ pca.mean_
        self.offset, self._size = rows.offset, rows.size
        if self.offset:
            values = np.column_stack([values, np.full(n, BIAS)])
        self.values = np.asarray(values, dtype=np.float64)

    def weights(self, W: Vector) -> Vector:
        """Weights of shape (k, size) for the rows, of the same scores as W for the coordinates."""
        r = len(self._components)
        weights = np.zeros((len(W), self._size))
        weights[:, : self._components.shape[1]] = W[:, :r] @ self._components
        if self.offset:
            weights[:, -1] = W[:, -1]
        return weights
