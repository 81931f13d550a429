"""N-slack cutting planes for an expensive oracle, with a smoothed restricted problem."""

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
    """N-slack cutting planes for an expensive oracle, with a smoothed restricted problem.

    The solver keeps every output that the oracle finds for an example. The oracle is called for one
    of 16 mini-batches at a time. If the oracle is declared expensive and the task defines
    ``pool_outputs``, there are 32 mini-batches. Between two calls of the oracle, L-BFGS minimises
    the smoothed objective of the problem restricted to the outputs found so far. This solver needs
    few passes of the oracle, but much time between the passes.

    The objective is known only after the oracle was called for all examples at the same w. As long
    as the gap seems to be within the tolerance, the solver does not change w, in order to evaluate
    the objective at w. After ten passes, and then whenever the number of passes has grown by a
    quarter, w does not change for a whole pass. If w changes during a pass, the primal value of the
    pass in ``history`` is infinite.

    If the task defines :meth:`structsvm.Task.refine`, the solver refines the last outputs whenever
    w has moved. If :meth:`structsvm.Task.pool_outputs` pools outputs, the solver searches the pool
    for each example between calls of the oracle. The oracle only has to find outputs that are not
    in the pool. With a pool, the first w is trained on a pool of all true outputs, instead of being
    set to 0.

    If the descent stalls, :class:`OneSlackCuttingPlane` continues from the best w, with weighted
    planes that nearly reproduce the dual solution. The solver supports only margin rescaling, and
    only problems without constraints or bounds on w. Memory for the outputs grows with n and with
    the number of passes. Outputs with negligible weight are dropped after some passes.

    ``help`` also shows the inherited parameters and attributes.

    References
    ----------
    The cache of outputs follows Shah, Kolmogorov & Lampert, A multi-plane block-coordinate
    Frank-Wolfe algorithm for training structural SVMs with a costly max-oracle, CVPR 2015. Unlike
    the method of Shah, Kolmogorov & Lampert, this solver minimises over the cached outputs of all
    examples together.

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
