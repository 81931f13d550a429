"""L-BFGS on the smoothed objective, in which soft slacks replace the slacks."""

from __future__ import annotations

from dataclasses import dataclass

from structsvm.docstrings import documented
from structsvm.objective.surrogate import Loss
from structsvm.solvers.lbfgs.algorithm import SmoothedDescent
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.solver import Solver


@documented
@dataclass(eq=False, repr=False)
class SmoothedLBFGS(Solver):
    """L-BFGS on the smoothed objective, for problems with a soft oracle.

    The maximum in each slack becomes mu log sum exp(. / mu), the log-partition function of a
    conditional random field at temperature mu. The temperature falls as far as the requested gap
    requires. The gap is always known, because every evaluation also gives a point of the dual. The
    dual solution is the best combination of the planes computed in recent steps. Examples whose
    true output is almost certain keep their distributions for some steps. With 8,000 examples or
    more and w = 0 at the start, the first ten steps use an eighth of the examples, drawn at random.
    If the task has a method ``curvature``, the coordinates are scaled by the diagonal of the
    Hessian at the start. If the task also has a method ``axes``, the scaling is along these axes
    instead of the entries of w. The separation oracle evaluates the objective at the returned w.
    For passes without the separation oracle, ``history`` has upper bounds of the objective,
    computed from soft slacks.

    With inputs in single precision, w and the planes are also rounded to single precision, which
    halves the memory. If rounding errors reach half of the tolerance, the descent continues in
    double precision. The descent scales columns with extremely large entries, such as time stamps.

    On badly conditioned problems, such as separable data at a large C, the descent stalls. After a
    stall :class:`OneSlackCuttingPlane` continues from the best w and the dual solution. A small
    ``rtol`` requires a low temperature, which magnifies the rounding errors of a soft oracle. If
    the rounding errors of the soft oracle are too large for the requested gap, its planes are not
    passed to :class:`OneSlackCuttingPlane`.

    On large data ``solver='auto'`` makes the first passes with :class:`DualCoordinateAscent`.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of steps, >= 1. Nearly every step is one pass over the data.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss (see :mod:`structsvm.objective.surrogate`). 'hinge' gives the
        slacks of a structural SVM. 'softmax_margin' gives slacks that are smoothed at a fixed
        temperature. 'log_loss' trains a conditional random field, and ignores the loss.

    References
    ----------
    The smoothing is due to Nesterov, Smooth minimization of non-smooth functions, Mathematical
    Programming 103, 2005. In contrast to Nesterov's method, SmoothedLBFGS does not fix the
    temperature in advance.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import SmoothedLBFGS
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = SmoothedLBFGS().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    loss: Loss = "hinge"
    requires = Requirements(
        problem=("soft_oracle",), task=("soft",), exact=True, unconstrained=True
    )
    then = OneSlackCuttingPlane

    def begin(self, program: Program, start: Start) -> SmoothedDescent:
        return SmoothedDescent(program, start)
