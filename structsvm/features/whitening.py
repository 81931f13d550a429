"""Principal components with unit variance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_is_fitted

from structsvm.bases import ClassNamePrefixFeaturesOutMixin
from structsvm.data.arrays import Self, Vector
from structsvm.data.validation import checked_random_state, require_integer
from structsvm.features.row_map import RowMap

#: Largest number of columns for which the covariance matrix is formed. With more columns ARPACK is
#: used, which needs only products with X.
COVARIANCE_COLUMNS = 500


class Whitening(ClassNamePrefixFeaturesOutMixin, RowMap):
    """The first principal components, each divided by its standard deviation.

    Sparse rows are centred implicitly and stay sparse. The dtype float32 is kept.

    Parameters
    ----------
    n_components : int, default=10
        Maximum number of coordinates. The number of components is at most the rank of the centred
        rows.
    random_state : int, RandomState instance or None, default=None
        The seed of the starting vector of the ARPACK method. The seed changes the result only by
        rounding errors.

    Attributes
    ----------
    components_ : ndarray of shape (r, n_features)
        Principal directions, each divided by the standard deviation of the rows along the
        direction.
    mean_ : ndarray of shape (n_features,)
        The mean of the training rows.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        The names of the columns of X, if X is a DataFrame.
    """

    def __init__(self, n_components: int = 10, random_state: Any = None) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the components.

        Raises
        ------
        ValueError
            If all rows are equal.
        """
        X = self._validated(X, reset=True)
        require_integer("n_components", self.n_components, 1)
        checked_random_state(self.random_state)
        n, d = X.shape
        m = min(self.n_components, n - 1, d)
        solver = "covariance_eigh" if d <= COVARIANCE_COLUMNS or m == d else "arpack"
        with np.errstate(invalid="ignore"):  # 0 / 0 if all rows are the same
            pca = PCA(m, svd_solver=solver, random_state=self.random_state).fit(X)
        variances = pca.explained_variance_
        # A variance that is only rounding, at the size of the entries, adds no coordinate.
        rounding = 10 * d * np.finfo(X.dtype).eps * max(variances[0], np.square(pca.mean_).max())
        kept = variances > rounding
        if not kept.any():
            raise ValueError("'whiten' needs at least two different rows; all rows are the same")
        self.components_ = pca.components_[kept] / np.sqrt(variances[kept])[:, None]
        self.mean_ = pca.mean_
        return self

    def transform(self, X: Any) -> Vector:
        """Return coordinates of shape (n, r)."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        # Centre after the product, because a centred copy of sparse rows would be dense.
        return np.asarray(X @ self.components_.T - self.components_ @ self.mean_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
