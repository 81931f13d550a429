r"""The Newton systems of the central path, solved by conjugate gradients.

A Newton system has three matrices. The matrix K, of shape (n, n), holds inner products of the n
examples. The barrier matrix B, of shape (n, k), has positive entries. The matrix R, of shape (n,
k), is the right-hand side of the Newton system. The unknowns are a matrix U of shape (n, k) and one
multiplier :math:`\lambda` for each of its rows:

.. math::

    K U + B \circ U + \lambda 1^T = R, \qquad U 1 = 0

If features are correlated, the matrix K of inner products has a few large eigenvalues. With a
preconditioner for the large eigenvalues, few iterations of conjugate gradients suffice.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from structsvm.data.arrays import Vector
from structsvm.solvers.interior_point.products import InnerProducts

#: Residual at which conjugate gradients stop, relative to the largest right-hand side.
RESIDUAL = 3e-2


class ConjugateGradients:
    """A Newton system, solved by preconditioned conjugate gradients.

    The preconditioner is the inverse of a system in which a low-rank matrix plus a diagonal matrix
    replaces K, the matrix of inner products. The low-rank matrix keeps the r largest
    eigenvalues of K, and the diagonal matrix restores the diagonal of K. If each example has k
    outputs, one matrix of r k rows and columns is factorized.

    A LinAlgError is raised if rounding errors make a matrix indefinite, or if the iterations do not
    converge.

    Parameters
    ----------
    products : InnerProducts
        The matrix K of inner products.
    barrier : ndarray of shape (n, k)
        The barrier matrix B of the Newton system, with entries > 0.
    directions : ndarray of shape (n, r)
        The matrix L, where L L' approximates the matrix of inner products.
    """

    def __init__(self, products: InnerProducts, barrier: Vector, directions: Vector) -> None:
        self._products, self._barrier, self._directions = products, barrier, directions
        others = np.maximum(products.diagonal - np.square(directions).sum(axis=1), 0.0)
        self._inverse: Vector = 1 / (barrier + others[:, None])
        sums = self._inverse.sum(axis=1, keepdims=True)
        self._shares: Vector = self._inverse / sums
        self._factor = self._of_directions(self._inverse / np.sqrt(sums))
        self._size = 0.0

    def _of_directions(self, scaled: Vector) -> tuple[Vector, bool]:
        """Return the Cholesky factor of the matrix that the Woodbury identity inverts."""
        L, (n, k) = self._directions, scaled.shape
        r = L.shape[1]
        sums = (scaled[:, :, None] * L[:, None, :]).reshape(n, k * r)
        matrix = np.eye(k * r) - sums.T @ sums
        blocks = matrix.reshape(k, r, k, r)
        for z, inverse in enumerate(self._inverse.T):
            blocks[z, :, z] += (L.T * inverse) @ L
        L, is_lower = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        return L, is_lower

    def solve(self, residual: Vector) -> tuple[Vector, Vector]:
        """Return the solution, of shape (n, k), and the multipliers, of shape (n,).

        The remaining residual is small compared with the largest right-hand side so far.
        """
        found, multipliers = np.zeros_like(residual), self._multipliers(residual)
        # Once the multipliers are subtracted, the residual and its rounding errors tend to 0.
        rest = residual - multipliers
        direction = self._preconditioned(rest)
        size = float(np.vdot(rest, direction))
        self._size = max(self._size, size)
        for _ in range(len(rest) + 1):
            if size <= RESIDUAL**2 * self._size:
                return found, multipliers[:, 0]
            image = self._barrier * direction
            image += self._products.roughly_times(direction)
            curvature = float(np.vdot(direction, image))
            if not curvature > 0:
                break
            length = size / curvature
            found += length * direction
            image *= length
            rest -= image
            more = self._multipliers(rest)
            rest -= more
            multipliers += more
            step = self._preconditioned(rest)
            before, size = size, float(np.vdot(rest, step))
            direction *= size / before
            direction += step
        raise np.linalg.LinAlgError("conjugate gradients have not converged")

    def _multipliers(self, rest: Vector) -> Vector:
        return np.asarray(np.einsum("iz,iz->i", self._shares, rest)[:, None])

    def _preconditioned(self, rest: Vector) -> Vector:
        """Apply the preconditioner to a residual from which ``_multipliers`` were subtracted."""
        L, step = self._directions, self._inverse * rest
        if not L.shape[1]:
            return step
        along = cho_solve(self._factor, (step.T @ L).ravel(), check_finite=False)
        image = L @ along.reshape(rest.shape[1], -1).T
        image -= self._multipliers(image)
        image *= self._inverse
        step -= image
        return step
