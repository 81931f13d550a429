r"""The smoothed objective, and descent on it.

With the soft slacks of :class:`structsvm.SoftOutput` in place of the slacks, the objective of
:mod:`structsvm.objective` becomes differentiable:

.. math::

    P_\mu(w) = \tfrac12 \|w\|^2 + \frac{C}{n} \sum_i \mu \log \sum_{\hat y} e^{s_i(\hat y) / \mu},
    \qquad P \le P_\mu

Each distribution over the outputs is a point of the dual. The one at w is a one-slack plane like
any other, of joint-feature difference a and loss b, and its weight in the dual is C: the gradient
is w - C a, and the gap between P(w) and that point of the dual is

.. math::

    \tfrac12 \|w - C a\|^2 + \frac{C}{n} \sum_i \big( \xi_i - E[s_i] \big)

The first term is what descent is to lower, the second what a smaller mu is to lower.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.oracle import BoundProblem, take
from structsvm.problem import Indices, Vector
from structsvm.separation import Cuts, soft_cut
from structsvm.solvers.lbfgs import InverseHessian

#: mu falls where the gap's first term is below so many times its second, to where the second is
#: this share of the tolerance, or by this factor at most.
BALANCE, SHARE, FALL = 4.0, 0.6, 0.3
#: An example is left out where its true output, whose probability is exp(-slack / mu), is likelier
#: than this, if there is such a share of them.
CERTAIN, WORTHWHILE = 0.99, 0.2
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
    gradient : ndarray
    expected : float
        1/2 |w|^2 and C times the mean of E[s]: a lower bound of P.
    primal : float
        P, infinite where it is not known.
    slacks : ndarray
        The soft slack of every example.
    cut : Cuts
        The one-slack plane.
    """

    w: Vector
    value: float
    gradient: Vector
    expected: float
    primal: float
    slacks: Vector
    cut: Cuts


class SmoothedObjective:
    """P_mu with the slacks of some of n examples; those of the others are taken to be 0."""

    def __init__(self, part: BoundProblem, labels: Any, C: float, n: int) -> None:
        self.part, self.labels, self.C, self.n = part, labels, C, n

    def at(self, w: Vector, mu: float) -> Point:
        cut, soft = soft_cut(self.part, self.labels, w, mu, self.n)
        row, norm = cut.rows[0], 0.5 * float(w @ w)
        return Point(
            w=w,
            value=norm + self.C / self.n * float(soft.values.sum()),
            gradient=w - self.C * row,
            expected=norm + self.C * float(cut.offsets[0] - row @ w),
            primal=norm + self.C * float(cut.slacks[0]),
            slacks=soft.values,
            cut=cut,
        )

    def over(self, rows: Indices, weight: float = 1.0) -> SmoothedObjective:
        """The same with the other examples left out, and these weighing more than they do."""
        part, labels = self.part.subset(rows), take(self.labels, rows)
        return SmoothedObjective(part, labels, weight * self.C, self.n)


class Descent:
    """L-BFGS on a smoothed objective, while mu falls and examples are left out and return.

    What was learnt of the curvature is kept through all of that.

    Attributes
    ----------
    point : Point
        Where it is.
    mu : float
    dual : float
        The best value of the dual between the points passed so far.
    cuts : list of Cuts
        The planes of the points passed; for others to take out.
    """

    def __init__(self, objective: SmoothedObjective, w: Vector, mu: float) -> None:
        self._inverse = InverseHessian(len(w))
        self._tightness = 0.5
        self.mu = mu
        self.start(objective, w)

    # ------------------------------------------------------------------ how good it is

    @property
    def estimate(self) -> float:
        """P here, as far as it is known: it lies between the expected value and P_mu."""
        primal, expected = self.point.primal, self.point.expected
        if np.isfinite(primal):
            return primal
        return expected + self._tightness * (self.point.value - expected)

    @property
    def _slope(self) -> float:
        return 0.5 * float(self.point.gradient @ self.point.gradient)

    def calibrate(self, primal: float) -> None:
        """Learn from P here how tight the two bounds of the estimate are."""
        spread = self.point.value - self.point.expected
        self._tightness = (primal - self.point.expected) / spread if spread > 0 else 1.0

    # ------------------------------------------------------------------ what is minimised

    def asks_for_less(self, tolerance: float) -> bool:
        """Whether descent has done what it can for the gap, and mu is still too large for it."""
        smoothing = self.estimate - self.point.expected
        return self._slope < BALANCE * smoothing and smoothing > SHARE * tolerance

    def lower_mu(self, tolerance: float) -> None:
        """Lower mu as far as the tolerance asks, but not too far at once."""
        smoothing = self.estimate - self.point.expected
        self.mu *= max(SHARE * tolerance / smoothing, FALL)
        self._go_over(self._objective)

    def leave_out_certain(self) -> None:
        """Leave out the examples that are sure of the truth, where there are enough of them."""
        rows = np.flatnonzero(self.point.slacks > -self.mu * np.log(CERTAIN))
        if 0 < len(rows) <= (1 - WORTHWHILE) * self._whole.n:
            self._go_over(self._whole.over(rows))

    @property
    def whole(self) -> bool:
        """Whether no example is left out."""
        return self._objective is self._whole

    def restore(self) -> bool:
        """Take all examples back; whether any were left out."""
        if self.whole:
            return False
        self._go_over(self._whole)
        return True

    def start(self, objective: SmoothedObjective, w: Vector) -> None:
        """Begin at w; what was learnt of the curvature is kept."""
        self._whole = objective
        self.cuts: list[Cuts] = []
        self._v, self._linear, self.dual = np.zeros_like(w), 0.0, 0.0
        self._objective = objective
        self._arrive(objective.at(w, self.mu))

    def _go_over(self, objective: SmoothedObjective) -> None:
        self._objective = objective
        self._arrive(objective.at(self.point.w, self.mu))

    def _arrive(self, point: Point) -> None:
        self.point = point
        self.cuts.append(point.cut)
        if np.isfinite(point.primal):
            self.calibrate(point.primal)
        self._raise_dual(point)

    def set_dual(self, v: Vector, dual: float) -> None:
        """Go on from this dual solution."""
        self._v, self.dual = v, dual
        self._linear = dual + 0.5 * float(v @ v)

    def _raise_dual(self, point: Point) -> None:
        """Go from the dual solution so far towards that of a point, while the dual rises."""
        C, cut = self._objective.C, point.cut
        ahead, linear = C * cut.rows[0] - self._v, C * float(cut.offsets[0]) - self._linear
        slope, curvature = linear - float(self._v @ ahead), float(ahead @ ahead)
        if slope <= 0:
            return
        length = min(1.0, slope / curvature) if curvature else 1.0
        self._v = self._v + length * ahead
        self._linear += length * linear
        self.dual = self._linear - 0.5 * float(self._v @ self._v)

    # ------------------------------------------------------------------ a step

    def step(self) -> None:
        """One step of L-BFGS."""
        here = self.point
        direction = -self._inverse.times(here.gradient)
        slope = float(here.gradient @ direction)
        if not slope < 0:
            self._inverse.forget()
            direction = -self._inverse.times(here.gradient)
            slope = float(here.gradient @ direction)
        there = self._search(direction, slope)
        self._inverse.add(there.w - here.w, there.gradient - here.gradient)
        self._arrive(there)

    def _search(self, direction: Vector, slope: float) -> Point:
        """The first point on the way that is low enough.

        Where the values differ by rounding only, the slopes decide: the approximate Wolfe
        condition of Hager & Zhang (SIAM Journal on Optimization 16, 2005).
        """
        here, length = self.point, 1.0
        for _ in range(SHORTENINGS):
            there = self._objective.at(here.w + length * direction, self.mu)
            rise = there.value - here.value
            if rise <= SUFFICIENT * length * slope:
                break
            if rise <= ROUNDING * abs(here.value) and there.gradient @ direction <= -0.8 * slope:
                break
            parabola = -slope * length**2 / (2 * (rise - length * slope))
            length = float(np.clip(parabola, 0.1 * length, 0.5 * length))
        return there
