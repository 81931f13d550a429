"""Base class of the estimators that cluster rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structsvm.bases import ClusterMixin
from structsvm.data.matrices import checked_rows
from structsvm.data.validation import checked_random_state
from structsvm.estimators.estimator import Estimator
from structsvm.features.kernels import Kernel


class KernelClusterer(ClusterMixin, Estimator):
    """Base class of clusterers that take rows or a precomputed kernel matrix.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The clusters of the training rows.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if X is a DataFrame.
    """

    kernel: Any
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

    @property
    def _is_precomputed(self) -> bool:
        return Kernel(self.kernel).is_precomputed

    def _validated(self, X: Any, reset: bool) -> Any:
        return checked_rows(
            self, X, accept_sparse=False if self._is_precomputed else "csr", dtype=np.float64,
            ensure_min_samples=2 if reset else 1, reset=reset,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._is_precomputed
        tags.input_tags.pairwise = self._is_precomputed
        return tags


def generator(random_state: Any) -> np.random.Generator:
    """Return numpy's Generator, seeded by scikit-learn's RandomState for ``random_state``."""
    return np.random.default_rng(checked_random_state(random_state).randint(2**31 - 1))
