"""Separation oracles of IntegerProgram and Assignment beside the bare searches that they call.

    python -m benchmarks.speed.programs_and_matchings

CPU time of one example, one thread, medians of alternating runs. 'bare' is scipy.optimize.milp, or
linear_sum_assignment, with the scores, constraints and options made in advance; 'with products'
computes the scores of each example before its assignment.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp

from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.speed._alternating import alternating
from benchmarks.store import Row
from structsvm import NSlackCuttingPlane
from structsvm.problems import Assignment, IntegerProgram, Program

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
import tracking

REPEATS = 15


def compared(ours: Callable[[], Any], bare: Callable[[], Any], n: int) -> dict[str, float]:
    """Median CPU times of an example in microseconds, and the median of their ratios."""
    first, second, ratio = alternating(ours, bare, REPEATS)
    return {"ours, us": 1e6 * first / n, "bare, us": 1e6 * second / n, "ratio": ratio}


def packing(v: int) -> tuple[list[Program], list[Any]]:
    """Twenty programs of v variables, each in about three constraints that allow one at most."""
    rng = np.random.default_rng(0)
    X = []
    for _ in range(20):
        A = sparse.random_array((v // 2, v), density=min(1, 6 / v), rng=rng)
        A.data[:] = 1
        X.append(Program(rng.normal(size=(v, 10)), (A, 1)))
    return X, [np.zeros(v, dtype=int)] * 20


def movies() -> tuple[list[Program], list[Any]]:
    chosen = [tracking.movie(seed) for seed in range(5)]
    return [tracking.program(m) for m in chosen], [tracking.truth(m) for m in chosen]


def programs(name: str, X: list[Program], Y: list[Any]) -> Row:
    problem, n = IntegerProgram(), len(X)
    problem.initialize(X, Y)
    task = problem.task(X, Y)
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    calls = []
    for x, y in zip(task.X, task.Y, strict=True):
        costs = -(x.scores(w) + 1 - 2 * y)
        whole = x.constraint
        constraint = LinearConstraint(whole.A, whole.lb, whole.ub)
        calls.append((costs / np.abs(costs).max(), constraint))

    def bare() -> None:
        for costs, constraint in calls:
            options = {"mip_rel_gap": 0.0}
            milp(costs, integrality=1, bounds=Bounds(0, 1), constraints=constraint, options=options)

    def ours() -> None:
        for i in range(n):
            problem.separation_oracle(task.X[i], task.Y[i], w)

    variables = float(np.mean([x.n_variables for x in task.X]))
    return {"programs": name, "variables": variables, **compared(ours, bare, n)}


def assignments(m: int, d: int) -> Row:
    rng, n = np.random.default_rng(0), max(4, 40_000 // (m * m))
    X, Y = [rng.normal(size=(m, m, d)) for _ in range(n)], [rng.permutation(m) for _ in range(n)]
    problem, w = Assignment(), rng.normal(size=d)
    problem.initialize(X, Y)
    task = problem.task(X, Y)
    scores = [x @ w for x in X]
    for own, y in zip(scores, Y, strict=True):
        own[np.arange(m), y] -= 1

    def bare() -> None:
        for own in scores:
            linear_sum_assignment(own, maximize=True)

    def ours() -> None:
        task.search(w)

    def by_example() -> None:
        for x, y in zip(X, Y, strict=True):
            own = x @ w
            own[np.arange(m), y] -= 1
            linear_sum_assignment(own, maximize=True)

    row = {"items": m, "features": d, "examples": n, **compared(ours, bare, n)}
    row["with products, us"] = compared(ours, by_example, n)["bare, us"]
    return row


class Unrefined(IntegerProgram):
    """Without local search from the outputs of the last pass."""

    def task(self, X: Any, Y: Any = None) -> Any:
        task: Any = super().task(X, Y)
        task.refine = None
        return task


def refined(name: str, X: list[Program], Y: list[Any], gap: float) -> Row:
    """Searches and CPU time of training with a gap, with and without local search."""
    row: Row = {"programs": name, "mip_rel_gap": gap}
    for title, kind in (("without", Unrefined), ("with", IntegerProgram)):
        solve = partial(NSlackCuttingPlane().solve, kind(mip_rel_gap=gap), X, Y, 100.0)
        seconds, result = cpu_seconds(solve)
        row[f"searches {title}"], row[f"CPU s {title}"] = result.oracle_calls, seconds
    return row


def taught(X: list[Program]) -> tuple[list[Program], list[Any]]:
    """The programs with solutions for noisy scores."""
    rng = np.random.default_rng(0)
    Y = []
    for x in X:
        scores = x.features @ np.arange(-4, 6) + 2 * rng.normal(size=len(x.features))
        only = Program(scores[:, None], x.constraints)
        Y.append(IntegerProgram().decode(only, np.ones(1)))
    return X, Y


def main() -> None:
    with one_thread():
        tables = {
            "IntegerProgram beside scipy.optimize.milp": [
                *(programs("packing", *packing(v)) for v in (10, 30, 100, 300, 1000)),
                programs("cell tracking", *movies()),
            ],
            "Assignment beside linear_sum_assignment": [
                assignments(m, d) for m in (10, 30, 100) for d in (5, 20, 60)
            ],
            "Training of IntegerProgram without and with local search": [
                refined(name, *data, gap)
                for name, data in (
                    ("packing, 100 variables", taught(packing(100)[0])),
                    ("packing, 300 variables", taught(packing(300)[0])),
                    ("cell tracking", movies()),
                )
                for gap in (0.0, 0.01)
            ],
        }
    report("speed/programs_and_matchings", tables)


if __name__ == "__main__":
    main()
