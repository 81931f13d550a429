"""The limited-memory BFGS approximation of an inverse Hessian."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtrs

from structsvm.data.arrays import Indices, Vector
from structsvm.objective.rounding import DOUBLE
from structsvm.solvers.lbfgs.scaling import power_of_four

#: Largest number of entries of the vectors kept: products with more would dominate a step.
NUMBERS = 10_000_000
#: Smallest and largest number of pairs of steps and gradient changes.
PAIRS = 10, 60
#: Largest ratio of the gradient's change to the step, and inverse of the smallest ratio. Squares of
#: ratios beyond them leave the range of single precision.
MOST_RATIO = 1e17


class InverseHessian:
    """An approximation of the inverse Hessian, from the last steps.

    The approximation has the compact form of Byrd, Nocedal & Schnabel (Mathematical Programming 63,
    1994, equation 3.1). With the compact form, applying the approximation to a gradient takes a few
    matrix-vector products. The usual two-loop recursion would take a hundred small calls.

    Before the first pair, the approximation is the identity.

    Parameters
    ----------
    size : int
        The length of w.
    """

    def __init__(self, size: int) -> None:
        self._most = int(np.clip(NUMBERS // (2 * size), *PAIRS))
        # Single precision halves the memory; the inverse is an approximation in any case.
        self._steps = np.empty((self._most, size), dtype=np.float32)
        self._changes = np.empty((self._most, size), dtype=np.float32)
        self._places: Indices = np.arange(0)  # rows of the pairs, the oldest first
        # In the order of age:
        self._products = np.empty((self._most, self._most))  # products of steps and later changes
        self._gram = np.empty((self._most, self._most))  # products of the changes

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self._places)

    def add(self, step: Vector, change: Vector) -> None:
        """Update the approximation with a step and the change of the gradient in this step."""
        unit = power_of_four(float(np.linalg.norm(step)))
        step, change = step / unit, change / unit
        length, rise = float(np.linalg.norm(step)), float(np.linalg.norm(change))
        flat = not step @ change > DOUBLE * length * rise  # no positive definite matrix
        if flat or not 1 / MOST_RATIO < rise < MOST_RATIO:
            return
        j = self._place()
        self._steps[j], self._changes[j] = step, change
        m, places, change = len(self), self._places, self._changes[j]
        self._products[:m, m - 1] = (self._steps[:m] @ change)[places]
        self._gram[:m, m - 1] = self._gram[m - 1, :m] = (self._changes[:m] @ change)[places]

    def _place(self) -> int:
        """Return the row for a new pair, which replaces the oldest pair if all rows are in use."""
        if len(self) < self._most:
            self._places = np.append(self._places, len(self))
        else:
            self._places = np.roll(self._places, -1)
            for square in (self._products, self._gram):
                square[:-1, :-1] = square[1:, 1:]
        return int(self._places[-1])

    def times(self, gradient: Vector) -> Vector:
        """Return the product of the inverse Hessian and a gradient."""
        if not len(self):
            return gradient
        unit = power_of_four(float(np.linalg.norm(gradient)))
        scaled = gradient / unit
        factor, correction = self._terms(scaled.astype(np.float32, copy=False))
        scaled *= factor
        scaled += correction
        scaled *= unit
        return scaled

    def _terms(self, g: Any) -> tuple[float, Any]:
        """Return (a, b), where ``a * g + b`` is the inverse Hessian times the vector g."""
        m, places = len(self), self._places
        S, Y = self._steps[:m], self._changes[:m]
        R, G = self._products[:m, :m], self._gram[:m, :m]
        scale = R[-1, -1] / G[-1, -1]
        p, _ = dtrtrs(R, (S @ g)[places])
        q, _ = dtrtrs(R, R.diagonal() * p + scale * (G @ p - (Y @ g)[places]), trans=1)
        weights = np.empty((2, m), dtype=np.float32)
        weights[:, places] = scale * p, q
        return float(scale), weights[1] @ S - weights[0] @ Y

    def forget(self) -> None:
        """Drop all pairs."""
        self._places = np.arange(0)
