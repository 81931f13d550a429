r"""The smoothed objective, and descent on it.

With the soft slacks of :class:`structsvm.SoftOutput` in place of the slacks, the objective of
:mod:`structsvm.objective` becomes differentiable:

.. math::

    P_\mu(w) = \tfrac12 \|w\|^2 + \frac{C}{n} \sum_i \mu \log \sum_{\hat y} e^{s_i(\hat y) / \mu},
    \qquad P \le P_\mu

The distributions over the outputs that belong to it are a point of the dual. With v and l, C times
the mean of the expected joint-feature differences and losses, the gradient is w - v, the dual
l - 1/2 |v|^2, and the gap between P(w) and it

.. math::

    \tfrac12 \|w - v\|^2 + \frac{C}{n} \sum_i \big( \xi_i - E[s_i] \big)

The first term is what descent is to lower, the second what a smaller mu is to lower.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from structsvm.problem import Vector
from structsvm.solvers.lbfgs import InverseHessian

#: mu at the start, relative to the mean loss of the first pass.
START = 0.05
#: A stall: so many rounds in which the gap has not fallen to this share.
PATIENCE, PROGRESS = 10, 0.9
#: mu falls where the gap's first term is below so many times its second, to where the second is
#: this share of the tolerance, or by this factor at most.
BALANCE, SHARE, FALL = 4.0, 0.6, 0.3
#: Armijo's share of the slope, and how often a step is shortened before it is taken as it is.
SUFFICIENT, SHORTENINGS = 1e-4, 10
#: Relative change of a value that may be nothing but rounding, in single precision.
ROUNDING = 1e-6


class Point(NamedTuple):
    """The smoothed objective at a point.

    Attributes
    ----------
    w : ndarray
    value : float
        P_mu.
    gradient, v : ndarray
    linear : float
        l: with v the point of the dual that belongs to w.
    expected : float
        1/2 |w|^2 and C times the mean of E[s]: a lower bound of P.
    primal : float
        P, infinite where it is not known.
    soft_slacks : ndarray
    distribution : object
        What the objective knows the point of the dual by.
    """

    w: Vector
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
        v: Vector,
        linear: float,
        slack: float,
        soft_slack: float,
        soft_slacks: Vector,
        distribution: Any,
    ) -> Point:
        """From C times the mean slack and soft slack, and what is kept as it is."""
        norm, gradient = 0.5 * float(w @ w), w - v
        return cls(
            w=w,
            value=norm + soft_slack,
            gradient=gradient,
            v=v,
            linear=linear,
            expected=norm + linear - float(v @ w),
            primal=norm + slack,
            soft_slacks=soft_slacks,
            distribution=distribution,
        )


class Progress:
    """Whether the gap still falls, from round to round."""

    def __init__(self) -> None:
        self._gaps = [math.inf]

    def note(self, gap: float) -> None:
        """Learn of the gap after a round."""
        self._gaps.append(min(self._gaps[-1], gap))

    @property
    def stalled(self) -> bool:
        """Whether many rounds have done next to nothing."""
        gaps = self._gaps
        return len(gaps) > PATIENCE and gaps[-1] >= PROGRESS * gaps[-1 - PATIENCE]


class Objective(Protocol):
    """A smoothed objective, and the dual solution that a descent on it builds up."""

    def at(self, w: Vector, mu: float) -> Point:
        """Its value and all that comes with it."""

    def mix(self, point: Point, share: float) -> None:
        """Let the dual solution go that far towards the point of the dual that belongs to this."""


class Descent:
    """L-BFGS on a smoothed objective that may be exchanged on the way, while mu falls.

    What was learnt of the curvature, and of the dual, is kept through all of that.

    Attributes
    ----------
    objective : Objective
    mu : float
    point : Point
        Where it is.
    dual : float
        The best value between the points of the dual passed so far.
    """

    def __init__(self, objective: Objective, w: Vector, mu: float) -> None:
        self.objective, self.mu = objective, mu
        self._inverse = InverseHessian(len(w))
        self._tightness = 0.5
        self.set_dual(np.zeros_like(w), 0.0)
        self._arrive(objective.at(w, mu))

    # ------------------------------------------------------------------ how good it is

    @property
    def estimate(self) -> float:
        """P here, as far as it is known: it lies between the expected value and P_mu."""
        if math.isfinite(self.point.primal):
            return self.point.primal
        expected = self.point.expected
        return expected + self._tightness * (self.point.value - expected)

    @property
    def gap(self) -> float:
        """Between that and the dual."""
        return self.estimate - self.dual

    def calibrate(self, primal: float) -> None:
        """Learn from P here how tight the two bounds of the estimate are."""
        expected = self.point.expected
        spread = self.point.value - expected
        self._tightness = (primal - expected) / spread if spread > 0 else 1.0

    def set_dual(self, v: Vector, linear: float) -> None:
        """Go on from this solution of the dual."""
        self._v, self._linear = v, linear
        self.dual = linear - 0.5 * float(v @ v)

    # ------------------------------------------------------------------ what is minimised

    def go_over(self, objective: Objective) -> None:
        """Descend on another objective from here."""
        self.objective = objective
        self._arrive(objective.at(self.point.w, self.mu))

    def asks_for_less(self, tolerance: float) -> bool:
        """Whether descent has done what it can for the gap, and mu is still too large for it."""
        gradient, smoothing = self.point.gradient, self.estimate - self.point.expected
        slope = 0.5 * float(gradient @ gradient)
        return slope < BALANCE * smoothing and smoothing > SHARE * tolerance

    def lower_mu(self, tolerance: float) -> None:
        """Lower mu as far as the tolerance asks, but not too far at once."""
        smoothing = self.estimate - self.point.expected
        self.mu *= max(SHARE * tolerance / smoothing, FALL)
        self.go_over(self.objective)

    # ------------------------------------------------------------------ a step

    def step(self) -> None:
        """One step of L-BFGS."""
        here = self.point
        gradient = here.gradient
        direction = -self._inverse.times(gradient)
        slope = float(gradient @ direction)
        if not slope < 0:
            self._inverse.forget()
            direction = -self._inverse.times(gradient)
            slope = float(gradient @ direction)
        there = self._search(direction, slope)
        self._inverse.add(there.w - here.w, there.gradient - gradient)
        self._arrive(there)

    def _arrive(self, point: Point) -> None:
        self.point = point
        if math.isfinite(point.primal):
            self.calibrate(point.primal)
        self.objective.mix(point, self._raise_dual(point))

    def _raise_dual(self, point: Point) -> float:
        """Go from the dual solution towards that of a point while the dual rises; how far."""
        ahead, linear = point.v - self._v, point.linear - self._linear
        rise, curvature = linear - float(self._v @ ahead), float(ahead @ ahead)
        if rise <= 0:
            return 0.0
        share = min(1.0, rise / curvature) if curvature else 1.0
        self.set_dual(self._v + share * ahead, self._linear + share * linear)
        return share

    def _search(self, direction: Vector, slope: float) -> Point:
        """The first point on the way that is low enough.

        Where the values differ by rounding only, the slopes decide: the approximate Wolfe
        condition of Hager & Zhang (SIAM Journal on Optimization 16, 2005).
        """
        here, length = self.point, 1.0
        for _ in range(SHORTENINGS):
            there = self.objective.at(here.w + length * direction, self.mu)
            rise = there.value - here.value
            if rise <= SUFFICIENT * length * slope:
                break
            if rise <= ROUNDING * abs(here.value) and there.gradient @ direction <= -0.8 * slope:
                break
            parabola = -slope * length**2 / (2 * (rise - length * slope))
            length = float(np.clip(parabola, 0.1 * length, 0.5 * length))
        return there
