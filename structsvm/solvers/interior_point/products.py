"""Products with the matrix K of the examples' inner products, for the Newton systems."""

from __future__ import annotations

import math

import numpy as np

from structsvm.data.arrays import Vector


class InnerProducts:
    """The matrix K of inner products, which is positive semidefinite.

    Parameters
    ----------
    *factors : ndarray
        One or two matrices with the product K: either K itself, of shape (n, n), or the features of
        the examples, of shape (n, d), and the transpose of the features.

    Attributes
    ----------
    diagonal : ndarray of shape (n,)
    """

    def __init__(self, *factors: Vector) -> None:
        self._factors, (first, *others) = factors, factors
        units, self._single = zip(*map(_in_single_precision, factors), strict=True)
        self._unit = math.prod(units)
        self.diagonal = np.einsum("ij,ji->i", first, *others) if others else first.diagonal()

    def times(self, U: Vector) -> Vector:
        """Return K U."""
        for factor in reversed(self._factors):
            U = factor @ U
        return U

    def roughly_times(self, U: Vector) -> Vector:
        """Multiply the matrix of inner products by ``U``, approximately, in single precision."""
        unit, U = _in_single_precision(U)
        for factor in reversed(self._single):
            U = factor @ U
        return float(self._unit) * unit * U.astype(np.float64)

    def main_directions(self, r: int) -> Vector:
        """Return scaled eigenvectors of the matrix K for its `r` largest eigenvalues.

        Each column of the result, of shape (n, min(n, r)), is an eigenvector times the square root
        of its eigenvalue. The eigenvectors are computed approximately, by subspace iteration.
        """
        basis = np.random.default_rng(0).normal(size=(len(self.diagonal), r))
        for _ in range(2):
            basis = np.linalg.qr(self.roughly_times(basis))[0]
        values, vectors = np.linalg.eigh(basis.T @ self.roughly_times(basis))
        return np.asarray(basis @ (vectors * np.sqrt(values.clip(min=0))))


def _in_single_precision(matrix: Vector) -> tuple[float, Vector]:
    """Return the largest entry, and the matrix divided by the largest entry, in float32."""
    unit = float(np.abs(matrix).max(initial=0.0)) or 1.0
    return unit, (matrix / unit).astype(np.float32)
