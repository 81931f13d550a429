"""One slack per example: Tsochantaridis, Joachims, Hofmann & Altun, JMLR 2005."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import n_slack_cuts
from structsvm.oracle.support import example_planes
from structsvm.planes.plane import Cuts, SupportPlane
from structsvm.solvers.cutting_plane import CuttingPlaneSolver
from structsvm.solvers.state import State


class NSlackCuttingPlane(CuttingPlaneSolver):
    """N-slack cutting planes, margin or slack rescaling.

    Every pass adds a plane for each example whose slack is not yet explained, then solves the
    quadratic program once. It needs fewer passes than one slack, and a quadratic program whose
    memory grows with the square of n: for expensive oracles, and n up to a few thousand. It
    differs from
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

    def _cuts(self, state: State, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        thresholds = state.working_set.slacks(query) + self._slack_tolerance(state)
        return n_slack_cuts(state.examples, state.labels, query, thresholds, outputs)

    def _use_planes(self, state: State, support: Sequence[SupportPlane], factor: float) -> None:
        for planes in example_planes(state.examples, state.labels, support):
            state.working_set.add_solution(planes, factor)
        state.solve_restricted()

    def _is_new(self, state: State, cuts: Cuts) -> bool:
        return len(cuts.offsets) > 0

    def _advance(self, state: State, query: Vector, cuts: Cuts) -> Vector | None:
        if self._is_new(state, cuts):
            self._add(state, cuts)
        w = state.working_set.solution.w
        return None if query is w else w
