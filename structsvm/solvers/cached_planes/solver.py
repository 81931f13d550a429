"""N-slack cutting planes for an expensive oracle, the restricted problem smoothed."""

from __future__ import annotations

from structsvm.docstrings import documented
from structsvm.solvers.cached_planes.algorithm import CachedPlanes
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.solver import Solver


@documented
class SmoothedCuttingPlane(Solver):
    """N-slack cutting planes for an expensive oracle; the restricted problem is smoothed.

    Every output that the oracle finds is kept for its example. The oracle is called for a
    sixteenth of the examples at a time, or a thirty-second if it is declared expensive and outputs
    are pooled. In between, L-BFGS nearly solves the problem restricted to the outputs found, on its
    smoothed objective. This takes few passes of the oracle, and more time between them than other
    solvers take.

    The objective is known at a w where all examples were queried: w stands still for that while the
    gap may be within the tolerance, and, from the tenth pass on, after every further quarter of the
    passes so far. In ``history`` the primal value of other passes is infinite.

    :meth:`structsvm.Task.refine`, where defined, is called for the last outputs whenever w has
    moved. If the problem pools outputs, by :meth:`structsvm.Task.pool_outputs`, w moves until no
    pooled output is more violated for any example, so that the oracle searches for new outputs
    only; the first w is then trained on the true outputs of all examples, not 0.

    If the descent stalls, :class:`OneSlackCuttingPlane` goes on from the best w, with planes that
    nearly make the dual solution reached. For margin rescaling, and problems without constraints or
    bounds on w. Memory for the outputs grows with n and with the number of passes, until every
    output that is left has weight in the solution.

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

    def begin(self, program: Program, start: Start) -> CachedPlanes:
        return CachedPlanes(program, start)
