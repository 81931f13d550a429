"""The dual of a cutting-plane method over its working set, as the set grows.

A solver returns ``alpha`` for each quadratic program of a sequence. The comparison is by the CPU
seconds of the whole sequence and the worst relative duality gap, by the same certificate for all
solvers.
"""

from benchopt import BaseObjective

from structsvm.qp.certificate import certify, clip_to_feasible


class Objective(BaseObjective):
    name = "Duals over growing working sets"
    min_benchopt_version = "1.10"
    sampling_strategy = "run_once"
    test_dataset_name = "digits"

    def set_data(self, H, b, groups, caps, sizes):
        self.H, self.b, self.groups, self.caps, self.sizes = H, b, groups, caps, sizes

    def get_objective(self):
        names = ("H", "b", "groups", "caps", "sizes")
        return {name: getattr(self, name) for name in names}

    def evaluate_result(self, alphas, seconds):
        size = {"QPs": len(self.sizes), "m": self.sizes[-1]}
        return {"value": max(map(self._gap, alphas)), "CPU s": seconds, **size}

    def _gap(self, alpha):
        m = len(alpha)
        groups = self.groups[:m]
        feasible = clip_to_feasible(alpha, groups, self.caps)
        return certify(self.H[:m, :m], self.b[:m], groups, self.caps, feasible).error

    def get_one_result(self):
        return {"alphas": [0 * self.b[:m] for m in self.sizes], "seconds": 0.0}
