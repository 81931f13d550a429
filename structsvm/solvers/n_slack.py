"""One slack per example: Tsochantaridis, Joachims, Hofmann & Altun, JMLR 2005."""

from __future__ import annotations

from functools import partial

import numpy as np

from structsvm.problem import Vector
from structsvm.separation import Cuts, example_cuts
from structsvm.solvers.cutting_plane import CuttingPlaneSolver
from structsvm.solvers.run import Run


class NSlackCuttingPlane(CuttingPlaneSolver):
    """N-slack cutting planes, margin or slack rescaling.

    Every pass adds a plane for each example whose slack is not yet explained, then solves the
    quadratic program once. It needs fewer passes than one slack, and a quadratic program whose
    memory grows with the square of n: for dear oracles, and n up to a few thousand. It differs from
    Algorithm 1 of Tsochantaridis et al. (JMLR 2005) in that it stops by the duality gap and solves
    the quadratic program once per pass, not after every example.

    Parameters
    ----------
    rtol, atol, max_iter, time_limit, rescaling
        As in :class:`OneSlackCuttingPlane`.
    prune_after : int, default=1
        Planes that were idle (alpha = 0) for more passes than this are dropped.
    """

    def __init__(
        self,
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        prune_after: int = 1,
        rescaling: str = "margin",
    ) -> None:
        super().__init__(rtol, atol, max_iter, time_limit)
        self.prune_after = prune_after
        self.rescaling = rescaling

    def _group_sizes(self, n: int) -> Vector:
        return np.ones(n)

    def _cuts(self, run: Run, query: Vector) -> Cuts:
        thresholds = run.working_set.slacks(query) + self._slack_tolerance(run)
        return self._searched(run, query, partial(example_cuts, thresholds=thresholds))

    def _is_new(self, run: Run, cuts: Cuts) -> bool:
        return len(cuts.offsets) > 0

    def _advance(self, run: Run, query: Vector, cuts: Cuts) -> Vector | None:
        planes = run.working_set
        if not self._is_new(run, cuts):
            return None if query is run.w else run.w
        planes.add(cuts.rows, cuts.offsets, cuts.groups, cuts.sources)
        planes.prune(self.prune_after)
        run.solve()
        return run.w
