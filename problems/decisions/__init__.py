"""Decisions that are optimal for predicted costs: predict, then optimize.

The folder ``optimizers`` has the sets of feasible decisions with their solvers.
"""

from structsvm.problems.decisions.optimizers import (
    CallableOptimizer,
    GridPaths,
    Optimizer,
    as_optimizer,
)

__all__ = ["CallableOptimizer", "GridPaths", "Optimizer", "as_optimizer"]
