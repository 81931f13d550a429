"""Base class of the solvers with a smooth or smoothed objective, for any surrogate of the loss."""

from __future__ import annotations

from dataclasses import dataclass

from structsvm.objective.surrogate import Loss
from structsvm.solvers.shared.solver import Solver


@dataclass(eq=False, repr=False)
class SmoothSolver(Solver):
    """Base class of the solvers that call a soft oracle.

    Parameters
    ----------
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss, of :mod:`structsvm.objective.surrogate`: 'hinge' gives the slacks
        of a structural SVM; 'softmax_margin' smooths them at a fixed temperature; 'log_loss' trains
        a conditional random field, without the loss.
    """

    loss: Loss = "hinge"
