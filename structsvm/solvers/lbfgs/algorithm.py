"""L-BFGS on the smoothed objective at work: rounds of steps, and the dual solution beside them."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Generator
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
from structsvm.solvers.shared.consistency import require_agreement
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import SPARE, Record
from structsvm.solvers.shared.schedule import Schedule
from structsvm.solvers.shared.stall import Stall

logger = logging.getLogger(__name__)

#: Steps of a round, after which frozen distributions are computed again.
ROUND = 15
#: Smallest and largest number of planes kept for the dual.
KEPT = 10, 20
#: An example is certain where its soft slack is at most this multiple of mu: the probability of its
#: true output is exp(-slack / mu).
CERTAIN = 0.003
#: Distributions are frozen where at least this fraction of the examples is certain.
WORTHWHILE = 0.2


class SmoothedDescent(Algorithm):
    """Rounds of L-BFGS steps on the smoothed objective, while mu falls.

    Parameters
    ----------
    record : Record
    start : Start
        Only its point is used, not its dual solution.

    Attributes
    ----------
    planes : RecentPlanes
        The planes of the last points.
    whole : SoftObjective
        The objective of all examples.
    descent : Descent or None
        On ``whole``, or for some steps on it with frozen examples; None before the first step.
    """

    def __init__(self, record: Record, start: Start) -> None:
        super().__init__(record)
        self._point = np.zeros(record.examples.size) if start.point is None else start.point
        self.descent: Descent[SoftObjective] | None = None
        self._kept = record.examples.surrogate.temperature
        self._schedule = Schedule(record)
        self._begin_objective()

    def _begin_objective(self) -> None:
        """Begin the objective of the outputs that are held now, without a plane."""
        record, size = self.record, self.record.examples.size
        dtype = np.float32 if record.rounding.unit > DOUBLE else np.float64
        most = int(np.clip(NUMBERS // size, *KEPT))
        self.planes = record.planes = RecentPlanes(record.C, size, most, dtype)
        self.whole = SoftObjective(record, self.planes)
        self._stall, self._freezing = Stall(), Freezing()

    def passes(self) -> Passes:
        if self.record.best is None:
            yield self.first_pass(self._point)
        yield None
        descent = self.descent
        if descent is None:
            descent = self._begin()
            yield from self._start_on_sample(descent)
        # A gap of rounding errors is no reason to end: other planes may have smaller ones.
        while not (self._stall.is_reached or self.record.is_small):
            yield None
            yield from self._round(descent)
            self._stall.note(self._gap(descent))
            self._freezing.start_round(descent, self.whole)
        yield self._evaluate(descent)
        logger.debug("the descent stalled at a gap of %.3g", self._gap(descent))
        return Status.STALLED

    # ------------------------------------------------------------------ the first point

    def _begin(self) -> Descent[SoftObjective]:
        """Return the descent from the start."""
        record, whole = self.record, self.whole
        # A start may have no loss, and then the objective gives the scale.
        loss = record.loss or record.found.primal / record.C
        point = whole.at(self._point, self._kept or START * loss)
        mu = self._kept or whole.first_mu(point, loss)
        # At w = 0 and a low mu only outputs of the largest loss have a probability: with two
        # classes the variance is 0. So the curvature there is measured at a higher temperature.
        scaling = whole.scaling(point.w, mu, mu if point.w.any() or self._kept else loss)
        self.descent = Descent(whole, point, mu, scaling)
        return self.descent

    def _start_on_sample(self, descent: Descent[SoftObjective]) -> Generator[Pass, None, None]:
        """Take the first steps from w = 0 on a sample, where examples are many.

        Where they have led to a higher value, the descent returns to its start.
        """
        start = descent.point
        sample = None if start.w.any() else sample_of(self.whole)
        if sample is None:
            return
        descent.switch(sample)
        for _ in range(STEPS):
            descent.step()
            yield self._step(descent)
        descent.switch(self.whole)
        if descent.point.value > start.value:
            descent.restart(start.w)
        yield self._step(descent)
        self._freezing.start_round(descent, self.whole)

    # ------------------------------------------------------------------ a round of steps

    def _round(self, descent: Descent[SoftObjective]) -> Generator[Pass, None, None]:
        """Take up to ROUND steps; near the tolerance, solve the dual and evaluate the primal."""
        for _ in range(ROUND):
            descent.step()
            self._solve_dual_where_due(descent)
            yield self._step(descent)
            if self._is_near(descent):
                break
            if not self._kept and descent.needs_lower_mu(self._goal(descent)):
                # Where the soft oracle does not return P, the estimate may be what is too large.
                if not math.isfinite(descent.point.primal) and descent.objective is self.whole:
                    yield self._evaluate(descent)
                if descent.needs_lower_mu(self._goal(descent)):
                    descent.lower_mu(self._goal(descent))
        if descent.objective is not self.whole:
            # Frozen examples may have become uncertain, and only all together give the gap.
            descent.switch(self.whole)
            yield self._step(descent)
        self._solve_dual_where_due(descent)
        if self._is_near(descent):
            yield self._evaluate(descent)

    def _step(self, descent: Descent[SoftObjective]) -> Pass:
        point = descent.point
        return Pass(self.record.add_pass(point.w, point.distribution), point.w, False)

    # ------------------------------------------------------------------ the gap

    def _lowest(self, descent: Descent[SoftObjective]) -> float:
        """The lowest P so far, or its estimate at the current point, and its rounding error."""
        best = self.record.found
        return min(best.primal, descent.estimate + best.rounding)

    def _gap(self, descent: Descent[SoftObjective]) -> float:
        """The gap, or its estimate, rounding errors included."""
        return self._lowest(descent) - self.record.dual.value

    def _goal(self, descent: Descent[SoftObjective]) -> float:
        return self.record.allowed(self._lowest(descent))

    def _is_near(self, descent: Descent[SoftObjective]) -> bool:
        """Whether the gap seems to be within the tolerance."""
        return self._gap(descent) <= self._goal(descent)

    # ------------------------------------------------------------------ the dual solution

    def _solve_dual(self, descent: Descent[SoftObjective]) -> None:
        """Find the best dual solution among the planes."""
        start = time.perf_counter()
        descent.dual = self.planes.solve()
        self.record.qp_seconds += time.perf_counter() - start

    def _solve_dual_where_due(self, descent: Descent[SoftObjective]) -> None:
        if self._schedule.is_due(self._gap(descent), self._goal(descent)):
            self._solve_dual(descent)
            self._publish()
            self._schedule.done()

    def _publish(self) -> None:
        """Publish the dual solution among the planes as the run's."""
        planes = self.planes
        v, linear = planes.dual_point()
        value = unbounded_dual_value(v, linear)
        self.record.publish(value, v, planes.alpha.copy(), tuple(planes.sources))

    # ------------------------------------------------------------------ the certificate

    def _evaluate(self, descent: Descent[SoftObjective]) -> Pass:
        """Evaluate P by the separation oracle: the pass that may be the last."""
        record, w = self.record, self._point_to_evaluate(descent)
        cuts = one_slack_cut(record.examples, record.labels, w)
        self._use(descent, w, cuts, self._goal(descent))
        iteration = record.add_pass(w, cuts)
        self._require_agreement()
        if w is descent.point.w:
            descent.calibrate(iteration.primal)
        return Pass(iteration, w, iteration.gap <= record.tolerance)

    def _point_to_evaluate(self, descent: Descent[SoftObjective]) -> Vector:
        """The best point, or the current one where the soft oracle does not return the slacks."""
        here = descent.point
        return self.record.found.w if math.isfinite(here.primal) else here.w

    def _use(
        self, descent: Descent[SoftObjective], w: Vector, cuts: Cuts, tolerance: float = 0.0
    ) -> None:
        """Use the separation oracle's plane at a point: solve the dual where the gap needs it."""
        record = self.record
        if w is record.found.w:
            record.reevaluate()  # its objective came from the soft oracle
        self._publish()
        self.planes.add(cuts)
        if record.objective(w, cuts.slacks) - record.dual.value > tolerance:
            self._solve_dual(descent)
            self._publish()

    def _require_agreement(self) -> None:
        w = self.record.found.w
        require_agreement(self.record, planes=self.planes.magnitude(w))

    def complete(self) -> None:
        if self.descent is None:
            return
        w = self._point_to_evaluate(self.descent)
        self._certify(self.descent, w)
        if self.record.found.w is not w:  # its value may come from the soft slacks
            self._certify(self.descent, self.record.found.w)

    def _certify(self, descent: Descent[SoftObjective], w: Vector) -> None:
        """Evaluate P at a point outside of the passes."""
        record = self.record
        cuts = one_slack_cut(record.examples, record.labels, w)
        self._use(descent, w, cuts)
        record.consider(w, cuts)
        self._require_agreement()

    def handover(self) -> Start:
        """Return the best point and the planes of the dual solution.

        At a low mu the soft oracle's planes may be too rough to be part of the certificate: then
        they are left out. The objective may fall as far as the dual value, and the tolerance too.
        """
        record, planes = self.record, self.planes
        rough = record.dual.rounding > SPARE * record.allowed(record.dual.value)
        places = [
            j
            for j in np.flatnonzero(planes.alpha).tolist()
            if not (rough and isinstance(planes.sources[j], SoftSource))
        ]
        return Start(
            record.found.w,
            planes=WeightedPlanes(
                rows=planes.rows[places],
                offsets=planes.offsets[places],
                alpha=planes.alpha[places],
                groups=np.zeros(len(places), dtype=np.intp),
                sources=[planes.sources[j] for j in places],
            ),
        )


class Before(NamedTuple):
    """A point at which examples were frozen, and the objective of all examples there."""

    w: Vector
    value: float


class Freezing:
    """Freezes the certain examples between the rounds of a descent."""

    def __init__(self) -> None:
        self._certain = CERTAIN
        self._before: Before | None = None

    def start_round(self, descent: Descent[SoftObjective], whole: SoftObjective) -> None:
        """Freeze the certain examples, if they are many; the descent is on all examples so far.

        If their objective has risen since some were frozen, these were not certain: the descent
        returns to where it was then, and no example is frozen in this round. From then on only
        examples with soft slack 0 are certain.
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
