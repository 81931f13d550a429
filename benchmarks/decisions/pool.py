"""Calls of the optimizer with and without the pool of decisions, for the solvers that search it.

    python -m benchmarks.decisions.pool

The pool holds the decisions found for any example, and a solver takes the best of them for every
other before it calls the optimizer. To a gap of 1e-2, for examples of degree 4 as in paths.py and
others.py; the knapsacks are solved by HiGHS, so that a call is expensive. Calls per example, beside
the one for the best decision at the true costs; CPU seconds of the whole fit. The 1-slack solver
without the pool takes some hundred calls, and is left out where HiGHS makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from benchmarks.decisions._draws import CAPACITY, Draw, knapsacks, paths, tours
from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.store import Row, save
from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, SmoothedCuttingPlane
from structsvm.problems.decisions import (
    DecisionFocusedRegressor,
    DecisionProblem,
    MixedIntegerProgram,
)

RESULTS, DEGREE, RTOL = "decisions/pool", 4, 1e-2
SIZES, CS = (100, 200), (10.0, 100.0, "auto")
SOLVERS = {
    "n-slack": NSlackCuttingPlane,
    "1-slack": OneSlackCuttingPlane,
    "smoothed": SmoothedCuttingPlane,
}


class Unpooled(DecisionProblem):
    """Each decision is known to the example for which it was found, and to no other."""

    def task(self, X: Any, Y: Any = None) -> Any:
        task: Any = super().task(X, Y)
        task.pool_outputs = task.search_pool = None
        return task


class WithoutPool(DecisionFocusedRegressor):
    def _problem(self) -> DecisionProblem:
        return Unpooled(self.optimize, self.sense)


def by_highs(n: int, degree: int, seed: int) -> Draw:
    """Knapsacks, solved one after the other as integer programs."""
    draw = knapsacks(n, degree, seed, tested=1)
    weights = draw.optimizer.weights  # type: ignore[attr-defined]
    constraints = {"capacities": (weights, [CAPACITY] * len(weights))}
    return draw._replace(optimizer=MixedIntegerProgram(constraints, sense="max"))


HIGHS = "knapsacks, HiGHS"
PROBLEMS: dict[str, Callable[[int, int, int], Draw]] = {
    "paths": paths,
    "tours": tours,
    HIGHS: by_highs,
}


def fitted(kind: type[DecisionFocusedRegressor], draw: Draw, C: Any, solver: Any) -> Row:
    model = kind(draw.optimizer, sense=draw.optimizer.sense, C=C, solver=solver)
    X, costs = draw.train.X, draw.train.costs
    seconds, _ = cpu_seconds(lambda: model.fit(X, costs), repeats=1)
    result = model.result_
    return {
        "calls": result.oracle_calls / len(X),
        "seconds": seconds,
        "gap": 100 * result.gap / result.primal,
        "status": result.status.name,
    }


def fits(problem: str, n: int) -> Iterator[Row]:
    draw = PROBLEMS[problem](n, DEGREE, 0)
    for C, name, pool in product(CS, SOLVERS, (True, False)):
        if (problem, name, pool) != (HIGHS, "1-slack", False):
            kind = DecisionFocusedRegressor if pool else WithoutPool
            row: Row = {"problem": problem, "n": n, "C": C, "solver": name, "pool": pool}
            yield row | fitted(kind, draw, C, SOLVERS[name](rtol=RTOL))


def main() -> None:
    rows: list[Row] = []
    for problem, n in product(PROBLEMS, SIZES):
        for row in fits(problem, n):
            rows.append(row)
            save(RESULTS, "fits", rows)
            print(row, flush=True)
    report(RESULTS, {"fits": rows})


if __name__ == "__main__":
    with one_thread():
        main()
