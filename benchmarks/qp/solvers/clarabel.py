import clarabel
import numpy as np
from benchmark_utils.sequence import SequenceSolver
from scipy import sparse


class Solver(SequenceSolver):
    """Clarabel's interior point with its defaults."""

    name = "Clarabel"
    requirements = ["pip::clarabel"]

    def solve(self, H, b, groups, caps, start):
        m = len(b)
        used, rows = np.unique(groups, return_inverse=True)
        sums = sparse.csc_array((np.ones(m), (rows, np.arange(m))), (len(used), m))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix(np.triu(H)),
            -b,
            sparse.csc_matrix(sparse.vstack([-sparse.eye_array(m), sums])),
            np.r_[np.zeros(m), caps[used]],
            [clarabel.NonnegativeConeT(m + len(used))],
            settings,
        )
        return np.array(solver.solve().x)
