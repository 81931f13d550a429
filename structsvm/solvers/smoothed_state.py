"""The state of a run of L-BFGS on the smoothed objective."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from structsvm.contract.capabilities import offers
from structsvm.data.arrays import Vector
from structsvm.objective import unbounded_dual_value
from structsvm.objective.rounding import DOUBLE
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import Cuts, SoftSource
from structsvm.planes.recent import RecentPlanes
from structsvm.planes.working_set import WorkingSet
from structsvm.solvers.descent import Descent
from structsvm.solvers.dual_ascent import DualAscent
from structsvm.solvers.soft_objective import SoftObjective
from structsvm.solvers.state import State

#: An example is certain where its soft slack is at most this multiple of mu: the probability of its
#: true output is exp(-slack / mu).
CERTAIN = 0.003
#: What the multiple is multiplied by where that was too bold.
CAUTION = 0.03
#: Distributions are frozen where at least this fraction of the examples is certain.
WORTHWHILE = 0.2
#: Smallest and largest number of planes kept for the quadratic program,
KEPT = 10, 20
#: as many as take no more than this many numbers.
NUMBERS = 10_000_000
#: The dual is solved after this fraction of the passes so far,
VISIBLE = 0.1
#: within these numbers of them,
BETWEEN = 5, 15
#: or after this number of steps where the estimated gap is below a multiple of the tolerance.
OFTEN = 3
NEAR = 3.0


class SmoothedState(State):
    """The state of a run of descent.

    Attributes
    ----------
    planes : RecentPlanes or WorkingSet
        Those of the last points; after a stall the working set that continues.
    whole : SoftObjective
        Over all examples.
    descent : Descent
        On it, or for some steps on one with frozen examples.
    descending : bool
        Whether the descent has begun, and has not stalled.
    """

    planes: RecentPlanes | WorkingSet
    descent: Descent
    descending = False

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        dtype = np.float32 if self.rounding.unit > DOUBLE else np.float64
        most = int(np.clip(NUMBERS // examples.size, *KEPT))
        self.planes = RecentPlanes(C, examples.size, most, dtype)
        self.whole = SoftObjective(examples, C, examples.n, self.planes, self.rounding)
        self._solved_at = self._kept_at = 0
        self._certain = CERTAIN
        self._frozen_at = np.zeros(examples.size), math.inf

    def external(self) -> dict[str, Any]:
        return {**super().external(), "axes": self.whole.axes}

    @property
    def recent(self) -> RecentPlanes:
        """The planes, before a stall."""
        assert isinstance(self.planes, RecentPlanes)
        return self.planes

    @property
    def lowest(self) -> float:
        """The lowest P so far, or its estimate at the current point."""
        assert self.best is not None
        return min(self.best.primal, self.descent.estimate)

    @property
    def gap(self) -> float:
        """The gap, or its estimate."""
        return self.lowest - self.descent.dual

    def freeze_certain(self) -> None:
        """Freeze the distributions of the examples that are certain, where there are enough.

        Where the objective of all rose while others were frozen, these were not certain: the
        descent goes back to where it was then, and is more cautious from now on.
        """
        descent = self.descent
        if descent.point.value > self._frozen_at[1]:
            self._certain *= CAUTION
            descent.restart(self._frozen_at[0])
        point = descent.point
        sure = point.soft_slacks <= self._certain * descent.mu
        self._frozen_at = point.w, math.inf
        if WORTHWHILE * len(sure) <= np.count_nonzero(sure) < len(sure):
            self._frozen_at = point.w, point.value
            descent.switch(self.whole.frozen_but(np.flatnonzero(~sure), point, descent.mu))

    def lower_mu(self, tolerance: float) -> None:
        """Lower mu, and scale the coordinates by the curvature there."""
        self.descent.lower_mu(tolerance)
        if offers(self.examples.problem, "sum_soft_curvature"):
            point = self.descent.point
            objective = self.descent.objective
            assert isinstance(objective, SoftObjective)
            self.descent.rescale(objective.scaling(point.w, self.descent.mu))

    def solve_dual(self) -> None:
        """Find the best dual solution among the planes."""
        start = time.perf_counter()
        self.descent.dual = self.recent.solve()
        self._solved_at = len(self.history)
        self.qp_seconds += time.perf_counter() - start

    def solve_dual_where_due(self, tolerance: float) -> None:
        """Solve the dual after every tenth of the passes so far, and often near the tolerance."""
        passes = len(self.history)
        waited, most = passes - self._solved_at, np.clip(VISIBLE * passes, *BETWEEN)
        if waited >= most or (waited >= OFTEN and self.gap <= NEAR * tolerance):
            self.solve_dual()
        if passes - self._kept_at >= most:
            self.keep_dual()

    def keep_dual(self) -> None:
        """Make the dual solution that of the run."""
        self._kept_at = len(self.history)
        planes = self.recent
        v, linear = planes.dual_point()
        value = unbounded_dual_value(v, linear)
        self._keep_dual(value, v, planes.alpha.copy(), tuple(planes.sources), np.zeros(0))

    def keep_ascent(self, ascent: DualAscent) -> None:
        """Make the probabilities of an ascent the dual solution of the run."""
        names = list(self.examples.problem.outputs(self.examples.X[0]))
        v, (alpha, sources) = ascent.v, ascent.planes(names)
        self._keep_dual(unbounded_dual_value(v, ascent.linear), v, alpha, sources, np.zeros(0))

    def point_to_evaluate(self) -> Vector:
        """The best point, or the current one where the soft oracle does not return the slacks."""
        assert self.best is not None
        here = self.descent.point
        return self.best.w if math.isfinite(here.primal) else here.w

    def add_evaluated(self, w: Vector, cuts: Cuts, tolerance: float = 0.0) -> None:
        """Use the separation oracle's plane at a point: solve the dual where the gap needs it."""
        assert self.best is not None
        if w is self.best.w:
            self.best = self.best._replace(primal=math.inf)  # it was the soft oracle's
        self.keep_dual()
        self.recent.add(cuts)
        if self.objective(w, cuts.slacks) - self.dual.value > tolerance:
            self.solve_dual()
            self.keep_dual()

    def magnitude(self, w: Vector) -> float:
        return max(self.planes.magnitude(w), self.rounding.terms.at(w))

    def switch_to_one_slack(self, soft: bool) -> None:
        """Put a working set of the planes of the dual solution in place of the recent ones.

        Those of the soft oracle are left out unless ``soft``.
        """
        recent, planes = self.recent, WorkingSet(self.caps, self.constraints)
        for j in np.flatnonzero(recent.alpha).tolist():
            source = recent.sources[j]
            if soft or not isinstance(source, SoftSource):
                row, offset = recent.rows[j : j + 1], recent.offsets[j : j + 1]
                planes.add(row, offset, np.zeros(1, dtype=np.intp), [source])
        planes.spread()
        self.planes = planes
        self.solve_restricted()
