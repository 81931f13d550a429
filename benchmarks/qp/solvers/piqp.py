import numpy as np
import piqp
from benchmark_utils.sequence import SequenceSolver


class Solver(SequenceSolver):
    """PIQP's proximal interior point, dense, with its defaults."""

    name = "PIQP"
    requirements = ["pip::piqp"]

    def solve(self, H, b, groups, caps, start):
        used, rows = np.unique(groups, return_inverse=True)
        sums = np.zeros((len(used), len(b)))
        sums[rows, np.arange(len(b))] = 1.0
        solver = piqp.DenseSolver()
        unbounded = np.full(len(used), -np.inf)
        bounds = np.zeros(len(b)), np.full(len(b), np.inf)
        solver.setup(H, -b, None, None, sums, unbounded, caps[used], *bounds)
        solver.solve()
        return solver.result.x
