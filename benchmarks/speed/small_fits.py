"""CPU time of small fits of a user's problem, and of a cutting-plane loop written by hand.

Two classes of points with three features: a problem of four methods, and the same with a task that
computes with arrays. Both are trained by :class:`OneSlackCuttingPlane` to a certified gap of 1e-3.
The loop by hand calls the four methods for one example after another. It has our working set and
quadratic program, and nothing besides: no rounding errors, limits, progress or checks. CPU time of
one thread; both runs alternate, and the ratio is the median of their ratios.

    python -m benchmarks speed/small_fits
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import OneSlackCuttingPlane, Problem, StructuredSVM, Task
from structsvm.objective import group_caps, primal_value
from structsvm.planes.constraints import Constraints
from structsvm.planes.working_set import WorkingSet

SIZES = (20, 200, 2000)
REPEATS = 9
C = 10.0
RTOL = 1e-3
#: Examples that the fits of one measurement train on, in all: small fits are repeated.
EXAMPLES = 2000


class Points(Problem):
    """Two classes, 0 and 1."""

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature = 6

    def joint_feature(self, x: Any, y: Any) -> Any:
        psi = np.zeros(6)
        psi[3 * y : 3 * y + 3] = x
        return psi

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(y != y_hat)

    def separation_oracle(self, x: Any, y: Any, w: Any) -> int:
        return int(w[3:] @ x + (y != 1) > w[:3] @ x + (y != 0))

    def decode(self, x: Any, w: Any) -> int:
        return int(w[3:] @ x > w[:3] @ x)


class PointsTask(Task):
    """All points at once."""

    def search(self, w: Any) -> Any:
        return (self.X @ (w[3:] - w[:3]) + (1 - 2 * self.Y) > 0).astype(int)

    def losses(self, outputs: Any) -> Any:
        return 1.0 * (self.Y != outputs)

    def plane(self, outputs: Any, weights: Any) -> Any:
        row = (weights * (self.Y - outputs)) @ self.X
        return np.concatenate([-row, row])

    def decode(self, w: Any) -> Any:
        return (self.X @ (w[3:] - w[:3]) > 0).astype(int)


class FastPoints(Points):
    """Points with a task."""

    def task(self, X: Any, Y: Any = None) -> Task:
        return PointsTask(self, np.asarray(X), None if Y is None else np.asarray(Y))


def by_hand(problem: Problem, X: Any, Y: Any) -> tuple[float, int]:
    """The primal value and the number of passes of a loop with one slack."""
    problem.initialize(X, Y)
    n, size = len(Y), problem.size_joint_feature
    caps = group_caps(C, np.array([float(n)]))
    planes = WorkingSet(caps, Constraints(None, size))
    planes.solve()
    best, best_w = math.inf, np.zeros(size)
    query, passes = best_w, 0
    while True:
        passes += 1
        row, offset = np.zeros(size), 0.0
        for x, y in zip(X, Y, strict=True):
            y_hat = problem.separation_oracle(x, y, query)
            row += problem.joint_feature(x, y) - problem.joint_feature(x, y_hat)
            offset += problem.loss(y, y_hat)
        row, offset = row / n, offset / n
        primal = primal_value(query, caps, np.array([max(0.0, offset - row @ query)]))
        if primal < best:
            best, best_w = primal, query
        planes.add(row[None], np.array([offset]), np.zeros(1, dtype=np.intp), [None])
        planes.prune(after=10)
        query = (planes.solve().w + best_w) / 2
        if best - planes.solution.dual <= RTOL * best:
            return best, passes


def alternating(ours: Callable[[], Any], other: Callable[[], Any]) -> tuple[float, float, float]:
    """Median CPU seconds of both, and the median of their ratios."""
    times: list[tuple[float, float]] = []
    for _ in range(REPEATS):
        marks = [time.process_time()]
        for run in (ours, other):
            run()
            marks.append(time.process_time())
        times.append((marks[1] - marks[0], marks[2] - marks[1]))
    first, second = (statistics.median(column) for column in zip(*times, strict=True))
    return first, second, statistics.median(a / b for a, b in times)


PROBLEMS = {"four methods": Points, "a task": FastPoints}


def points(name: str, n: int) -> tuple[Problem, Any, Any]:
    """The problem and its data, all sizes being drawn one after another."""
    rng = np.random.default_rng(1)
    for size in SIZES[: SIZES.index(n) + 1]:
        X = rng.normal(size=(size, 3))
        Y = (X[:, 0] + 0.5 * rng.normal(size=size) > 0).astype(int).tolist()
    return PROBLEMS[name](), X, Y


def measured(data: tuple[Problem, Any, Any]) -> Row:
    problem, X, Y = data
    n, hand = len(Y), Points()
    times = max(1, EXAMPLES // n)
    svm = StructuredSVM(problem, C=C, solver=OneSlackCuttingPlane(rtol=RTOL))
    result = svm.fit(X, Y).result_
    primal, passes = by_hand(hand, X, Y)
    assert abs(primal - result.primal) < 2 * RTOL * primal
    ours, other, ratio = alternating(
        lambda: [svm.fit(X, Y) for _ in range(times)],
        lambda: [by_hand(hand, X, Y) for _ in range(times)],
    )
    return {
        "passes": result.iterations,
        "passes by hand": passes,
        "CPU ms": 1e3 * ours / times,
        "CPU ms by hand": 1e3 * other / times,
        "ratio": ratio,
    }


EXPERIMENTS = (
    Experiment(
        "fits of small data, CPU time beside a loop by hand",
        ("problem", "n"),
        {(name, n): partial(points, name, n) for n, name in product(SIZES, PROBLEMS)},
        measured,
    ),
)
