"""N-slack cutting planes for an expensive oracle, the restricted problem smoothed."""

from __future__ import annotations

from structsvm.docstrings import documented
from structsvm.solvers.cached_planes.algorithm import CachedPlanes
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.solver import Solver


@documented
class SmoothedCuttingPlane(Solver):
    """N-slack cutting planes for an expensive oracle; the restricted problem is smoothed.

    Every output that the oracle finds is kept for its example. The oracle is called for a
    sixteenth of the examples at a time, or for a thirty-second where it is declared expensive and
    outputs are pooled, and in between w moves to where the problem restricted to the outputs found
    is nearly solved, by L-BFGS on its smoothed objective. That takes few passes
    of the oracle, and more time between them than other solvers do. While the gap at w may be
    within the tolerance, by what was found there, w stands still; once all examples have been
    queried at one w the objective is known there, as it is after a quarter of the passes so far
    from the tenth on. In ``history`` the primal value of the other passes is infinite.

    Where the problem offers :meth:`structsvm.Problem.refine`, it is called for the outputs found
    last whenever w has moved. Where the problem pools outputs, by
    :meth:`structsvm.Problem.pool_outputs`, w moves to where no output of the pool is more violated
    for any example, so that the oracle is called for what nobody has found. Then the first w is not
    0 but trained on the true outputs of all examples.

    Where the descent stalls, :class:`OneSlackCuttingPlane` goes on from the best w, with planes
    that nearly make the dual solution reached. Margin rescaling, and problems without constraints
    or bounds on w. The outputs kept take memory that grows with n and with the number of passes,
    until all outputs left have weight in the solution.

    Shared parameters and attributes are added at import: see ``help``.

    References
    ----------
    The cache of outputs follows Shah, Kolmogorov & Lampert, A multi-plane block-coordinate
    Frank-Wolfe algorithm for training structural SVMs with a costly max-oracle, CVPR 2015; here
    the problem restricted to it is solved as a whole.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import SmoothedCuttingPlane
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = SmoothedCuttingPlane().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    requires = Requirements(unconstrained=True)
    then = OneSlackCuttingPlane

    def begin(self, record: Record, start: Start) -> CachedPlanes:
        return CachedPlanes(record, start)
