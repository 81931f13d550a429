"""The algorithm of SmoothedLBFGS: rounds of L-BFGS steps, and a dual solution."""

from __future__ import annotations

import logging
import math
import time
from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import unbounded_dual_value
from structsvm.objective.rounding import DOUBLE
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.plane import Cuts, SoftSource, WeightedPlanes
from structsvm.planes.recent import RecentPlanes
from structsvm.results.status import Status
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.inverse_hessian import NUMBERS
from structsvm.solvers.lbfgs.sampling import STEPS, sample_of
from structsvm.solvers.lbfgs.soft_objective import START, SoftObjective
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_agreement
from structsvm.solvers.shared.program import SPARE, Program
from structsvm.solvers.shared.schedule import Schedule
from structsvm.solvers.shared.stall import Stall

logger = logging.getLogger(__name__)

#: Number of steps in a round. After each round frozen distributions are computed again.
ROUND = 15
#: Smallest and largest number of planes kept for the dual.
KEPT = 10, 20
#: An example is certain if its soft slack is at most this multiple of mu. The probability of its
#: true output is exp(-slack / mu).
CERTAIN = 0.003
#: Distributions are frozen if at least this fraction of the examples is certain.
WORTHWHILE = 0.2


class SmoothedDescent(Algorithm):
    """The algorithm that makes rounds of L-BFGS steps at a falling smoothing temperature.

    Parameters
    ----------
    program : Program
    start : Start
        The start of the run. The algorithm uses the vector w of the start, but not the dual
        solution.

    Attributes
    ----------
    planes : RecentPlanes
        The soft oracle's planes from recent steps.
    whole : SoftObjective
        The smoothed objective of all examples.
    descent : Descent
        The descent on ``whole``, set by the first pass. Some steps use only a sample, or keep the
        output distributions of some examples fixed.
    """

    planes: RecentPlanes
    descent: Descent[SoftObjective]

    def __init__(self, program: Program, start: Start) -> None:
        super().__init__(program, start)
        self._kept = program.examples.surrogate.temperature
        self._schedule = Schedule()
        self._due = self._then = "_begin"  # the next method, and the method after an evaluation
        self._steps = 0  # steps in this round
        self._is_evaluated = False
        self._begin_objective()

    def _begin_objective(self) -> None:
        """Begin with the objective for the current labels, and without planes."""
        program, size = self.program, self.program.examples.size
        dtype = np.float32 if program.rounding.unit > DOUBLE else np.float64
        most = int(np.clip(NUMBERS // size, *KEPT))
        self.planes = RecentPlanes(program.C, size, most, dtype)
        self.whole = SoftObjective(program, self.labels, self.planes)
        self._stall, self._freezing = Stall(), Freezing()

    def continued_by(self, other: SmoothedDescent) -> SmoothedDescent:
        if hasattr(self, "descent"):
            other.descent = self.descent.in_double(other.whole)
        return other

    def step(self, bounds: Bounds) -> Step | Status:
        if bounds.w is None:
            return self._first_step()
        found: Step | Status | None = None
        self._is_evaluated = False
        while found is None:
            found = getattr(self, self._due)(bounds)
        return found

    # Each of these methods makes a pass or none, and sets the method that is due next.

    def _begin(self, bounds: Bounds) -> None:
        """Begin the descent on all examples, or on a sample if n is large and w = 0."""
        program, whole, w = self.program, self.whole, self.point
        if hasattr(self, "descent"):
            self.descent.restart(w)
            self._due = "_begin_round"
            return
        # If the start has no loss, the objective gives the scale.
        loss = program.loss or bounds.primal / program.C
        point = whole.at(w, self._kept or START * loss)
        mu = self._kept or whole.first_mu(point, loss)
        # At w = 0 and a low mu only outputs of the largest loss have a probability, and with two
        # classes the variance is 0. So the curvature at 0 is measured at a higher temperature.
        scaling = whole.scaling(point.w, mu, mu if point.w.any() or self._kept else loss)
        self.descent = Descent(whole, point, mu, scaling)
        sample = None if point.w.any() else sample_of(whole)
        self._due = "_begin_round"
        if sample is not None:
            self._at_start, self._due = self.descent.point, "_step_on_sample"
            self.descent.switch(sample)

    def _step_on_sample(self, bounds: Bounds) -> Step:
        """Take a step on the sample, or return to the start if the steps raised the objective."""
        descent, start = self.descent, self._at_start
        if self._steps < STEPS:
            self._steps += 1
            descent.step()
            return self._passed("_step_on_sample")
        descent.switch(self.whole)
        if descent.point.value > start.value:
            descent.restart(start.w)
        return self._passed("_freeze")

    def _begin_round(self, bounds: Bounds) -> Status | None:
        if self.program.needs_double(bounds):
            return Status.STALLED
        # A gap due to rounding is no reason to end, because other planes may round less.
        is_over = self._stall.is_reached or self.program.is_small(bounds)
        self._steps, self._due, self._then = 0, "_evaluate" if is_over else "_descend", "_end"
        return None

    def _descend(self, bounds: Bounds) -> Step:
        self._steps += 1
        self.descent.step()
        self._solve_dual_where_due(bounds)
        return self._passed("_go_on")

    def _go_on(self, bounds: Bounds) -> None:
        """Decide whether to end the round, to lower the temperature, or to take another step."""
        descent = self.descent
        if self._is_near(bounds):
            self._due = "_end_round"
        elif self._kept or not descent.needs_lower_mu(self._goal(bounds)):
            self._due = "_descend" if self._steps < ROUND else "_end_round"
        elif not math.isfinite(descent.point.primal) and descent.objective is self.whole:
            # The soft oracle does not return P, and the estimate of P may be too high.
            self._due, self._then = "_evaluate", "_lower_mu"
        else:
            self._due = "_lower_mu"

    def _lower_mu(self, bounds: Bounds) -> None:
        goal = self._goal(bounds)
        if self.descent.needs_lower_mu(goal):
            self.descent.lower_mu(goal)
        self._due = "_descend" if self._steps < ROUND else "_end_round"

    def _end_round(self, bounds: Bounds) -> Step | None:
        self._due = "_certify_round"
        if self.descent.objective is self.whole:
            return None
        # Frozen examples may have become uncertain, and the gap needs all examples.
        self.descent.switch(self.whole)
        return self._passed("_certify_round")

    def _certify_round(self, bounds: Bounds) -> None:
        self._solve_dual_where_due(bounds)
        self._due, self._then = "_note_round", "_note_round"
        if self._is_near(bounds):
            self._due = "_evaluate"

    def _note_round(self, bounds: Bounds) -> None:
        self._stall.note(self._gap(bounds))
        self._due = "_freeze"

    def _freeze(self, bounds: Bounds) -> None:
        self._freezing.start_round(self.descent, self.whole)
        self._due = "_begin_round"

    def _evaluate(self, bounds: Bounds) -> Step:
        """Evaluate the objective by the separation oracle, in a pass that may end the run."""
        w, goal = self._point_to_evaluate(bounds), self._goal(bounds)
        self._due, self._is_evaluated = self._then, True
        self._is_current = w is self.descent.point.w
        return self._used(bounds, w, one_slack_cut(self.program.examples, self.labels, w), goal)

    def _end(self, bounds: Bounds) -> Status:
        logger.debug("the descent stalled at a gap of %.3g", self._gap(bounds))
        return Status.STALLED

    def _passed(self, due: str) -> Step:
        """Return the report of a pass at the current point; the method `due` is called next."""
        self._due = due
        point = self.descent.point
        return self.found(point.w, point.distribution)

    # ------------------------------------------------------------------ the gap

    def _lowest(self, bounds: Bounds) -> float:
        """Return the lowest objective so far, or the estimate at the current w if it is lower."""
        return min(bounds.primal, self.descent.estimate + bounds.rounding)

    def _gap(self, bounds: Bounds) -> float:
        """Return the gap or its estimate, rounding errors included."""
        return self._lowest(bounds) - self.dual.value

    def _goal(self, bounds: Bounds) -> float:
        return self.program.allowed(self._lowest(bounds))

    def _is_near(self, bounds: Bounds) -> bool:
        """Whether the gap seems to be within the tolerance."""
        return self._gap(bounds) <= self._goal(bounds)

    # ------------------------------------------------------------------ the dual solution

    def _solve_dual(self) -> None:
        """Find the best dual solution with the stored planes."""
        start = time.perf_counter()
        self.descent.dual = self.planes.solve()
        self.program.examples.tally.seconds["qp"] += time.perf_counter() - start
        self._publish()

    def _solve_dual_where_due(self, bounds: Bounds) -> None:
        passes = len(bounds.history)
        if self._schedule.is_due(passes, self._gap(bounds), self._goal(bounds)):
            self._solve_dual()
            self._schedule.done(passes)

    def _publish(self) -> None:
        """Store the dual solution given by the planes and their dual variables."""
        planes = self.planes
        v, linear = planes.dual_point()
        value = unbounded_dual_value(v, linear)
        self.publish(value, v, planes.alpha.copy(), tuple(planes.sources))

    # ------------------------------------------------------------------ the certificate

    def _point_to_evaluate(self, bounds: Bounds) -> Vector:
        """Return the best point, or the current point if the soft oracle returns no slacks."""
        here = self.descent.point
        return bounds.w if math.isfinite(here.primal) else here.w

    def _used(self, bounds: Bounds, w: Vector, cuts: Cuts, tolerance: float = 0.0) -> Step:
        """Add the separation oracle's plane at a point; if the gap is too large, solve the dual."""
        if w is bounds.w:  # its objective was computed by the soft oracle
            bounds = bounds._replace(primal=math.inf)
        self._publish()
        self.planes.add(cuts)
        primal, _ = self.program.objective(w, cuts.slacks, self.dual)
        if primal - self.dual.value > tolerance:
            self._solve_dual()
        return self.found(w, cuts, bounds)

    def conclude(self, bounds: Bounds) -> tuple[Bounds, bool]:
        """Check the soft oracle against the separation oracle, and calibrate ``descent``."""
        if not self._is_evaluated:
            return bounds, False
        require_agreement(self.program, bounds, self.planes)
        if self._is_current:
            self.descent.calibrate(bounds.history[-1].primal)
        return bounds, bounds.gap <= self.program.allowed(bounds.primal)

    def complete(self, bounds: Bounds) -> Bounds:
        if self._due == "_begin":
            return bounds
        w = self._point_to_evaluate(bounds)
        bounds = self._considered(bounds, w)
        if bounds.w is not w:  # its objective may come from the soft slacks
            bounds = self._considered(bounds, bounds.w)
        return bounds

    def _considered(self, bounds: Bounds, w: Vector) -> Bounds:
        """Evaluate the objective at w, without counting a pass, and return the new bounds."""
        found = self._used(bounds, w, one_slack_cut(self.program.examples, self.labels, w))
        assert found.before is not None
        bounds, _ = self.program.considered(found.before, found)
        require_agreement(self.program, bounds, self.planes)
        return bounds

    def handover(self, bounds: Bounds) -> Start:
        """Return the best w and the planes of the dual solution.

        If the rounding error of the dual value exceeds a tenth of the gap's tolerance, the planes
        of the soft oracle are not returned. Rounding errors are large if the smoothing temperature
        is low.
        """
        dual, planes = self.dual, self.planes
        rough = dual.rounding > SPARE * self.program.allowed(dual.value)
        soft = np.array([isinstance(source, SoftSource) for source in planes.sources], dtype=bool)
        places = np.flatnonzero((planes.alpha != 0) & ~(rough & soft))
        rows, offsets, alpha = (
            part[places] for part in (planes.rows, planes.offsets, planes.alpha)
        )
        groups, sources = np.zeros(len(places), dtype=np.intp), [planes.sources[j] for j in places]
        kept = WeightedPlanes(rows, offsets, alpha, groups, sources)
        return Start(bounds.w, planes=kept, labels=self.labels)


class Before(NamedTuple):
    """The weights w and the objective before the last round with fixed distributions."""

    w: Vector
    value: float


class Freezing:
    """The rule for freezing the distributions of examples with almost certain outputs."""

    def __init__(self) -> None:
        self._certain = CERTAIN
        self._before: Before | None = None

    def start_round(self, descent: Descent[SoftObjective], whole: SoftObjective) -> None:
        """If many examples have almost certain outputs, keep their distributions fixed for a round.

        If a round with fixed distributions has raised the smoothed objective, the descent returns
        to the w before the round. After a round that raised the objective, later rounds fix only
        the distributions of examples with a smoothed slack of 0.
        """
        before, self._before = self._before, None
        if before is not None and descent.point.value > before.value:
            self._certain = 0.0
            descent.restart(before.w)
            return
        point = descent.point
        certain = point.soft_slacks <= self._certain * point.mu
        if WORTHWHILE * len(certain) <= np.count_nonzero(certain) < len(certain):
            self._before = Before(point.w, point.value)
            frozen = whole.frozen_but(np.flatnonzero(~certain), point)
            descent.objective, descent.point = frozen
