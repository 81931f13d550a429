"""Kernels by features: coordinates whose inner products are the kernel, exactly or nearly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh

from structsvm.data.arrays import Vector
from structsvm.features.kernels import Kernel

#: Smallest eigenvalue whose eigenvector is a feature, relative to the largest.
EIGENVALUE_RTOL = 1e-9


class KernelFeatures(NamedTuple):
    """The kernel of n training rows as K_ij = <rows_i, rows_j> + residual_i [i = j].

    Attributes
    ----------
    rows : ndarray of shape (n, p)
        The features.
    residual : ndarray of shape (n,)
        The part of k(x, x) that no feature has, >= 0.
    """

    rows: Vector
    residual: Vector


class Landmarks(NamedTuple):
    """Nystroem's features of any row, from its kernel with the landmarks.

    Attributes
    ----------
    kernel : Kernel
    rows : array or CSR matrix of shape (m, n_features), or ndarray of shape (m,)
        The landmarks, or their numbers where the kernel is precomputed.
    transformation : ndarray of shape (m, p)
        From kernel values to features.
    """

    kernel: Kernel
    rows: Any
    transformation: Vector

    def features(self, X: Any) -> Vector:
        """The features of the rows of X; shape (n, p)."""
        columns = X[:, self.rows] if self.kernel.is_precomputed else self.kernel.matrix(X, self.rows)
        return np.asarray(columns @ self.transformation)


def exact_features(K: Vector) -> KernelFeatures:
    """Features of a kernel matrix by its eigenvectors.

    The residual is the largest eigenvalue that is left out, so that K is exceeded by a positive
    semidefinite matrix and lower bounds of f hold for K.
    """
    values, vectors = eigh(K, driver="evd")
    kept = values > EIGENVALUE_RTOL * values[-1]
    rest = max(float(values[~kept].max(initial=0.0)), 0.0)
    return KernelFeatures(vectors[:, kept] * np.sqrt(values[kept]), np.full(len(K), rest))


def nystroem(
    kernel: Kernel, X: Any, m: int, rng: np.random.Generator
) -> tuple[KernelFeatures, Landmarks]:
    """Features from m landmarks, drawn from the rows of X; the residual keeps k(x, x).

    References
    ----------
    Williams & Seeger, Using the Nystroem Method to Speed Up Kernel Machines, NIPS 2000; Snelson &
    Ghahramani, Sparse Gaussian Processes Using Pseudo-Inputs, NIPS 2005, for the residual.
    """
    chosen = np.sort(rng.choice(X.shape[0], m, replace=False))
    rows = chosen if kernel.is_precomputed else X[chosen]
    among = X[np.ix_(chosen, chosen)] if kernel.is_precomputed else kernel.matrix(rows)
    values, vectors = eigh(among, driver="evd")
    kept = values > EIGENVALUE_RTOL * values[-1]
    landmarks = Landmarks(kernel, rows, vectors[:, kept] / np.sqrt(values[kept]))
    features = landmarks.features(X)
    squares = np.einsum("ij,ij->i", features, features)
    return KernelFeatures(features, np.maximum(_diagonal(kernel, X) - squares, 0)), landmarks


def _diagonal(kernel: Kernel, X: Any) -> Vector:
    """k(x, x) of every row."""
    if kernel.is_precomputed:
        return np.asarray(X.diagonal())
    if kernel.kind == "rbf":
        return np.ones(X.shape[0])
    return np.array([kernel.matrix(X[[i]])[0, 0] for i in range(X.shape[0])])
