"""The quadratic programs over a working set, without and with lower bounds on w."""

from .bounded import solve_bounded_dual
from .restricted import DualSolution, solve_restricted_dual

__all__ = ["DualSolution", "solve_bounded_dual", "solve_restricted_dual"]
