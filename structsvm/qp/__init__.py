"""The quadratic programs over a working set, without and with lower bounds on w."""

from structsvm.qp.bounded import solve_bounded_dual
from structsvm.qp.restricted import DualSolution, solve_restricted_dual

__all__ = ["DualSolution", "solve_bounded_dual", "solve_restricted_dual"]
