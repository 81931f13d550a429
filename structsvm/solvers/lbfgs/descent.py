r"""Descent on the smoothed objective.

The soft slacks of :class:`structsvm.SoftOutput` replace the slacks, which makes the objective
differentiable:

.. math::

    P_\mu(w) = \tfrac12 \|w\|^2 + \frac{C}{n} \sum_i \mu \log \sum_{\hat y} e^{s_i(\hat y) / \mu},
    \qquad P \le P_\mu

The s_i are the loss-augmented scores of the i-th example, relative to the score of the true output.
The temperature is mu. P_mu is the objective of a conditional random field with cost-augmented
scores. The distributions of the conditional random field over the outputs are a point of the dual.
The gradient of the smoothed objective P_mu is w - v, where v is C times the mean of the expected
joint-feature differences. The dual value of the vector v is l - 1/2 |v|^2, where l is C times the
mean of the expected losses. With the slacks :math:`\xi_i` the gap between P(w) and the dual value
is

.. math::

    \tfrac12 \|w - v\|^2 + \frac{C}{n} \sum_i \big( \xi_i - E[s_i] \big)

L-BFGS steps reduce the first term of the gap, half the squared norm of the gradient. A lower
temperature mu reduces the differences between the slacks and the expected scores.
"""

from __future__ import annotations

import copy
import math
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import lagrangian, regulariser
from structsvm.solvers.lbfgs.inverse_hessian import InverseHessian
from structsvm.solvers.lbfgs.scaling import Coordinates, Scaling

#: mu falls until the second term of the gap is this fraction of the tolerance, but by at most this
#: factor in one step, because curvature learnt at a larger mu describes the new mu less well.
FALL = 0.5
#: mu may fall once the first term is at most this multiple of the second term. Later steps lower
#: the first term at any mu.
FIRST = 4.0
#: How often a step is shortened at most. The last length tried is then taken.
SHORTENINGS = 10


class Point(NamedTuple):
    """A vector w, with the smoothed objective at w.

    Attributes
    ----------
    w : ndarray
    mu : float
        The temperature.
    value : float
        P_mu.
    gradient, v : ndarray
        The gradient of the smoothed objective, and ``w`` minus the gradient. Both vectors are in
        single precision if the problem's data are in single precision.
    linear : float
        The linear term l of the dual value l - 1/2 |v|^2.
    expected : float
        A lower bound of P(w), with a mean over the outputs in place of the maximum in each slack.
    primal : float
        P(w), or infinity if P(w) is unknown.
    soft_slacks : ndarray
    distribution : object
        The distributions of the outputs at w, with which ``Objective.keep`` improves the dual
        solution.
    """

    w: Vector
    mu: float
    value: float
    gradient: Vector
    v: Vector
    linear: float
    expected: float
    primal: float
    soft_slacks: Vector
    distribution: Any

    @classmethod
    def of(
        cls,
        w: Vector,
        mu: float,
        v: Vector,
        linear: float,
        slack: float,
        soft_slack: float,
        soft_slacks: Vector,
        distribution: Any,
    ) -> Point:
        """Make a Point; ``slack`` and ``soft_slack`` are means over the examples, times C."""
        norm = regulariser(w)
        return cls(
            w=w,
            mu=mu,
            value=norm + soft_slack,
            gradient=np.subtract(w, v, dtype=v.dtype, casting="same_kind"),
            v=v,
            linear=linear,
            expected=lagrangian(w, v, linear),
            primal=norm + slack,
            soft_slacks=soft_slacks,
            distribution=distribution,
        )


class Objective(Protocol):
    """A smoothed objective, which also builds up a dual solution during a descent."""

    def at(self, w: Vector, mu: float) -> Point:
        """Evaluate the smoothed objective at w and temperature mu."""

    def least_mu(self, w: Vector) -> float:
        """Return the lowest temperature for which the soft slacks at w exceed rounding errors."""

    def keep(self, point: Point) -> float:
        """Improve the dual solution with ``point.distribution``, and return the dual value."""


Smoothed = TypeVar("Smoothed", bound=Objective)


class Descent(Generic[Smoothed]):
    """L-BFGS descent on a smoothed objective, while the temperature mu falls.

    The objective may be replaced between steps. The approximation of the curvature does not change
    when the objective or mu changes.

    Parameters
    ----------
    objective : Objective
    point : Point
        The starting point.
    mu : float
        The temperature of the first step.
    scaling : Scaling

    Attributes
    ----------
    objective : Objective
    mu : float
    point : Point
        The current point.
    dual : float
        The value of the dual solution that the objective keeps.
    """

    def __init__(self, objective: Smoothed, point: Point, mu: float, scaling: Scaling) -> None:
        self.objective, self.mu, self._tightness = objective, mu, 0.5
        self._scaling, self._coordinates = scaling, Coordinates(scaling, point.gradient.dtype)
        self._inverse = InverseHessian(len(point.w))
        self._arrive(point)

    def in_double(self, objective: Smoothed) -> Descent[Smoothed]:
        """Return a copy with the same curvature, to restart in double precision."""
        other = copy.copy(self)
        other.objective, other._coordinates = objective, Coordinates(self._scaling)
        return other

    # ------------------------------------------------------------------ how good it is

    @property
    def estimate(self) -> float:
        """The objective at the current w, or an estimate if the objective is unknown."""
        if math.isfinite(self.point.primal):
            return self.point.primal
        expected = self.point.expected
        return expected + self._tightness * (self.point.value - expected)

    @property
    def gap(self) -> float:
        """The estimated objective minus the dual value."""
        return self.estimate - self.dual

    def calibrate(self, primal: float) -> None:
        """Make ``estimate`` equal to the objective ``primal`` at the current w."""
        expected = self.point.expected
        spread = self.point.value - expected
        self._tightness = (primal - expected) / spread if spread > 0 else 1.0

    # ------------------------------------------------------------------ the objective

    def switch(self, objective: Smoothed) -> None:
        """Replace the objective, and continue from the current point."""
        self.objective = objective
        self._arrive(objective.at(self.point.w, self.mu))

    def restart(self, w: Vector) -> None:
        """Continue from a different point."""
        self._arrive(self.objective.at(w, self.mu))

    def needs_lower_mu(self, tolerance: float) -> bool:
        """Whether smoothing keeps the gap above the tolerance, and a lower mu is possible."""
        smoothing = self.estimate - self.point.expected
        if smoothing <= FALL * tolerance:
            return False
        # The gap's first term, with less weight on dominating axes: the dual's program balances
        # them.
        slope = regulariser(self._scaling.balanced(self.point.gradient))
        return slope < FIRST * smoothing and self.mu > self.objective.least_mu(self.point.w)

    def lower_mu(self, tolerance: float) -> None:
        """Lower mu as far as the tolerance requires, but not too far in one step.

        The next step uses the gradient at the previous mu, because evaluating the gradient again
        would take as long as a step.
        """
        smoothing = self.estimate - self.point.expected
        least = self.objective.least_mu(self.point.w)
        self.mu = max(self.mu * FALL * max(tolerance / smoothing, 1.0), least)

    # ------------------------------------------------------------------ a step

    @np.errstate(over="ignore", invalid="ignore")  # steps may be far too long at first
    def step(self) -> None:
        """Take one step of L-BFGS."""
        gradient = self._gradient
        direction = -self._inverse.times(gradient)
        slope = float(gradient @ direction)
        if not -math.inf < slope < 0:
            self._inverse.forget()
            direction = -self._inverse.times(gradient)
            slope = float(gradient @ direction)
        way = self._coordinates.stretched(direction)
        here = self.point
        there, length = self._search(way, slope, self._length(slope))
        self._arrive(there)
        if there.mu == here.mu:  # otherwise part of the change in gradient is due to mu
            self._inverse.add(length * direction, self._gradient - gradient)

    def _length(self, slope: float) -> float:
        """Return the step length to try first: 1, or Polyak's length while no curvature is known.

        Polyak's length would lower the objective to the dual value if the objective were linear
        (USSR Computational Mathematics and Mathematical Physics 9, 1969).
        """
        if len(self._inverse) or not 0 < self.gap < -slope:
            return 1.0
        return self.gap / -slope

    def _arrive(self, point: Point) -> None:
        self.point, self._gradient = point, self._coordinates.stretched(point.gradient)
        if math.isfinite(point.primal):
            self.calibrate(point.primal)
        self.dual = self.objective.keep(point)

    def _search(self, way: Vector, slope: float, length: float) -> tuple[Point, float]:
        """Return the first point along `way` with a low enough objective, and the step length.

        `length` is tried first. If objectives differ only by rounding errors, a point is accepted
        by its slope, with the approximate Wolfe condition of Hager & Zhang (SIAM Journal on
        Optimization 16, 2005).
        """
        here = self.point
        found = here, 0.0
        for _ in range(SHORTENINGS):
            w = here.w + length * way
            if self.mu < self.objective.least_mu(w):
                length *= 0.1
                continue
            there = self.objective.at(w, self.mu)
            rise = there.value - here.value
            if not math.isfinite(rise):
                length *= 0.1
                continue
            found = there, length
            # Features may be in single precision.
            level = rise <= np.finfo(np.float32).eps * abs(here.value)
            if rise < 0 or (level and there.gradient @ way <= -slope):
                break
            parabola = -slope * length**2 / (2 * (rise - length * slope))
            length = float(np.clip(parabola, 0.1 * length, 0.5 * length))
        return found
