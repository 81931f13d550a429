"""The engine's own time per oracle call, for problems that define the four single methods only.

The methods look their answers up, or take a product of a few rows with w; their time and that of
the restricted problems, by quadratic programs with their Gram matrices or by descent, is
subtracted. What is left are the calls, the checks of what the methods return, the sums of joint
features, which are dense and short, dense and long, or sparse, and the planes made of them. All
times are wall time; of some runs the one with the least is reported.

    python -m benchmarks.speed.single_oracle
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.report import one_thread, report
from structsvm import (
    CCCP,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Problem,
    SelfLabelledProblem,
    SmoothedCuttingPlane,
)
from structsvm.solvers.cached_planes.algorithm import CachedPlanes

#: Names of the joint features, with their length and the number of entries that are not 0.
FEATURES = {"dense": ((10, 10), (1000, 1000)), "sparse": ((100_000, 20),)}
#: Numbers of examples.
SIZES = (200, 1000)
#: Runs of each solver.
RUNS = 3
#: Passes over the data.
PASSES = 10
OUTPUTS = 3


def timed(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with its time added to the problem's."""

    def call(self: Any, *arguments: Any) -> Any:
        started = time.perf_counter()
        answer = method(self, *arguments)
        self.spent += time.perf_counter() - started
        return answer

    return call


class TimedPlanes(CachedPlanes):
    """It times the descent."""

    spent = 0.0
    _descend = timed(CachedPlanes._descend)


class TimedDescent(SmoothedCuttingPlane):
    """It keeps its algorithm, to be asked for the time of the descent."""

    def begin(self, record: Any, start: Any) -> Any:
        self.algorithm = TimedPlanes(record, start)
        return self.algorithm


class LookUp(Problem):
    """An input holds the joint feature of every output, and the same as rows of a matrix."""

    oracle_cost = "cheap"

    def __init__(self, size: int) -> None:
        self.size = size

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature, self.spent = self.size, 0.0

    @timed
    def joint_feature(self, x: Any, y: Any) -> Any:
        return x[0][y]

    @timed
    def loss(self, y: Any, y_hat: Any) -> float:
        return float(y != y_hat)

    @timed
    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        scores = x[1] @ w[x[2]] + 1
        scores[y] -= 1
        return int(scores.argmax())


class LatentLookUp(LookUp, SelfLabelledProblem):
    """The same with outputs to impute, which are known."""

    @timed
    def impute(self, x: Any, y: Any, w: Any) -> Any:
        return y


def examples(kind: str, n: int, size: int, entries: int) -> tuple[list[Any], list[int]]:
    """Random joint features of this length."""
    rng, X = np.random.default_rng(0), []
    for _ in range(n):
        rows = rng.normal(size=(OUTPUTS, entries)) / np.sqrt(entries)
        where = np.sort(rng.choice(size, entries, replace=False))
        psis = list(rows)
        if kind == "sparse":
            psis = [sparse.csr_matrix((row, where, [0, entries]), (1, size)) for row in rows]
        X.append((psis, rows, where))
    return X, rng.integers(OUTPUTS, size=n).tolist()


def measured(solver: Any, kind: str, n: int, size: int, entries: int) -> dict[str, Any]:
    """The times of one run, per oracle call."""
    X, Y = examples(kind, n, size, entries)
    problem = (LatentLookUp if isinstance(solver, CCCP) else LookUp)(size)
    started = time.perf_counter()
    result = solver.solve(problem, X, Y, float(n), copy=False)
    seconds = time.perf_counter() - started
    descent = solver.algorithm.spent if isinstance(solver, TimedDescent) else 0.0
    own = seconds - problem.spent - result.seconds["qp"] - descent
    return {
        "joint feature": f"{kind}, {size}",
        "solver": result.solver,
        "n": n,
        "calls": result.oracle_calls,
        "engine, us a call": 1e6 * own / result.oracle_calls,
        "problem, us a call": 1e6 * problem.spent / result.oracle_calls,
    }


def main() -> None:
    rows = []
    solvers = (OneSlackCuttingPlane, NSlackCuttingPlane, TimedDescent, CCCP)
    for kind, features in FEATURES.items():
        for (size, entries), solver, n in itertools.product(features, solvers, SIZES):
            runs = [
                measured(solver(rtol=0, max_iter=PASSES), kind, n, size, entries)
                for _ in range(RUNS)
            ]
            rows.append(min(runs, key=lambda row: row["engine, us a call"]))
            print(rows[-1], flush=True)
    report("speed/single_oracle", {f"{PASSES} passes": rows})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with one_thread():
        main()
