"""Solve the programs of a sequence one after another, and count their CPU time."""

import time

import numpy as np
from benchopt import BaseSolver
from threadpoolctl import threadpool_limits


class SequenceSolver(BaseSolver):
    """A solver of one program: ``solve(H, b, groups, caps, start)`` returns ``alpha``.

    It minimises ``1/2 alpha' H alpha - b' alpha`` over ``alpha >= 0`` whose sum within group ``g``
    is at most ``caps[g]``. ``start`` is the solution of the previous program, with zeros for new
    variables.
    """

    def set_objective(self, H, b, groups, caps, sizes):
        self.H, self.b, self.groups, self.caps, self.sizes = H, b, groups, caps, sizes

    def run(self, _):
        start = np.zeros(0)
        self.alphas = []
        began = time.process_time()
        with threadpool_limits(limits=1):
            for m in self.sizes:
                start = np.append(start, np.zeros(m - len(start)))
                program = self.H[:m, :m], self.b[:m], self.groups[:m], self.caps
                start = self.solve(*program, start)
                self.alphas.append(start)
        self.seconds = time.process_time() - began

    def get_result(self):
        return {"alphas": self.alphas, "seconds": self.seconds}
