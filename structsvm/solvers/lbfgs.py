"""The limited-memory BFGS approximation of an inverse Hessian."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dtrtrs

from structsvm.problem import Vector

#: Largest number of pairs of steps and gradient changes.
MOST = 60
#: When there are that many, only this many of the latest are kept: dropping them one by one would
#: move the arrays at every step.
FEWEST = 30
#: Curvatures this much above the sum of the others dominate.
DOMINATING = 1e4
#: Least cosine between a step and the change of the gradient, for a positive definite matrix.
LEAST_CURVATURE = 1e-14
#: Largest length of a change of the gradient relative to the step, and inverse of the smallest: the
#: squares of others are outside of the range of single precision.
MOST_RATIO = 1e17
#: The typical one is at most this, a power of four.
MOST_BALANCED = 4.0**20


class InverseHessian:
    """The inverse Hessian that the last steps imply, in the compact form of Byrd, Nocedal &
    Schnabel (Mathematical Programming 63, 1994, equation 3.1): a few matrix-vector products, where
    the usual two loops over the pairs would be a hundred small calls.

    Parameters
    ----------
    curvature : ndarray of shape (size,)
        A rough estimate of the Hessian's diagonal, > 0. Only its entries of another order of
        magnitude than the rest matter.

    Attributes
    ----------
    factor : ndarray of shape (size,)
        1, and less for entries that dominate, by which gradients are to be measured.
    """

    def __init__(self, curvature: Vector) -> None:
        self.factor, size = _factors(curvature), len(curvature)
        # Half way between the curvature of the regulariser, 1, and the typical one: changes of the
        # gradient are then not much longer or shorter than the steps.
        root = _power_of_four(float(np.sqrt(np.mean(self.factor**2 * curvature))))
        self._first = min(root, MOST_BALANCED)
        self._scale = self.factor * np.sqrt(self._first) / root
        # Single precision halves the memory; the inverse is an approximation in any case.
        self._steps = np.empty((MOST, size), dtype=np.float32)
        self._changes = np.empty((MOST, size), dtype=np.float32)
        self._products = np.empty((MOST, MOST))  # of steps with changes; only i <= j is used
        self._gram = np.empty((MOST, MOST))  # of the changes
        self._m = 0

    def add(self, step: Vector, change: Vector) -> None:
        """Learn from a step in w and the change of the gradient along it."""
        unit = _power_of_four(float(np.linalg.norm(step / self._scale)))
        step, change = step / self._scale / unit, change * self._scale / unit
        length, rise = float(np.linalg.norm(step)), float(np.linalg.norm(change))
        flat = not step @ change > LEAST_CURVATURE * length * rise
        if flat or not 1 / MOST_RATIO < rise < MOST_RATIO:
            return
        if self._m == MOST:
            self._drop_oldest()
        j = self._m
        self._m = m = j + 1
        self._steps[j], self._changes[j] = step, change
        change = self._changes[j]
        self._products[:m, j] = self._steps[:m] @ change
        self._gram[:m, j] = self._gram[j, :m] = self._changes[:m] @ change

    def times(self, gradient: Vector) -> Vector:
        """The product of the inverse Hessian with a gradient."""
        scaled = self._scale * gradient
        unit = _power_of_four(float(np.linalg.norm(scaled)))
        return self._scale * self._times(scaled / unit) * unit

    def _times(self, gradient: Vector) -> Vector:
        m = self._m
        if not m:
            return gradient / self._first
        S, Y, R, G = (
            self._steps[:m],
            self._changes[:m],
            self._products[:m, :m],
            self._gram[:m, :m],
        )
        scale = R[-1, -1] / G[-1, -1]
        g = gradient.astype(np.float32)
        p, _ = dtrtrs(R, S @ g)
        q, _ = dtrtrs(R, R.diagonal() * p + scale * (G @ p - Y @ g), trans=1)
        return scale * (gradient - p.astype(np.float32) @ Y) + q.astype(np.float32) @ S

    def forget(self) -> None:
        """Drop all pairs."""
        self._m = 0

    def _drop_oldest(self) -> None:
        kept = slice(MOST - FEWEST, MOST)
        for rows in (self._steps, self._changes):
            rows[:FEWEST] = rows[kept]
        for square in (self._products, self._gram):
            square[:FEWEST, :FEWEST] = square[kept, kept]
        self._m = FEWEST


def _factors(curvature: Vector) -> Vector:
    """Factors for the coordinates, so that single precision holds the changes of all.

    They are 1 but for entries that dominate, such as those of a column of time stamps beside
    standardised ones: larger than DOMINATING times the sum of all that do not. These are scaled so
    that their curvature is equal to that. (More than that is no gain on ordinary data.)
    """
    order = np.argsort(curvature)
    rest = np.append(0.0, np.cumsum(curvature[order])[:-1])
    jumps = np.flatnonzero((curvature[order] > DOMINATING * rest) & (rest > 0))
    factor = np.ones(len(curvature))
    if len(jumps):
        large = order[jumps[0] :]
        factor[large] = np.sqrt(DOMINATING * rest[jumps[0]] / curvature[large])
    return factor


def _power_of_four(size: float) -> float:
    """A power of four near a positive number: dividing by it or its root is exact. 1 for 0."""
    return float(np.ldexp(1.0, 2 * (int(np.frexp(size)[1]) // 2)))
