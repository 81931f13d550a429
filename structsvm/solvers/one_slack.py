"""One slack for all examples: Joachims, Finley & Yu, Machine Learning 2009."""

from __future__ import annotations

import numpy as np

from structsvm.problem import Vector
from structsvm.separation import Cuts, aggregate_cut
from structsvm.solvers.cutting_plane import CuttingPlaneSolver
from structsvm.solvers.run import Run


class OneSlackCuttingPlane(CuttingPlaneSolver):
    """One-slack cutting planes, margin or slack rescaling.

    Every pass makes one plane, the mean over the examples of their most violated outputs, so the
    quadratic program stays small for any n. It differs from Algorithm 3 (and 4) of Joachims,
    Finley & Yu (Machine Learning 2009) in two ways: it stops by the duality gap, and it queries
    the oracle halfway between the restricted optimum and the best point so far, which takes fewer
    passes.

    Parameters
    ----------
    rtol : float, default=1e-3
        Stop when the gap is at most ``rtol`` times the primal value, >= 0.
    atol : float, default=0.0
        Or when the gap is at most ``atol``, in units of the objective, >= 0.
    max_iter : int, default=10000
        Passes over the data at most, >= 1.
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

    def _cuts(self, run: Run, query: Vector) -> Cuts:
        return self._searched(run, query, aggregate_cut)

    def _is_new(self, run: Run, cuts: Cuts) -> bool:
        violation = cuts.offsets - cuts.rows @ run.w - run.working_set.slacks(run.w)
        return bool(violation[0] > self._slack_tolerance(run))

    def _advance(self, run: Run, query: Vector, cuts: Cuts) -> Vector | None:
        planes = run.working_set
        if not self._is_new(run, cuts):
            # A plane found halfway may say nothing new about w: then ask at w itself.
            return None if query is run.w else run.w
        planes.add(cuts.rows, cuts.offsets, cuts.groups, cuts.sources)
        planes.prune(self.prune_after)
        run.solve()
        assert run.best is not None
        return 0.5 * (run.w + run.best.w) if np.isfinite(run.best.primal) else run.w
