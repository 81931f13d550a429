import numpy as np
from benchmark_utils.timed import TimedSolver
from pystruct.learners import OneSlackSSVM
from pystruct.models import MultiClassClf

from structsvm.problems import Multiclass


class Solver(TimedSolver):
    """pystruct's one-slack cutting planes, where an old Python has it."""

    name = "pystruct"
    requirements = ["pip::pystruct"]

    def skip(self, problem, X, y, C):
        return not isinstance(problem, Multiclass), "it takes rows with a class each"

    def train(self, tolerance):
        names, codes = np.unique(self.y, return_inverse=True)
        model = MultiClassClf(n_features=self.X.shape[1], n_classes=len(names))
        learner = OneSlackSSVM(model, C=self.C, tol=tolerance, max_iter=10_000)
        return learner.fit(self.X, codes).w, None
