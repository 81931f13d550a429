import dlib
import numpy as np
from benchmark_utils.timed import TimedSolver


class Solver(TimedSolver):
    """dlib through its Python binding, with our methods on one example at a time.

    Its objective is ``1/2 |w|^2`` and C times the mean slack; it stops by the gap of that mean.
    """

    name = "dlib"
    requirements = ["pip::dlib"]

    def skip(self, problem, X, y, C):
        return isinstance(X, np.ndarray) and X.size * C > 1e6, "it takes hours here"

    def train(self, tolerance):
        return np.array(dlib.solve_structural_svm_problem(Adapter(self, tolerance))), None


class Adapter:
    """The names of methods and attributes are dlib's."""

    def __init__(self, data, tolerance):
        self.problem, self.X, self.y = data.problem, data.X, data.y
        self.problem.initialize(self.X, self.y)
        self.num_samples, self.num_dimensions = len(self.y), self.problem.size_joint_feature
        self.C = data.C * len(self.y)
        self.epsilon = tolerance

    def get_truth_joint_feature_vector(self, i):
        return dlib.vector(self.problem.joint_feature(self.X[i], self.y[i]).tolist())

    def separation_oracle(self, i, w):
        y_hat = self.problem.separation_oracle(self.X[i], self.y[i], np.array(w))
        psi = self.problem.joint_feature(self.X[i], y_hat)
        return self.problem.loss(self.y[i], y_hat), dlib.vector(psi.tolist())
