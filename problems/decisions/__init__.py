"""Decisions that are optimal for predicted costs: predict, then optimize.

The folder ``optimizers`` has the sets of feasible decisions with their solvers.
"""

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

__all__ = [
    "Assignments",
    "CallableOptimizer",
    "GraphPaths",
    "GridPaths",
    "Knapsack",
    "MixedIntegerProgram",
    "Optimizer",
    "SpanningTrees",
    "Tours",
    "as_optimizer",
]
