"""The state of a run with a cache of outputs, and the problem restricted to them, smoothed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.planes.example_planes import StackedPlanes
from structsvm.planes.plane import ROUNDING
from structsvm.planes.working_set import WorkingSet
from structsvm.solvers.consistency import require_unbeaten
from structsvm.solvers.descent import START, Descent, DualLine, Point
from structsvm.solvers.scaling import rough
from structsvm.solvers.state import ExampleState

#: Steps of a descent on the restricted problem, at most.
STEPS = 20
#: Planes whose weight has been negligible for more than this many passes are dropped.
IDLE = 5


class RestrictedObjective:
    """The smoothed objective with the slacks that some planes imply, for :class:`Descent`.

    Parameters
    ----------
    planes : StackedPlanes
        Their weights follow the dual solution.
    cap : float
        C / n.

    Attributes
    ----------
    dual : DualLine
    """

    def __init__(self, planes: StackedPlanes, cap: float) -> None:
        self.planes, self.cap = planes, cap
        self.dual = DualLine(cap * (planes.weights @ planes.rows), self._linear(planes.weights))
        # Numbered without those that have no plane.
        active, self._example = np.unique(planes.examples, return_inverse=True)
        self._n = len(active)

    def at(self, w: Vector, mu: float) -> Point:
        planes, cap = self.planes, self.cap
        violations = planes.violations(w)
        slacks = np.zeros(self._n)
        np.maximum.at(slacks, self._example, violations)
        # Relative to the slacks, so that no exponential overflows; the true output has exp(0).
        p = np.exp((violations - slacks[self._example]) / mu)
        partition = np.exp(-slacks / mu) + np.bincount(self._example, p)
        p /= partition[self._example]
        soft = slacks + mu * np.log(partition)
        return Point.of(
            w,
            v=cap * (p @ planes.rows),
            linear=self._linear(p),
            slack=cap * float(slacks.sum()),
            soft_slack=cap * float(soft.sum()),
            soft_slacks=soft,
            distribution=p,
        )

    def least_mu(self, w: Vector) -> float:
        return 0.0  # the exponentials are of differences that are known to their own rounding

    def keep(self, point: Point) -> float:
        length = self.dual.move(point)
        self.planes.weights += length * (point.distribution - self.planes.weights)
        return self.dual.value

    def _linear(self, weights: Vector) -> float:
        return self.cap * float(weights @ self.planes.offsets)


class CachedState(ExampleState):
    """The state of a run with a cache of outputs.

    Attributes
    ----------
    planes : StackedPlanes or WorkingSet
        The cache; after a stall the working set that continues.
    descent : Descent
        On the problem restricted to the cache; it is set once there are planes.
    descending : bool
        Whether it has begun, and has not stalled.
    unexplained : float
        What the oracle found in the last pass beyond the slacks that the cache implied, in units
        of the objective.
    """

    planes: StackedPlanes | WorkingSet
    descent: Descent
    descending = False

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        self.planes = StackedPlanes(examples.n, examples.size)
        self.unexplained = math.inf

    @property
    def cache(self) -> StackedPlanes:
        """The planes, before a stall."""
        assert isinstance(self.planes, StackedPlanes)
        return self.planes

    @property
    def gap(self) -> float:
        """The gap, had w stood still during the last pass."""
        return self.unexplained + self.descent.gap

    def query(self, some: Examples, w: Vector) -> tuple[Sequence[Any], Vector, float]:
        """Call the oracle for some examples at w, and keep what is new.

        Returns its outputs, their slacks, and how much of them the cache did not imply, in units of
        the objective.
        """
        cache = self.cache
        known, magnitude = cache.example_slacks(w)[some.index], cache.magnitude(w)
        found = find_violated(some, some.Y, w, known + ROUNDING * magnitude)
        error = self.examples.n * self.rounding.of_largest_slack(w)
        require_unbeaten(some, some.Y, w, known, found.slacks, magnitude, error)
        new = found.violated
        outputs = [found.outputs[i] for i in new.tolist()]
        cache.add(some.index[new], found.rows, found.losses[new], outputs)
        slacks = np.maximum(found.slacks, known)
        return found.outputs, slacks, _rounded(self.cap * float((slacks - known)[new].sum()))

    def begin(self, w: Vector) -> None:
        """Start the descent on the restricted problem at w."""
        # Without any plane at w0 there is no loss to scale mu by.
        mean_loss = float(self.cache.offsets.mean()) if len(self.cache) else 1.0
        mu = START * mean_loss
        self.descent = Descent(self._restricted(), w, mu, rough(self.rounding.curvature(mu)))
        self.descending = True

    def descend(self, tolerance: float) -> None:
        """Solve the restricted problem to this gap, or for STEPS steps."""
        descent = self.descent
        descent.switch(self._restricted())
        for _ in range(STEPS):
            if descent.gap <= tolerance:
                return
            if descent.needs_lower_mu(tolerance):
                descent.lower_mu(tolerance)
            descent.step()

    def _restricted(self) -> RestrictedObjective:
        return RestrictedObjective(self.cache, self.cap)

    def prune(self) -> None:
        """Drop planes whose weight has long been negligible."""
        self.cache.prune(IDLE)

    def keep_dual(self) -> None:
        """Make the dual solution of the descent that of the run."""
        dual = self._restricted().dual  # recomputed from the weights: steps add rounding
        self.use_weights(self.cache, dual.v, dual.linear)


def _rounded(value: float) -> float:
    """The value in single precision, so that the last bits of the data do not change the path.

    Its exponent is kept: a cast of all of it would overflow where losses are large.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(float(np.float32(mantissa)), exponent)
