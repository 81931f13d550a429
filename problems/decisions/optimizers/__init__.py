"""Optimizers: sets of feasible decisions with solvers that find the best decision for any costs.

Look at the base class :class:`Optimizer` first, and at :class:`CallableOptimizer` if you have a
solver.
"""

from structsvm.problems.decisions.optimizers.assignments import Assignments
from structsvm.problems.decisions.optimizers.base import Optimizer
from structsvm.problems.decisions.optimizers.function import CallableOptimizer, as_optimizer
from structsvm.problems.decisions.optimizers.graphs import GraphPaths, SpanningTrees
from structsvm.problems.decisions.optimizers.knapsack import Knapsack
from structsvm.problems.decisions.optimizers.paths import GridPaths
from structsvm.problems.decisions.optimizers.program import MixedIntegerProgram
from structsvm.problems.decisions.optimizers.tours import Tours

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
