"""Smoothing: L-BFGS on the objective with soft slacks."""

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
    conditional random field, and mu falls as far as the requested gap requires. Every evaluation is
    also a point of the dual, so the gap is always known; the dual solution is the best combination
    of planes of some points passed. Examples whose true output is almost certain keep their
    distributions for some steps, and from w = 0 the first ten steps see an eighth of the examples,
    drawn at random, where there are 8,000 or more. If its task has a method ``curvature``, the
    coordinates are scaled by the diagonal of the Hessian at the start, along the axes of ``axes``
    if it has this method too. The separation oracle evaluates the objective at the w returned;
    until then ``history`` has upper bounds, from the soft slacks.

    With inputs in single precision, w and the planes are rounded to single precision too, which
    halves the memory. Where rounding errors take half of the tolerance, the descent goes on in
    double precision. Columns with far larger entries than all others, such as time stamps, are
    scaled inside the descent.

    On badly conditioned problems, such as separable data at a large C, the descent stalls. Then
    :class:`OneSlackCuttingPlane` goes on from the best w and the dual solution. A small ``rtol``
    makes mu small, which magnifies the rounding of a soft oracle: planes with too much of it are
    left out.

    For large data ``solver='auto'`` lets :class:`DualCoordinateAscent` make the first passes.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of steps, >= 1; nearly every step is one pass over the data.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss, of :mod:`structsvm.objective.surrogate`: 'hinge' gives the slacks
        of a structural SVM; 'softmax_margin' smooths them at a fixed temperature; 'log_loss' trains
        a conditional random field, without the loss.

    References
    ----------
    The smoothing is due to Nesterov, Smooth minimization of non-smooth functions, Mathematical
    Programming 103, 2005. Here mu is not set beforehand.

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
