"""Decisions that are optimal for predicted costs: predict, then optimize.

Look at :class:`DecisionFocusedRegressor` first. The folder ``optimizers`` contains sets of feasible
decisions with solvers.
"""

from structsvm.problems.decisions import optimizers
from structsvm.problems.decisions.best import best_decisions
from structsvm.problems.decisions.data import Instance, Optimum
from structsvm.problems.decisions.estimator import DecisionFocusedRegressor
from structsvm.problems.decisions.optimizers import *  # noqa: F403
from structsvm.problems.decisions.problem import DecisionProblem

__all__ = [
    "DecisionFocusedRegressor",
    "DecisionProblem",
    "Instance",
    "Optimum",
    "best_decisions",
]
__all__ += optimizers.__all__
