"""One slack for all examples: Joachims, Finley & Yu, Machine Learning 2009."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.support import shared_planes
from structsvm.planes.plane import Cuts, SupportPlane
from structsvm.solvers.cutting_plane import CuttingPlaneSolver
from structsvm.solvers.state import State


class OneSlackCuttingPlane(CuttingPlaneSolver):
    """One-slack cutting planes, margin or slack rescaling.

    Every pass of loss-augmented inference makes one plane, the mean over the examples of their most
    violated outputs, so the quadratic program stays small for any n. It differs from Algorithm 3
    (and 4) of Joachims, Finley & Yu (Machine Learning 2009) in two ways: it stops by the duality
    gap, and it queries the oracle halfway between the restricted optimum and the best point so
    far, which takes fewer passes.

    Parameters
    ----------
    rtol : float, default=1e-3
        Stop when the gap is at most ``rtol`` times the primal value, >= 0 and < 1.
    atol : float, default=0.0
        Or when the gap is at most ``atol``, in units of the objective, >= 0.
    max_iter : int, default=10000
        Largest number of passes over the data, >= 1.
    time_limit : float, optional
        Seconds of wall time, > 0, tested after every pass. Default: no limit.
    prune_after : int, default=10
        Planes that were idle (alpha = 0) for more passes than this are dropped.
    rescaling : {'margin', 'slack'}, default='margin'
        'slack' needs a problem that offers ``slack_oracle``.

    References
    ----------
    Joachims, Finley & Yu, Cutting-Plane Training of Structural SVMs, Machine Learning 77, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import OneSlackCuttingPlane
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = OneSlackCuttingPlane(rtol=1e-6).solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    def __init__(
        self,
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        prune_after: int = 10,
        rescaling: str = "margin",
    ) -> None:
        super().__init__(rtol, atol, max_iter, time_limit)
        self.prune_after = prune_after
        self.rescaling = rescaling

    def _cuts(self, state: Any, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        return one_slack_cut(state.examples, state.labels, query, outputs)

    def _use_planes(self, state: State, support: Sequence[SupportPlane], factor: float) -> None:
        planes = shared_planes(state.examples, state.labels, support)
        if planes is not None:
            state.working_set.add_solution(planes, factor)
            state.solve_restricted()

    def _is_new(self, state: State, cuts: Cuts) -> bool:
        planes = state.working_set
        w = planes.solution.w
        violation = cuts.offsets - cuts.rows @ w - planes.slacks(w)
        return bool(violation[0] > self._slack_tolerance(state))

    def _advance(self, state: Any, query: Vector, cuts: Cuts) -> Vector | None:
        if not self._is_new(state, cuts):
            # A plane found halfway may not cut off w: then query w itself.
            w = state.working_set.solution.w
            return None if query is w else w
        self._add(state, cuts)
        w, best = state.working_set.solution.w, state.best
        assert best is not None
        return 0.5 * (w + best.w) if np.isfinite(best.primal) else w
