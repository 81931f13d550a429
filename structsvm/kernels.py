"""Feature maps for kernels, so that a linear solver sees coordinates."""

from __future__ import annotations

from typing import Any

from sklearn.decomposition import KernelPCA
from sklearn.preprocessing import FunctionTransformer

KERNELS = ("linear", "rbf", "poly", "precomputed")


def feature_map(kernel: Any, *, gamma: float | None = None, degree: int = 3) -> Any:
    """A transformer to coordinates whose inner products are the centred kernel.

    Parameters
    ----------
    kernel : {'linear', 'rbf', 'poly', 'precomputed'} or callable
        'linear' leaves X as it is. All others give every coordinate of kernel PCA, of which there
        are at most n: memory and time grow as n^2 and n^3.
    gamma : float, optional
        Of 'rbf' and 'poly'; default 1 / n_features.
    degree : int, default=3
        Of 'poly'.

    Returns
    -------
    transformer with ``fit_transform`` and ``transform``
    """
    if isinstance(kernel, str) and kernel == "linear":
        return FunctionTransformer(accept_sparse=True)
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {KERNELS} or a callable; got {kernel!r}")
    return KernelPCA(kernel=kernel, gamma=gamma, degree=degree, remove_zero_eig=True)
