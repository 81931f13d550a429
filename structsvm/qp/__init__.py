"""The quadratic programs over a working set, with or without lower bounds on w."""

from structsvm.qp.bounded import solve_bounded_dual
from structsvm.qp.certificate import QPSolution
from structsvm.qp.restricted import solve_restricted_dual

__all__ = ["QPSolution", "solve_bounded_dual", "solve_restricted_dual"]
