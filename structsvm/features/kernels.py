"""Kernel matrices, with checks that they are symmetric, positive semidefinite and not constant."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from sklearn.metrics.pairwise import euclidean_distances, pairwise_kernels
from sklearn.utils.extmath import row_norms

from structsvm.data.arrays import Vector
from structsvm.data.matrices import largest_entry, require_powers

#: Accepted asymmetry of a precomputed matrix, relative to its largest entry.
SYMMETRY_RTOL = 1e-6
#: Accepted size of a negative eigenvalue, relative to the sum of all eigenvalues, as in float32.
DEFINITE_RTOL = 1e-6
#: Kernels that are positive semidefinite by their formulas.
ALWAYS_DEFINITE = ("rbf", "poly")
#: Message for a kernel that has the same value for all pairs of rows.
CONSTANT = (
    "the kernel is constant: all pairs of rows have the same value. Check that the rows differ, or "
    "change gamma or the kernel"
)


class Kernel(NamedTuple):
    """A kernel: a function of two rows.

    Attributes
    ----------
    kind : {'rbf', 'poly', 'precomputed'} or callable
        The kernel. With 'precomputed', each row holds its kernel values with the training rows.
    gamma : float
        The parameter gamma of 'rbf' and 'poly'.
    degree : int
        Degree of 'poly'.
    """

    kind: Any
    gamma: float = 1.0
    degree: int = 3

    @property
    def is_precomputed(self) -> bool:
        return isinstance(self.kind, str) and self.kind == "precomputed"

    def matrix(self, X: Any, Y: Any = None) -> Vector:
        """Return the matrix of the kernel between the rows of X and the rows of Y.

        By default, Y is X.

        Raises
        ------
        ValueError
            If the kernel is not finite, or if the callable fails.
        """
        options = {"filter_params": True, "gamma": self.gamma, "degree": self.degree}
        if self.kind == "rbf":  # it depends on differences, which lose digits far from the origin
            X, Y = _moved(X, Y)
        try:
            with np.errstate(all="ignore"):  # the result is checked below
                K = pairwise_kernels(X, Y, self.kind, **({} if callable(self.kind) else options))
        except Exception as error:
            if not callable(self.kind):
                raise
            raise ValueError(
                "a callable kernel must take two rows and return a number; it raised "
                f"{type(error).__name__}: {error}"
            ) from error
        if not np.isfinite(K).all():
            remedy = "" if callable(self.kind) else ". Rescale the rows, or lower gamma or degree"
            raise ValueError(
                f"kernel={self.kind!r} must give finite numbers; it gave NaN or infinity{remedy}"
            )
        return np.asarray(K, dtype=np.float64)

    def training_matrix(self, X: Any) -> Vector:
        """Return the checked kernel matrix of the training rows.

        Raises
        ------
        ValueError
            If the kernel is constant or not positive semidefinite, or if a precomputed kernel is
            not square or not symmetric.
        """
        if self.is_precomputed:
            require_symmetric(X)
        K = np.array(X, dtype=np.float64) if self.is_precomputed else self.matrix(X)
        require_definite(K, self.kind)
        if np.abs(K - K[0]).max() <= np.sqrt(np.finfo(np.float64).eps) * np.abs(K).max():
            raise ValueError(CONSTANT)
        return K


def require_symmetric(K: Any) -> None:
    """Raise a ValueError unless a precomputed matrix is square and symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            "X must be the square kernel matrix of the training rows with kernel='precomputed'; "
            f"got shape {K.shape}"
        )
    worst = np.abs(K - K.T).max()
    if worst > SYMMETRY_RTOL * np.abs(K).max():
        raise ValueError(
            "a precomputed kernel matrix must be symmetric; X[i, j] and X[j, i] differ by up to "
            f"{worst:.3g}. If that is rounding, pass (X + X.T) / 2"
        )


def require_definite(K: Vector, kind: Any) -> None:
    """Raise a ValueError if K has a clearly negative eigenvalue.

    Kernels that are known to have no negative eigenvalue are not checked.
    """
    if kind in ALWAYS_DEFINITE:
        return
    # Cholesky succeeds if and only if K + shift is positive definite, and is faster than eigvalsh.
    shift = max(DEFINITE_RTOL * np.trace(K), np.finfo(np.float64).tiny)
    try:
        cholesky(K + np.diag(np.full(len(K), shift)), lower=True, overwrite_a=True)
    except LinAlgError:
        values = eigvalsh(K)
        raise ValueError(
            "the kernel must be positive semidefinite; the eigenvalues of its matrix go from "
            f"{values[0]:.3g} to {values[-1]:.3g}. Use another kernel, or set the negative "
            "eigenvalues of a precomputed one to 0"
        ) from None


def median_distance(X: Any) -> float:
    """Return the median distance between all pairs of different rows of X.

    Raises
    ------
    ValueError
        If all rows of X are equal.
    """
    require_powers(largest_entry(X), X.dtype)
    X, _ = _moved(X)
    distances = euclidean_distances(X)[np.triu_indices(X.shape[0], 1)]
    # Distances are computed from squared norms, so they are not exactly 0 between copies.
    rounding = np.sqrt(np.finfo(np.float64).eps) * row_norms(X).max()
    different = distances[distances > rounding]
    if not len(different):
        raise ValueError("X must hold at least two different rows; all rows are the same")
    return float(np.median(different))


def _moved(X: Any, Y: Any = None) -> tuple[Any, Any]:
    """Subtract the mean of Y from dense rows X.

    By default, Y is X.

    Sparse rows are not changed.
    """
    if sparse.issparse(X) or sparse.issparse(Y):
        return X, Y
    mean = np.mean(X if Y is None else Y, axis=0)
    return X - mean, None if Y is None else Y - mean
