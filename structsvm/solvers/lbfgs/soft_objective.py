"""The smoothed objective of a problem with a soft oracle."""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError
from structsvm.objective import example_cap, regulariser
from structsvm.objective.rounding import AGREEMENT, LOSSY, Rounding
from structsvm.oracle.cuts import curvature, soft_cut
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import Cuts, SoftSource
from structsvm.planes.recent import RecentPlanes
from structsvm.solvers.lbfgs.descent import Point
from structsvm.solvers.lbfgs.scaling import Scaling, along_axes, rough
from structsvm.solvers.shared.program import Program
from structsvm.task.advice import advice
from structsvm.task.contradictions import SIGN

#: Number of points that are compared with the previous point.
CHECKED = 10
#: The first mu, relative to the mean loss of the first pass.
START = 0.05
#: Largest rise of the mean slack by smoothing at the first mu, as a fraction of the mean loss.
SMOOTHED = 0.12


class Frozen(NamedTuple):
    """The part of a plane that comes from examples with fixed distributions over outputs.

    Attributes
    ----------
    row : ndarray of shape (size,)
    offset : float
    source : SoftSource
    """

    row: Vector
    offset: float
    source: SoftSource

    def added_to(self, cut: Cuts, examples: Indices, w: Vector, mu: float) -> Cuts:
        """Add the plane of the frozen examples to `cut`, the plane of all other examples."""
        return cut._replace(
            rows=cut.rows + self.row,
            offsets=cut.offsets + self.offset,
            sources=[SoftSource(examples, w, mu, others=self.source)],
        )


class SoftObjective:
    """The smoothed objective of n examples, with fixed output distributions for some examples.

    The soft slack of an example with a fixed distribution is replaced by a linear function of w, a
    lower bound of the soft slack. The output distributions of all examples form a dual solution.

    Attributes
    ----------
    examples : Examples
        The examples whose distributions over outputs change with w.
    labels : sequence or None
        The labels of ``examples``. None stands for the outputs in the data.
    planes : RecentPlanes
        The one-slack planes of the points evaluated so far.
    rounding : Rounding
    frozen : Frozen or None
        The part of each plane that comes from examples with fixed distributions. None if no
        distribution is fixed.
    """

    def __init__(self, program: Program, labels: Any, planes: RecentPlanes) -> None:
        self.examples: Examples = program.examples
        self.labels, self.C, self.n = labels, program.C, program.examples.n
        self.planes, self.rounding = planes, program.rounding
        self.frozen: Frozen | None = None
        self._last: Point | None = None
        self._unchecked = CHECKED

    def least_mu(self, w: Vector) -> float:
        return self.rounding.least_mu(w)

    def at(self, w: Vector, mu: float) -> Point:
        # The planes keep the point; after this rounding they keep it exactly.
        w = w.astype(self.planes.dtype).astype(np.float64)
        point = self._point(w, mu, *soft_cut(self.examples, self.labels, w, mu, self.n))
        self._check(point)
        return point

    def _point(self, w: Vector, mu: float, cut: Cuts, soft: SoftSum) -> Point:
        soft_slack = example_cap(self.C, self.n) * float(soft.values.sum())
        if self.frozen is not None:
            cut = self.frozen.added_to(cut, self.examples.index, w, mu)
            soft_slack += self.C * (self.frozen.offset - float(self.frozen.row @ w))
        return Point.of(
            w,
            mu,
            v=self.C * cut.rows[0].astype(self.planes.dtype, copy=False),
            linear=self.C * float(cut.offsets[0]),
            slack=math.inf if soft.slacks is None else self.C * float(cut.slacks[0]),
            soft_slack=soft_slack,
            soft_slacks=soft.values,
            distribution=cut,
        )

    def _check(self, point: Point) -> None:
        """In the first steps, check that values and gradients of the soft slacks agree."""
        if not self._unchecked:
            return
        if self._last is not None and self._last.mu == point.mu:
            require_tangents(self.examples.problem, self.rounding, self._last, point)
            self._unchecked -= 1
        self._last = point if self._unchecked else None

    def keep(self, point: Point) -> float:
        self.planes.add(point.distribution)
        return self.planes.value

    def first_mu(self, point: Point, loss: float) -> float:
        """Return the temperature for the first step from `point`, if the mean loss is `loss`.

        The returned temperature is at most `point.mu`, and is lower if there are many outputs. At
        the returned temperature, smoothing adds at most about 12 % of the mean loss to the mean
        slack.
        """
        added = (point.value - point.expected) / self.C
        return point.mu * min(1.0, SMOOTHED * loss / added) if added > 0 else point.mu

    def scaling(self, w: Vector, mu: float, temperature: float | None = None) -> Scaling:
        """Return the scaling for a descent from w, computed from the curvature.

        If ``temperature`` is None, the curvature is computed at the temperature ``mu``.
        """
        if self.examples.task.curvature is None:
            return rough(self.rounding.curvature(mu))
        variances = curvature(self.examples, self.labels, w, temperature or mu)
        slacks = example_cap(self.C, self.n) / mu * variances
        return along_axes(self.examples, slacks, w)

    def frozen_but(self, places: Indices, point: Point) -> tuple[SoftObjective, Point]:
        """Freeze the examples not in `places`, and return the new objective and its point.

        The returned point has the same gradient and the same dual value as `point`.
        """
        some, labels = self.examples.labelled_subset(places, self.labels)
        part, soft = soft_cut(some, labels, point.w, point.mu, self.n)
        others = np.delete(self.examples.index, places)
        frozen = Frozen(
            row=point.distribution.rows[0] - part.rows[0],
            offset=float(point.distribution.offsets[0] - part.offsets[0]),
            source=SoftSource(others, point.w.astype(self.planes.dtype), point.mu),
        )
        other = copy.copy(self)
        other.examples, other.labels, other.frozen, other._last = some, labels, frozen, None
        return other, other._point(point.w, point.mu, part, soft)


def require_tangents(problem: Problem, rounding: Rounding, here: Point, there: Point) -> None:
    """Raise a ProblemError if a soft oracle's values contradict its expected joint features.

    The soft slacks are convex in w, and the expected joint-feature differences are minus their
    gradient. By convexity, the soft slacks rise from `here` to `there` at least by their slope at
    `here` times the distance, and at most by their slope at `there` times the distance. `here` and
    `there` must have the same smoothing temperature.
    """
    way = there.w - here.w
    rise = (there.value - regulariser(there.w)) - (here.value - regulariser(here.w))
    least, most = -float(here.v @ way), -float(there.v @ way)
    magnitude = max(rounding.terms.at(here.w), rounding.terms.at(there.w))
    error = sum(
        rounding.of_primal(point.w) * point.distribution.sources[0].error(rounding)
        for point in (here, there)
    )
    # In single precision, sums of many terms may have a larger error than this.
    error += LOSSY * rounding.unit * max(abs(rise), abs(least), abs(most))
    excess = max(least - rise, rise - most)  # inf or NaN after a step that is far too long
    if AGREEMENT * rounding.C * magnitude + error < excess < math.inf:
        raise ProblemError(
            f"the soft oracle of {type(problem).__name__} contradicts itself: between two points "
            f"w the sum of its values, times C / n, changes by {rise:.6g}, where its expected "
            f"joint-feature differences allow {least:.6g} to {most:.6g}. {advice(problem, SIGN)}"
        )
