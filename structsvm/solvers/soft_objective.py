"""The smoothed objective of a problem with a soft oracle, for a descent."""

from __future__ import annotations

import math

import numpy as np

from structsvm.capabilities import offers
from structsvm.objective import example_cap
from structsvm.oracle.cuts import curvature, soft_cut
from structsvm.oracle.examples import Examples
from structsvm.planes.recent import RecentPlanes
from structsvm.problem import Indices, Vector
from structsvm.rounding import Rounding
from structsvm.solvers.descent import Point
from structsvm.solvers.scaling import Scaling, measured, rough


class SoftObjective:
    """The smoothed objective with the soft slacks of some of n examples, those of the others 0.

    Attributes
    ----------
    examples : Examples
    planes : RecentPlanes
        The one-slack planes of the points passed.
    rounding : Rounding
    """

    def __init__(
        self, examples: Examples, C: float, n: int, planes: RecentPlanes, rounding: Rounding
    ) -> None:
        self.examples, self.C, self.n = examples, C, n
        self.planes, self.rounding = planes, rounding

    def least_mu(self, w: Vector) -> float:
        return self.rounding.least_mu(w)

    def at(self, w: Vector, mu: float) -> Point:
        # The planes keep the point, which is exact in their precision then.
        w = w.astype(self.planes.dtype).astype(np.float64)
        cut, soft = soft_cut(self.examples, self.examples.Y, w, mu, self.n)
        return Point.of(
            w,
            v=self.C * cut.rows[0],
            linear=self.C * float(cut.offsets[0]),
            slack=math.inf if soft.slacks is None else self.C * float(cut.slacks[0]),
            soft_slack=example_cap(self.C, self.n) * float(soft.values.sum()),
            soft_slacks=soft.values,
            distribution=cut,
        )

    def keep(self, point: Point) -> float:
        self.planes.add(point.distribution)
        return self.planes.value

    def scaling(self, w: Vector, mu: float) -> Scaling:
        """Scales of the coordinates for a descent from w."""
        if not offers(self.examples.problem, "sum_soft_curvature"):
            return rough(self.rounding.curvature(mu))
        return measured(1 + example_cap(self.C, self.n) / mu * curvature(self.examples, w, mu))

    def over(self, places: Indices) -> SoftObjective:
        """The same with the other examples left out."""
        return SoftObjective(
            self.examples.subset(places), self.C, self.n, self.planes, self.rounding
        )

    def of_sample(self, places: Indices) -> SoftObjective:
        """The objective of some examples in place of all, with planes of its own."""
        C = example_cap(self.C, len(places)) * self.n
        planes = RecentPlanes(C, self.examples.size, self.planes.most, self.planes.dtype)
        return SoftObjective(self.examples.subset(places), C, self.n, planes, self.rounding)
