"""The smoothed objective of a problem with a soft oracle, for a descent."""

from __future__ import annotations

import copy
import math
from typing import NamedTuple

import numpy as np

from structsvm.contract.capabilities import offers
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError
from structsvm.objective import example_cap
from structsvm.objective.rounding import Rounding
from structsvm.oracle.call import Call
from structsvm.oracle.cuts import curvature, curvature_axes, soft_cut
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import Cuts, SoftSource
from structsvm.planes.recent import RecentPlanes
from structsvm.solvers.consistency import require_tangents
from structsvm.solvers.descent import Point
from structsvm.solvers.scaling import ENTRIES, Scaling, measured, rough

#: Number of points that are compared with the one before.
CHECKED = 10


class Frozen(NamedTuple):
    """The part of a plane that examples with fixed distributions make.

    Attributes
    ----------
    row : ndarray of shape (size,)
    offset : float
    source : SoftSource
    """

    row: Vector
    offset: float
    source: SoftSource

    def added_to(self, cut: Cuts) -> Cuts:
        """The plane of the other examples with this part."""
        source = cut.sources[0]
        assert isinstance(source, SoftSource)
        return cut._replace(
            rows=cut.rows + self.row,
            offsets=cut.offsets + self.offset,
            sources=[source._replace(others=self.source)],
        )


class SoftObjective:
    """The smoothed objective of n examples, of which some may have frozen distributions.

    The expected slacks of these, which are linear in w, take the place of their soft slacks: a
    lower bound. With the other examples' distributions they are a point of the dual still.

    Attributes
    ----------
    examples : Examples
        Those that are not frozen.
    planes : RecentPlanes
        The one-slack planes of the points passed.
    rounding : Rounding
    frozen : Frozen or None
        The part of the examples with frozen distributions.
    axes : Axes
        Those that the problem suggests for scaling.
    """

    def __init__(
        self,
        examples: Examples,
        C: float,
        n: int,
        planes: RecentPlanes,
        rounding: Rounding,
    ) -> None:
        self.examples, self.C, self.n = examples, C, n
        self.planes, self.rounding = planes, rounding
        self.frozen: Frozen | None = None
        self.axes = curvature_axes(examples) or ENTRIES
        self._last: tuple[Point, float] | None = None
        self._unchecked = CHECKED

    def least_mu(self, w: Vector) -> float:
        return self.rounding.least_mu(w)

    def at(self, w: Vector, mu: float) -> Point:
        # The planes keep the point, which is exact in their precision then.
        w = w.astype(self.planes.dtype).astype(np.float64)
        cut, soft = soft_cut(self.examples, self.examples.Y, w, mu, self.n)
        soft_slack = example_cap(self.C, self.n) * float(soft.values.sum())
        if self.frozen is not None:
            cut = self.frozen.added_to(cut)
            soft_slack += self.C * (self.frozen.offset - float(self.frozen.row @ w))
        point = Point.of(
            w,
            v=self.C * cut.rows[0].astype(self.planes.dtype, copy=False),
            linear=self.C * float(cut.offsets[0]),
            slack=math.inf if soft.slacks is None else self.C * float(cut.slacks[0]),
            soft_slack=soft_slack,
            soft_slacks=soft.values,
            distribution=cut,
        )
        self._check(point, mu)
        return point

    def _check(self, point: Point, mu: float) -> None:
        """Compare the first points, each with the one before: an oracle is mostly wrong at all."""
        if not self._unchecked:
            return
        if self._last is not None and self._last[1] == mu:
            require_tangents(self.examples.problem, self.rounding, self._last[0], point)
            self._unchecked -= 1
        self._last = (point, mu) if self._unchecked else None

    def keep(self, point: Point) -> float:
        self.planes.add(point.distribution)
        return self.planes.value

    def scaling(self, w: Vector, mu: float, temperature: float | None = None) -> Scaling:
        """Scales of the coordinates for a descent from w.

        They are those of the distributions at the temperature given, by default mu.
        """
        if not offers(self.examples.problem, "sum_soft_curvature"):
            return rough(self.rounding.curvature(mu))
        variances = curvature(self.examples, w, temperature or mu)
        slacks = example_cap(self.C, self.n) / mu * variances
        return measured(1 + self._along(slacks, w), self.axes)

    def _along(self, slacks: Vector, w: Vector) -> Vector:
        """The curvature of the slacks along the axes that the problem suggests."""
        with Call(self.examples.problem, "curvature_axes", hint="in along or times") as call:
            along = np.asarray(self.axes.along(slacks))
            if along.ndim != 1 or not np.all(along >= 0):
                raise ProblemError(
                    "curvature_axes: along must return the curvature of each group of axes, of "
                    f"shape (m,) and >= 0; it returned {along!r:.80}; {call.remedy}"
                )
            self.axes.times(np.ones_like(along), w)  # to name it where it refuses this shape
        return along

    def frozen_but(self, places: Indices, point: Point, mu: float) -> SoftObjective:
        """The same with the distributions of all other examples as they are at a point of it."""
        some = self.examples.subset(places)
        part, _ = soft_cut(some, some.Y, point.w, mu, self.n)
        others = np.delete(self.examples.index, places)
        frozen = Frozen(
            row=point.distribution.rows[0] - part.rows[0],
            offset=float(point.distribution.offsets[0] - part.offsets[0]),
            source=SoftSource(others, point.w.astype(self.planes.dtype), mu),
        )
        return self._with(some, frozen)

    def of_sample(self, places: Indices) -> SoftObjective:
        """The objective of some examples in place of all, with planes of its own."""
        sample = self._with(self.examples.subset(places))
        sample.C = example_cap(self.C, len(places)) * self.n
        kept = self.planes
        sample.planes = RecentPlanes(sample.C, self.examples.size, kept.most, kept.dtype)
        return sample

    def _with(self, examples: Examples, frozen: Frozen | None = None) -> SoftObjective:
        other = copy.copy(self)
        other.examples, other.frozen, other._last = examples, frozen, None
        return other
