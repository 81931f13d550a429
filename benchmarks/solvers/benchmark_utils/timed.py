"""CPU time of one thread."""

import time

from benchopt import BaseSolver
from threadpoolctl import threadpool_limits


class TimedSolver(BaseSolver):
    """A solver by ``train(tolerance)``, which returns ``w`` and the certified gap, or None."""

    def set_objective(self, problem, X, y, C):
        self.problem, self.X, self.y, self.C = problem, X, y, C

    def run(self, tolerance):
        began = time.process_time()
        with threadpool_limits(limits=1):
            self.w, self.gap = self.train(tolerance)
        self.seconds = time.process_time() - began

    def get_result(self):
        return {"w": self.w, "seconds": self.seconds, "gap": self.gap}
