"""Base class of the clusterers of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from structsvm.bases import ClusterMixin


class RowClusterer(ClusterMixin):
    """Clusters rows, and keeps the labels of the training rows.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The columns of X, where it is a DataFrame.
    """

    labels_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    fit: Callable[..., Any]

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> NDArray[Any]:
        """Fit, and return ``labels_``.

        Parameters
        ----------
        X, y
            The arguments of ``fit``.
        **options
            Further arguments of ``fit``.

        Returns
        -------
        ndarray of shape (n,)
        """
        # ClusterMixin would drop y, and with it the known labels.
        self.fit(X, y, **options)
        return self.labels_
