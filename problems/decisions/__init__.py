"""Decisions that are optimal for predicted costs: predict, then optimize.

Look at :class:`DecisionFocusedRegressor` first. The folder ``optimizers`` has sets of feasible
decisions with their solvers.
"""

from structsvm.problems.decisions.best import best_decisions
from structsvm.problems.decisions.estimator import DecisionFocusedRegressor
from structsvm.problems.decisions.inputs import Instance
from structsvm.problems.decisions.optima import Optimum
from structsvm.problems.decisions.optimizers import (
    Assignments,
    CallableOptimizer,
    GraphPaths,
    GridPaths,
    Knapsack,
    MixedIntegerProgram,
    Optimizer,
    SpanningTrees,
    Tours,
    as_optimizer,
)
from structsvm.problems.decisions.problem import DecisionProblem

__all__ = [
    "Assignments",
    "CallableOptimizer",
    "DecisionFocusedRegressor",
    "DecisionProblem",
    "GraphPaths",
    "GridPaths",
    "Instance",
    "Knapsack",
    "MixedIntegerProgram",
    "Optimizer",
    "Optimum",
    "SpanningTrees",
    "Tours",
    "as_optimizer",
    "best_decisions",
]
