from benchmark_utils.timed import TimedSolver

import structsvm

NAMES = ["auto", "OneSlackCuttingPlane", "SmoothedCuttingPlane", "BlockCoordinateFrankWolfe"]


class Solver(TimedSolver):
    """A solver of this package, or the plan of "auto"; each stops by its own certificate."""

    name = "structsvm"
    parameters = {"solver": NAMES}

    def skip(self, problem, X, y, C):
        size = len(y) * (len(y) if self.solver == "BlockCoordinateFrankWolfe" else 1)
        return size > 1e8, "it takes hours here"

    def train(self, tolerance):
        data = self.problem, self.X, self.y
        if self.solver == "auto":
            solver = structsvm.choose_solver(*data).solver
        else:
            solver = getattr(structsvm, self.solver)()
        solver.set_params(rtol=min(tolerance, 0.5))
        result = solver.solve(*data, self.C * len(self.y))
        return result.w, result.gap / result.primal
