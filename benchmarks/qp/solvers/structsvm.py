from benchmark_utils.sequence import SequenceSolver

from structsvm.qp import solve_restricted_dual


class Solver(SequenceSolver):
    """The active-set method of this package, started at the solution before."""

    name = "structsvm"

    def solve(self, H, b, groups, caps, start):
        return solve_restricted_dual(H, b, groups, caps, alpha0=start).alpha
