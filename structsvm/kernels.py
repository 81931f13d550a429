"""Feature maps for kernels, so that a linear solver sees coordinates."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.decomposition import KernelPCA
from sklearn.preprocessing import FunctionTransformer

KERNELS = ("linear", "rbf", "poly", "precomputed")


def feature_map(kernel: Any, X: Any, *, gamma: Any = "scale", degree: int = 3) -> Any:
    """A transformer to coordinates whose inner products are the centred kernel.

    Parameters
    ----------
    kernel : {'linear', 'rbf', 'poly', 'precomputed'} or callable
        'linear' leaves X as it is. All others give every coordinate of kernel PCA, of which there
        are at most n: memory and time grow as n^2 and n^3.
    X : array or CSR matrix of shape (n, n_features)
        The training rows, from which gamma is scaled.
    gamma : 'scale' or float, default='scale'
        Of 'rbf' and 'poly'; 'scale' is 1 / (n_features * variance of all entries of X).
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
    if gamma == "scale":
        mean = X.mean()
        variance = (X.multiply(X) if sparse.issparse(X) else X * X).mean() - mean**2
        gamma = 1 / (X.shape[1] * variance) if variance > 0 else 1.0
    return KernelPCA(kernel=kernel, gamma=gamma, degree=degree, remove_zero_eig=True)
