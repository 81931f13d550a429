"""The kernel of the training rows: its width, and exact or approximate features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from structsvm.data.arrays import Vector
from structsvm.features.kernels import (
    CONSTANT,
    Kernel,
    median_distance,
    require_definite,
    require_symmetric,
)

#: Least eigenvalue whose eigenvector is a feature, relative to the largest.
EIGENVALUE_RTOL = 1e-9
#: Largest number of rows for which the kernel is exact by default, and for choosing its width.
EXACT_ROWS = 2000
#: Default number of landmarks for more rows.
LANDMARKS = 1000


class KernelFeatures(NamedTuple):
    """The kernel matrix of n training rows, as K_ij = <rows_i, rows_j> + residual_i [i = j].

    Attributes
    ----------
    rows : ndarray of shape (n, p)
        The features.
    residual : ndarray of shape (n,)
        The part of k(x, x), >= 0, that the features do not represent.
    """

    rows: Vector
    residual: Vector


class Landmarks(NamedTuple):
    """Nystroem's features of a row, computed from its kernel values with m training rows.

    Attributes
    ----------
    kernel : Kernel
        The kernel to approximate.
    rows : array or CSR matrix of shape (m, n_features), or ndarray of int of shape (m,)
        The landmarks, or their indices if the kernel is precomputed.
    transformation : ndarray of shape (m, p)
        The matrix that maps m kernel values to p features.

    References
    ----------
    Williams & Seeger, Using the Nystroem Method to Speed Up Kernel Machines, NIPS 2000; Snelson &
    Ghahramani, Sparse Gaussian Processes Using Pseudo-Inputs, NIPS 2005, for the exact k(x, x).
    """

    kernel: Kernel
    rows: Any
    transformation: Vector

    def of(self, X: Any) -> Vector:
        """Return the features of the rows of X; shape (n, p)."""
        given = self.kernel.is_precomputed
        columns = X[:, self.rows] if given else self.kernel.matrix(X, self.rows)
        return np.asarray(columns @ self.transformation)

    def of_training(self, X: Any) -> KernelFeatures:
        """Return the features of the training rows x, and k(x, x) minus their squared norms."""
        features = self.of(X)
        squares = np.einsum("ij,ij->i", features, features)
        residual = np.maximum(_diagonal(self.kernel, X) - squares, 0)
        _require_different(features, residual)
        return KernelFeatures(features, residual)


def drawn_landmarks(kernel: Kernel, X: Any, m: int, rng: np.random.Generator) -> Landmarks:
    """Draw m landmarks from the rows of X.

    Raises
    ------
    ValueError
        If the kernel matrix of the landmarks is not positive semidefinite, or a precomputed kernel
        is not symmetric.
    """
    chosen = np.sort(rng.choice(X.shape[0], m, replace=False))
    if kernel.is_precomputed:
        require_symmetric(X)
    rows = chosen if kernel.is_precomputed else X[chosen]
    K = X[np.ix_(chosen, chosen)] if kernel.is_precomputed else kernel.matrix(rows)
    require_definite(K, kernel.kind)
    values, vectors = eigh(K, driver="evd")
    kept = values > EIGENVALUE_RTOL * values[-1]
    return Landmarks(kernel, rows, vectors[:, kept] / np.sqrt(values[kept]))


def exact_features(K: Vector) -> KernelFeatures:
    """Compute features from the eigenvectors of a kernel matrix K.

    The residual is the largest omitted eigenvalue. The features and the residual represent a matrix
    K', where K' - K is positive semidefinite. The objective of :class:`SDPMMC` is no larger with
    the represented matrix K' than with the exact kernel matrix K, so a lower bound for K' is also a
    lower bound for K.
    """
    values, vectors = eigh(K, driver="evd")
    kept = values > EIGENVALUE_RTOL * values[-1]
    rest = max(float(values[~kept].max(initial=0.0)), 0.0)
    return KernelFeatures(vectors[:, kept] * np.sqrt(values[kept]), np.full(len(K), rest))


def default_gamma(X: Any, rng: np.random.Generator) -> float:
    """Return 1 / (2 sigma^2), where sigma is a quarter of the median distance of two rows."""
    n = X.shape[0]
    some = X if n <= EXACT_ROWS else X[np.sort(rng.choice(n, EXACT_ROWS, replace=False))]
    return 8 / median_distance(some) ** 2


def n_landmarks(kernel: Kernel, X: Any, n_components: int | None) -> int | None:
    """Return the number of landmarks, or None for the exact kernel."""
    n = X.shape[0]
    if n_components is None:
        return None if n <= EXACT_ROWS or _takes_rows(kernel, X) else LANDMARKS
    return None if n_components >= n else n_components


def training_features(
    kernel: Kernel, landmarks: Landmarks | None, X: Any, offset: float = 0.0
) -> KernelFeatures:
    """Return the features of the training rows, with a constant feature if there is an offset.

    The constant feature is the square root of the product of ``offset`` and the mean of k(x, x).
    """
    if landmarks is not None:
        found = landmarks.of_training(X)
    elif _takes_rows(kernel, X):
        rows = X.toarray() if sparse.issparse(X) else X
        _require_different(rows, np.zeros(len(rows)))
        found = KernelFeatures(rows, np.zeros(len(rows)))
    else:
        found = exact_features(kernel.training_matrix(X))
    if not offset:
        return found
    squares = np.einsum("ij,ij->i", found.rows, found.rows) + found.residual
    constant = np.full((len(squares), 1), np.sqrt(offset * squares.mean()))
    return KernelFeatures(np.hstack([found.rows, constant]), found.residual)


def _takes_rows(kernel: Kernel, X: Any) -> bool:
    """Whether rows serve as features: if the kernel is 'linear', with many rows and few columns."""
    n, columns = X.shape
    return bool(kernel.kind == "linear" and columns <= EXACT_ROWS < n)


def _require_different(features: Vector, residual: Vector) -> None:
    """Raise a ValueError if all rows have the same features, and their residuals are 0."""
    rounding = np.sqrt(np.finfo(np.float64).eps)
    largest = np.abs(features).max(initial=0.0)
    same = np.abs(features - features[0]).max(initial=0.0) <= rounding * largest
    if same and residual.max() <= rounding * largest**2:
        raise ValueError(CONSTANT)


def _diagonal(kernel: Kernel, X: Any) -> Vector:
    """Return k(x, x) for every row x."""
    if kernel.is_precomputed:
        return np.asarray(X.diagonal())
    if kernel.kind == "rbf":
        return np.ones(X.shape[0])
    return np.array([kernel.matrix(X[[i]])[0, 0] for i in range(X.shape[0])])
