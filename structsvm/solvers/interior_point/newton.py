r"""The Newton systems of the central path: conjugate gradients, then factorizations.

With the inner products K of the examples and a positive matrix B, of shape (n, k), the unknowns are
a matrix U of shape (n, k) and multipliers :math:`\lambda` of its rows:

.. math::

    K U + B \circ U + \lambda 1^T = R, \qquad U 1 = 0

K is the same for all columns of U, and they have only the multipliers in common. Early on the path
few conjugate gradients suffice, since B is large; near its end B is tiny at the free probabilities,
and huge elsewhere. A factorization is then no more work: a column's free entries alone need one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from structsvm.data.arrays import Vector

#: Residual at which conjugate gradients end, relative to the first.
RESIDUAL = 1e-2
#: They give up after this many steps times n: a factorization is cheaper then.
MOST = 0.6
#: An entry of B above this multiple of K's mean diagonal: its probability hardly moves.
FIXED = 1e5
#: Added to the diagonal, relative to K's: K may be singular, and B tiny.
LEAST = 1e-10


class ConjugateGradients:
    """The system solved by conjugate gradients, with the diagonal as preconditioner.

    Parameters
    ----------
    products : ndarray of shape (n, n)
        K, in any precision: a direction need not be exact.
    barrier : ndarray of shape (n, k)
        B, > 0.
    """

    def __init__(self, products: NDArray[Any], barrier: Vector) -> None:
        self._products, self._barrier = products, barrier
        self._inverse = 1 / (barrier + products.diagonal()[:, None])
        self._sums = self._inverse.sum(axis=1, keepdims=True)

    def solve(self, residual: Vector) -> tuple[Vector, Vector] | None:
        """Return U, shape (n, k), and the multipliers, shape (n,); None without convergence."""
        found, multipliers = np.zeros_like(residual), self._multipliers(residual)
        # Without the multipliers the rest tends to 0, and rounding errors with it.
        rest = residual - multipliers
        step = rest * self._inverse
        direction, size = step, float(np.vdot(rest, step))
        small = RESIDUAL**2 * size
        for _ in range(int(MOST * len(rest)) + 1):
            image = self._image(direction)
            curvature = float(np.vdot(direction, image))
            if not curvature > 0:
                break
            length = size / curvature
            found += length * direction
            rest -= length * image
            more = self._multipliers(rest)
            rest -= more
            multipliers += more
            step = rest * self._inverse
            before, size = size, float(np.vdot(rest, step))
            if size <= small:
                return found, multipliers[:, 0]
            direction = step + (size / before) * direction
        return None

    def _image(self, direction: Vector) -> Vector:
        products = self._products
        return products @ direction.astype(products.dtype) + self._barrier * direction

    def _multipliers(self, rest: Vector) -> Vector:
        """The multipliers, shape (n, 1), of the system with the diagonal in place of K."""
        return (rest * self._inverse).sum(axis=1, keepdims=True) / self._sums


class Factorization:
    """The system solved by an inverse for each column of U, and one for the multipliers.

    Raises a LinAlgError where rounding errors make a matrix indefinite.

    Parameters
    ----------
    products : ndarray of shape (n, n)
        K, in double precision.
    barrier : ndarray of shape (n, k)
        B, > 0.
    """

    def __init__(self, products: Vector, barrier: Vector) -> None:
        self._products, self._barrier = products, barrier
        of_products = products.diagonal()
        mean = float(of_products.mean())
        diagonal = of_products[:, None] + barrier + LEAST * mean
        free = barrier < FIXED * mean
        self._rest = np.where(free, 0.0, 1 / diagonal)
        self._columns = []
        sums = np.diag(self._rest.sum(axis=1))
        for some, own in zip(free.T, diagonal.T, strict=True):
            places = np.flatnonzero(some)
            block = np.ix_(places, places)
            inverse = _inverse(products[block], own[places])
            self._columns.append((places, inverse))
            sums[block] += inverse
        self._of_multipliers = _inverse(sums, sums.diagonal())

    def solve(self, residual: Vector) -> tuple[Vector, Vector]:
        """Return U, shape (n, k), and the multipliers, shape (n,)."""
        found, multipliers = self._solved(residual)
        # Once more, for what rounding and the fixed entries have left.
        image = self._products @ found + self._barrier * found + multipliers[:, None]
        more, of_multipliers = self._solved(residual - image)
        return found + more, multipliers + of_multipliers

    def _solved(self, residual: Vector) -> tuple[Vector, Vector]:
        found = self._rest * residual
        for z, (places, inverse) in enumerate(self._columns):
            found[places, z] = _product(inverse, residual[places, z])
        multipliers = _product(self._of_multipliers, found.sum(axis=1))
        found -= self._rest * multipliers[:, None]
        for z, (places, inverse) in enumerate(self._columns):
            found[places, z] -= _product(inverse, multipliers[places])
        return found, multipliers


def _inverse(matrix: Vector, diagonal: Vector) -> Vector:
    """The upper triangle of the inverse, in place, of the matrix with another diagonal."""
    if not len(matrix):
        return matrix
    np.fill_diagonal(matrix, diagonal)
    # LAPACK's columns are rows here: its lower triangle is the upper one.
    factor, wrong = lapack.dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if wrong:
        raise np.linalg.LinAlgError("the matrix of a Newton step is not positive definite")
    return lapack.dpotri(factor, lower=1, overwrite_c=1)[0].T


def _product(inverse: Vector, vector: Vector) -> Vector:
    """The product with a symmetric matrix of which the upper triangle is known."""
    return blas.dsymv(1.0, inverse.T, vector, lower=1) if len(vector) else vector
