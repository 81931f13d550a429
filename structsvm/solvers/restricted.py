"""The smoothed objective of the problem restricted to stored planes."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import unbounded_dual_value
from structsvm.planes.example_planes import StackedPlanes
from structsvm.solvers.lbfgs.descent import Point


class DualLine:
    """A dual solution that is improved by line searches towards other dual solutions.

    Parameters
    ----------
    v : ndarray of shape (size,)
    linear : float
        The linear term of the dual.
    """

    def __init__(self, v: Vector, linear: float) -> None:
        self.v, self.linear = v, linear

    @property
    def value(self) -> float:
        """The dual value."""
        return unbounded_dual_value(self.v, self.linear)

    def move(self, point: Point) -> float:
        """Move to the best point on the line to a dual solution, and return the fraction moved."""
        ahead, linear = point.v - self.v, point.linear - self.linear
        rise, curvature = linear - float(self.v @ ahead), float(ahead @ ahead)
        if rise <= 0:
            return 0.0
        length = min(1.0, rise / curvature) if curvature else 1.0
        self.v, self.linear = self.v + length * ahead, self.linear + length * linear
        return length


class RestrictedObjective:
    """The smoothed objective of the problem restricted to stored planes, for use in a Descent.

    Parameters
    ----------
    planes : StackedPlanes
        The planes, with dual variables ``alpha`` that the descent changes.
    cap : float
        C / n.

    Attributes
    ----------
    dual : DualLine
    """

    def __init__(self, planes: StackedPlanes, cap: float) -> None:
        self.planes, self.cap = planes, cap
        self.dual = DualLine(cap * (planes.alpha @ planes.rows), self._linear(planes.alpha))
        # Number only the examples that have planes.
        active, self._example = np.unique(planes.groups, return_inverse=True)
        self._n = len(active)

    def at(self, w: Vector, mu: float) -> Point:
        planes, cap = self.planes, self.cap
        violations = planes.violations(w)
        slacks = np.zeros(self._n)
        np.maximum.at(slacks, self._example, violations)
        # Subtract the slacks, so that no exponential overflows.
        p = np.exp((violations - slacks[self._example]) / mu)
        partition = np.exp(-slacks / mu) + np.bincount(self._example, p)
        p /= partition[self._example]
        soft = slacks + mu * np.log(partition)
        return Point.of(
            w,
            mu,
            v=cap * (p @ planes.rows),
            linear=self._linear(p),
            slack=cap * float(slacks.sum()),
            soft_slack=cap * float(soft.sum()),
            soft_slacks=soft,
            distribution=p,
        )

    def least_mu(self, w: Vector) -> float:
        return 0.0  # the exponents are differences with little rounding error

    def keep(self, point: Point) -> float:
        length = self.dual.move(point)
        self.planes.alpha += length * (point.distribution - self.planes.alpha)
        return self.dual.value

    def _linear(self, weights: Vector) -> float:
        return self.cap * float(weights @ self.planes.offsets)
