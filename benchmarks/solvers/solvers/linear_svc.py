from benchmark_utils.timed import TimedSolver
from sklearn.svm import LinearSVC

from structsvm.problems import Multiclass


class Solver(TimedSolver):
    """scikit-learn's LinearSVC (liblinear), by the loss of Crammer and Singer."""

    name = "LinearSVC"

    def skip(self, problem, X, y, C):
        return not isinstance(problem, Multiclass), "it takes rows with a class each"

    def train(self, tolerance):
        svc = LinearSVC(
            multi_class="crammer_singer",
            fit_intercept=False,
            C=self.C,
            tol=tolerance,
            max_iter=100_000,
            random_state=0,
        )
        return svc.fit(self.X, self.y).coef_.ravel(), None
