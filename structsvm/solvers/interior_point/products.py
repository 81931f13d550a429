"""The inner products K of the examples, as the Newton systems of the central path need them."""

from __future__ import annotations

import functools
import math

import numpy as np

from structsvm.data.arrays import Vector

#: The main directions are found among this many more,
SPARE = 4
#: by this many products with K.
ITERATIONS = 2
#: Eigenvalues that are smaller, relative to the largest, may be rounding errors of float32.
SMALLEST = 1e-6


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
    mean : float
        The mean of the diagonal.
    """

    def __init__(self, *factors: Vector) -> None:
        self._factors, (first, *others) = factors, factors
        units, self._single = zip(*map(_in_single_precision, factors), strict=True)
        self._unit = math.prod(units)
        self.diagonal = np.einsum("ij,ji->i", first, *others) if others else first.diagonal()
        self.mean = float(self.diagonal.mean())

    @functools.cached_property
    def matrix(self) -> Vector:
        return functools.reduce(np.matmul, self._factors)

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

    def main_directions(self, most: int) -> Vector:
        """Return L of shape (n, r), r <= most, so that L L' is the best approximation of K.

        Its columns are the eigenvectors of the largest eigenvalues times the roots of these, by
        subspace iteration.
        """
        n = len(self.diagonal)
        basis = np.random.default_rng(0).normal(size=(n, min(n, most + SPARE)))
        for _ in range(ITERATIONS):
            basis = np.linalg.qr(self.roughly_times(basis))[0]
        values, vectors = np.linalg.eigh(basis.T @ self.roughly_times(basis))
        large = values >= SMALLEST * values[-1]
        large[: max(len(values) - most, 0)] = False
        return np.asarray(basis @ (vectors[:, large] * np.sqrt(values[large])), np.float64)


def _in_single_precision(matrix: Vector) -> tuple[float, Vector]:
    """The largest entry, and the matrix divided by it: single precision has a small range."""
    unit = float(np.abs(matrix).max(initial=0.0)) or 1.0
    return unit, (matrix / unit).astype(np.float32)
