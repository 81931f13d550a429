"""Feature maps from rows to coordinates, with which linear solvers use a kernel or a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from structsvm.data.matrices import in_floats, largest_entry, require_matrix, require_powers
from structsvm.features.diffusion import DiffusionMap
from structsvm.features.kernel_maps import KernelMap, require_kernel
from structsvm.features.whitening import Whitening

__all__ = ["KERNELS", "DiffusionMap", "KernelMap", "Whitening", "feature_map"]

KernelName = Literal["linear", "standardise", "rbf", "poly", "precomputed", "whiten", "diffusion"]
KERNELS = get_args(KernelName)


def feature_map(
    kernel: KernelName | Callable[..., Any],
    X: Any,
    *,
    gamma: float | Literal["scale"] = "scale",
    degree: int = 3,
    n_components: int | None = None,
    random_state: Any = None,
) -> Any:
    """Return a transformer of rows to coordinates, for a linear method.

    Parameters
    ----------
    kernel : {'linear', 'standardise', 'rbf', 'poly', 'precomputed', 'whiten', 'diffusion'} or \
            callable
        'linear' keeps the rows unchanged. 'standardise' divides every column by its standard
        deviation. 'rbf', 'poly', 'precomputed' and callables k(x, y) are kernels
        (:class:`KernelMap`). 'whiten' gives principal components of unit variance
        (:class:`Whitening`). 'diffusion' gives the coordinates of rows in a random walk among
        nearest neighbours (:class:`DiffusionMap`).
    X : array or CSR matrix of shape (n, n_features)
        The training rows, on which gamma='scale' depends.
    gamma : 'scale' or float, default='scale'
        The parameter gamma of 'rbf' and 'poly'. 'scale' means 1 / (n_features * variance of all
        entries of X).
    degree : int, default=3
        Degree of 'poly'.
    n_components : int, optional
        Maximum number of coordinates. The default number of coordinates is 10 for 'whiten'. For
        'diffusion', the default number is 20, in addition to the original columns. By default,
        kernels are exact up to 4000 rows. With more than 4000 rows, kernels are approximated by
        1000 coordinates.
    random_state : int, RandomState instance or None, default=None
        The seed for drawing landmarks if only some of the rows are landmarks.

    Returns
    -------
    transformer with ``fit_transform``, ``transform`` and ``set_output``

    Raises
    ------
    ValueError
        If a parameter is invalid. The transformer raises a ValueError for rows that it cannot use.
    """
    scaled = isinstance(gamma, str) and gamma == "scale"
    require_kernel(kernel, KERNELS, 1.0 if scaled else gamma, degree, n_components)
    if callable(kernel):
        return KernelMap(kernel, n_components=n_components, random_state=random_state)
    if kernel == "linear":
        return FunctionTransformer(accept_sparse=True, feature_names_out="one-to-one")
    if kernel == "standardise":
        return StandardScaler(with_mean=False)  # sparse rows stay sparse
    given = {} if n_components is None else {"n_components": n_components}
    if kernel == "whiten":
        return Whitening(**given, random_state=random_state)
    if kernel == "diffusion":
        return DiffusionMap(**given)
    if isinstance(gamma, str):
        gamma = 1.0 if kernel == "precomputed" else _scaled_gamma(X)
    return KernelMap(kernel, gamma, degree, n_components, random_state)


def _scaled_gamma(X: Any) -> float:
    """Return 1 / (n_features * variance of all entries of X), or 1 for a constant X."""
    require_matrix(X)
    if not X.shape[0]:
        raise ValueError("X has no rows; expected at least two")
    X = in_floats(X).astype(np.float64, copy=False)
    require_powers(largest_entry(X), np.float64)
    # This is the rule of gamma='scale' in scikit-learn's SVC, for dense and sparse X.
    squares = X.multiply(X) if sparse.issparse(X) else X * X
    variance = squares.mean() - X.mean() ** 2
    return float(1 / (X.shape[1] * variance)) if variance > 0 else 1.0
