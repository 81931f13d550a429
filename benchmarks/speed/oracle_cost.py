"""Solvers for problems with a Python oracle for one example, by the cost of the oracle.

``solver='auto'`` must choose before the oracle has been called. The script measures the price of a
wrong choice: the CPU time of each solver to a certified gap of 1e-3, relative to
:class:`OneSlackCuttingPlane`, for oracles that take 10 us to 2 ms, and for the same oracles with
more time per call, which is added to the CPU time, not spent. Below 1 the solver is the faster one.

    python -m benchmarks speed/oracle_cost
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits

from benchmarks.averages import grouped
from benchmarks.experiment import Experiment
from benchmarks.robustness._planted.correct.tagging import viterbi
from benchmarks.store import Row, stored
from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, Problem, SmoothedCuttingPlane

#: Seconds per call that are added.
ADDED = (0.0, 1e-4, 1e-3, 1e-2)
#: C / n, which multiplies the sum of the slacks.
WEIGHTS = (0.01, 0.1, 1.0, 100.0)
#: Numbers of examples.
SIZES = (10, 100, 400)
#: Labels of the problem that tries all outputs.
LABELS = 5
#: Limit on passes.
MOST_PASSES = 3000


class Digits(Problem):
    """Ten classes, one row at a time: an oracle of one product."""

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature = 10 * len(X[0])

    def joint_feature(self, x: Any, y: Any) -> Any:
        psi = np.zeros((10, len(x)))
        psi[y] = x
        return psi.ravel()

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(y != y_hat)

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        scores = w.reshape(10, -1) @ x + 1
        scores[y] -= 1
        return int(scores.argmax())


class Stars(Problem):
    """The problem of README.md: a number of stars, found by trying them all."""

    def joint_feature(self, x: Any, y: Any) -> Any:
        return np.outer(np.eye(5)[y - 1], x).ravel()

    def loss(self, y: Any, y_hat: Any) -> float:
        return abs(y - y_hat)

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return max(range(1, 6), key=lambda s: self.loss(y, s) + w @ self.joint_feature(x, s))


class Matching(Problem):
    """m items to m others, one to one, by scipy."""

    def joint_feature(self, x: Any, y: Any) -> Any:
        return x[np.arange(len(x)), y].sum(axis=0)

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(np.mean(np.not_equal(y, y_hat)))

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        scores = x @ w + 1 / len(x)
        scores[np.arange(len(x)), y] -= 1 / len(x)
        return linear_sum_assignment(scores, maximize=True)[1]


class Tags(Problem):
    """Labels of 0 or 1 with a weight for every pair: all outputs are tried."""

    OUTPUTS = tuple(itertools.product((0, 1), repeat=LABELS))

    def joint_feature(self, x: Any, y: Any) -> Any:
        bits = np.array(y, dtype=float)
        return np.concatenate(
            [np.outer(bits, x).ravel(), np.outer(bits, bits)[np.triu_indices(LABELS)]]
        )

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(np.sum(np.not_equal(y, y_hat)))

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return max(
            self.OUTPUTS, key=lambda z: self.loss(y, z) + float(w @ self.joint_feature(x, z))
        )


class Sequences(Problem):
    """Sequences of five labels, by the Viterbi algorithm in a loop over the places."""

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature = 5 * X[0].shape[1] + 25

    def joint_feature(self, x: Any, y: Any) -> Any:
        unary, pairs = np.zeros((5, x.shape[1])), np.zeros((5, 5))
        np.add.at(unary, y, x)
        np.add.at(pairs, (y[:-1], y[1:]), 1)
        return np.concatenate([unary.ravel(), pairs.ravel()])

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(np.sum(y != y_hat))

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        scores, pairs = x @ w[:-25].reshape(5, -1).T + 1, w[-25:].reshape(5, 5)
        scores[np.arange(len(y)), y] -= 1
        return viterbi(scores, pairs)


def data_sets() -> Iterator[tuple[str, Problem, Any, Any]]:
    """Yield name, problem, X and Y."""
    rng = np.random.default_rng(0)
    X, y = load_digits(return_X_y=True)
    yield "digits", Digits(), X / 16, y.tolist()
    X = np.column_stack([rng.normal(size=(400, 4)), np.ones(400)])
    Y: list[Any] = [int(np.clip(3 + x[0] + x[1] + 0.5 * rng.normal(), 1, 5)) for x in X]
    yield "stars", Stars(), X, Y
    blur = 0.3 * np.arange(1, 9)
    Y = [rng.permutation(6) for _ in range(400)]
    first = rng.normal(size=(400, 6, 8))
    second = first + blur * rng.normal(size=first.shape)
    second = np.array([points[np.argsort(y)] for points, y in zip(second, Y, strict=True)])
    yield "matching", Matching(), -((first[:, :, None, :] - second[:, None, :, :]) ** 2), Y
    X = rng.normal(size=(400, 5))
    scores = X @ rng.normal(size=(5, LABELS)) + 0.5 * rng.normal(size=(400, LABELS))
    yield "tags", Tags(), X, [tuple((row > 0).astype(int).tolist()) for row in scores]
    Y = [np.cumsum(rng.integers(2, size=length)) % 5 for length in rng.integers(3, 11, size=400)]
    yield (
        "sequences",
        Sequences(),
        [np.eye(5, 20)[y] + 0.8 * rng.normal(size=(len(y), 20)) for y in Y],
        Y,
    )


DATA = ("digits", "stars", "matching", "tags", "sequences")
SOLVERS = (OneSlackCuttingPlane, SmoothedCuttingPlane, NSlackCuttingPlane)
Data = tuple[Problem, list[Any], list[Any], float]


@cache
def drawn() -> dict[str, tuple[Problem, Any, Any]]:
    return {name: data for name, *data in data_sets()}


def some(name: str, n: int, weight: float) -> Data:
    """Examples that are evenly spread: the digits are in the order of their writers."""
    problem, X, Y = drawn()[name]
    rows = np.linspace(0, len(Y) - 1, n).astype(int).tolist()
    return problem, [X[i] for i in rows], [Y[i] for i in rows], weight * n


def trained(data: Data, kind: Any) -> Any:
    return kind(max_iter=MOST_PASSES).solve(*data)


def relative(fits: Any, data: Data) -> list[Row]:
    """Return a row for each solver, with its time relative to the first solver."""
    rows, reference = [], ()
    for name, (result, seconds) in fits.items():
        totals = [seconds + added * result.oracle_calls for added in ADDED]
        reference = reference or totals
        row = {
            "solver": name,
            "status": result.status.name,
            "us a call": 1e6 * result.seconds["oracle"] / result.oracle_calls,
            "passes": result.oracle_calls / len(data[2]),
            "CPU s": seconds,
        }
        for added, total, other in zip(ADDED, totals, reference, strict=True):
            more = f"{1e3 * added:g} ms more" if added else "as it does"
            row[f"ratio, {more}"] = total / other
        rows.append(row)
    return rows


def summary(rows: list[Row]) -> list[Row]:
    """The geometric mean and the extremes of the ratios, by solver and number of examples."""
    return [
        {
            "solver": solver,
            "n": n,
            "a call takes": column.removeprefix("ratio, "),
            "mean": float(np.exp(np.mean(np.log(ratios)))),
            "least": min(ratios),
            "most": max(ratios),
        }
        for (solver, n), found in grouped(rows, ["solver", "n"]).items()
        if solver != SOLVERS[0].__name__
        for column in found[0]
        if column.startswith("ratio")
        for ratios in [[row[column] for row in found]]
    ]


TITLE = "CPU time relative to one slack"
EXPERIMENTS = (
    Experiment(
        TITLE,
        ("data", "n", "C / n", "solver"),
        {case: partial(some, *case) for case in itertools.product(DATA, SIZES, WEIGHTS)},
        {kind.__name__: partial(trained, kind=kind) for kind in SOLVERS},
        relative,
        wide=True,
    ),
    # Of the stored rows.
    Experiment(
        "summary",
        ("solver", "n", "a call takes"),
        {(): lambda: stored("speed/oracle_cost")[TITLE]},
        summary,
    ),
)
