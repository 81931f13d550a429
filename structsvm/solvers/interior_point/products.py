"""The inner products K of the examples, as the Newton systems of the central path need them."""

from __future__ import annotations

import math

import numpy as np

from structsvm.data.arrays import Vector


class InnerProducts:
    """K, positive semidefinite.

    Parameters
    ----------
    *factors : ndarray
        Matrices whose product K is: K itself, of shape (n, n), or the features of the examples,
        (n, d), and their transpose.

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
        """K U."""
        for factor in reversed(self._factors):
            U = factor @ U
        return U

    def roughly_times(self, U: Vector) -> Vector:
        """K U in single precision, for directions, which need not be exact."""
        unit, U = _in_single_precision(U)
        for factor in reversed(self._single):
            U = factor @ U
        return self._unit * unit * U.astype(np.float64)

    def main_directions(self, r: int) -> Vector:
        """Return L of shape (n, r), or (n, n) if r is larger; L L' approximates K best.

        Its columns are the eigenvectors of the largest eigenvalues times the roots of these, by
        subspace iteration.
        """
        basis = np.random.default_rng(0).normal(size=(len(self.diagonal), r))
        for _ in range(2):
            basis = np.linalg.qr(self.roughly_times(basis))[0]
        values, vectors = np.linalg.eigh(basis.T @ self.roughly_times(basis))
        return np.asarray(basis @ (vectors * np.sqrt(values.clip(min=0))))


def _in_single_precision(matrix: Vector) -> tuple[float, Vector]:
    """The largest entry, and the matrix divided by it: single precision has a small range."""
    unit = float(np.abs(matrix).max(initial=0.0)) or 1.0
    return unit, (matrix / unit).astype(np.float32)
