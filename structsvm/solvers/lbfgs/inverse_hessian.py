"""The limited-memory BFGS approximation of an inverse Hessian."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtrs

from structsvm.data.arrays import Vector
from structsvm.objective.rounding import DOUBLE
from structsvm.solvers.lbfgs.scaling import Scaling

#: Vectors as long as w are kept as long as they take no more than this many numbers: products with
#: more would dominate a step.
NUMBERS = 10_000_000
#: Smallest and largest number of pairs of steps and gradient changes.
PAIRS = 10, 60
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
    scaling : Scaling
    size : int
        Length of w.
    dtype : dtype
        Of the gradients.
    """

    def __init__(self, scaling: Scaling, size: int, dtype: Any = np.float64) -> None:
        self._dtype = dtype
        self._most = int(np.clip(NUMBERS // (2 * size), *PAIRS))
        # Single precision halves the memory; the inverse is an approximation in any case.
        self._steps = np.empty((self._most, size), dtype=np.float32)
        self._changes = np.empty((self._most, size), dtype=np.float32)
        self._products = np.empty((self._most, self._most))  # of steps with later changes
        self._gram = np.empty((self._most, self._most))  # of the changes
        self._added = 0  # a new pair replaces the oldest
        self._scale_by(scaling)

    def _scale_by(self, scaling: Scaling) -> None:
        # Half way between the curvature of the regulariser, 1, and the typical one: changes of the
        # gradient are then not much longer or shorter than the steps.
        typical = float(np.sqrt(np.mean(scaling.factor**2 * scaling.curvature)))
        root = _power_of_four(typical)
        self._first = min(root, MOST_BALANCED)
        scale = scaling.factor * np.sqrt(self._first) / root
        self._axes, self._scale = scaling.axes, scale.astype(self._dtype, copy=False)

    def rescale(self, scaling: Scaling) -> None:
        """Continue with other scales along the same axes, with the pairs known."""
        before = self._scale
        self._scale_by(scaling)
        ratio, m = (before / self._scale).astype(np.float32, copy=False), len(self)
        if not m:
            return
        self._steps[:m] = self._axes.times(ratio, self._steps[:m])
        self._changes[:m] = self._axes.times(1 / ratio, self._changes[:m])
        self._products[:m, :m] = self._steps[:m] @ self._changes[:m].T
        self._gram[:m, :m] = self._changes[:m] @ self._changes[:m].T

    def __len__(self) -> int:
        """The number of pairs."""
        return min(self._added, self._most)

    def add(self, step: Vector, change: Vector) -> None:
        """Learn from a step in w and the change of the gradient along it."""
        step = self._axes.times(1 / self._scale, step.astype(self._dtype, copy=False))
        change = self._axes.times(self._scale, change)
        unit = _power_of_four(float(np.linalg.norm(step)))
        step /= unit
        change /= unit
        length, rise = float(np.linalg.norm(step)), float(np.linalg.norm(change))
        flat = not step @ change > DOUBLE * length * rise  # no positive definite matrix
        if flat or not 1 / MOST_RATIO < rise < MOST_RATIO:
            return
        j = self._added % self._most
        self._added += 1
        m = len(self)
        self._steps[j], self._changes[j] = step, change
        change = self._changes[j]
        self._products[:m, j] = self._steps[:m] @ change
        self._gram[:m, j] = self._gram[j, :m] = self._changes[:m] @ change

    def times(self, gradient: Vector) -> Vector:
        """The product of the inverse Hessian with a gradient."""
        scaled = self._axes.times(self._scale, gradient)
        unit = _power_of_four(float(np.linalg.norm(scaled)))
        scaled /= unit
        if not len(self):
            return self._axes.times(self._scale, scaled / self._first) * unit
        factor, correction = self._terms(scaled.astype(np.float32, copy=False))
        scaled *= factor
        scaled += correction
        scaled *= unit
        return self._axes.times(self._scale, scaled)

    def _terms(self, g: Any) -> tuple[float, Any]:
        """The factor and the vector of the product ``factor * g + vector``."""
        m = len(self)
        S, Y = self._steps[:m], self._changes[:m]
        by_age = (np.arange(m) + self._added) % m  # the oldest first
        R, G = (square[by_age[:, None], by_age] for square in (self._products, self._gram))
        scale = R[-1, -1] / G[-1, -1]
        p, _ = dtrtrs(R, (S @ g)[by_age])
        q, _ = dtrtrs(R, R.diagonal() * p + scale * (G @ p - (Y @ g)[by_age]), trans=1)
        weights = np.empty((2, m), dtype=np.float32)
        weights[:, by_age] = scale * p, q
        return float(scale), weights[1] @ S - weights[0] @ Y

    def forget(self) -> None:
        """Drop all pairs."""
        self._added = 0


def _power_of_four(size: float) -> float:
    """A power of four near a positive number: dividing by it or its root is exact. 1 for 0."""
    return float(np.ldexp(1.0, 2 * (int(np.frexp(size)[1]) // 2)))
