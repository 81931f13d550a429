"""Solvers for problems with a Python oracle for one example, by what the oracle costs.

``solver='auto'`` must choose before the oracle has been called. This measures what a wrong choice
costs: the CPU time of each solver to a certified gap of 1e-3, relative to
:class:`OneSlackCuttingPlane`, for oracles that take 10 us to 2 ms, and for the same oracles with
more time per call, which is added to the CPU time, not spent. Below 1 the solver is the faster one.

    python -m benchmarks speed/oracle_cost
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits

from benchmarks.experiment import one_thread, report
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
        best, back = scores[0], []
        for row in scores[1:]:
            ways = best[:, None] + pairs
            back.append(ways.argmax(axis=0))
            best = ways.max(axis=0) + row
        path = [int(best.argmax())]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        return np.array(path[::-1])


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


def measured(
    name: str, problem: Problem, X: Any, Y: Any, weight: float
) -> Iterator[dict[str, Any]]:
    """Yield a row for every solver."""
    n, reference = len(Y), ()
    for kind in (OneSlackCuttingPlane, SmoothedCuttingPlane, NSlackCuttingPlane):
        started = time.process_time()
        result = kind(max_iter=MOST_PASSES).solve(problem, X, Y, weight * n)
        seconds = time.process_time() - started
        totals = tuple(seconds + added * result.oracle_calls for added in ADDED)
        reference = reference or totals
        row = {
            "data": name,
            "n": n,
            "C / n": weight,
            "solver": kind.__name__,
            "status": result.status.name,
            "us a call": 1e6 * result.seconds["oracle"] / result.oracle_calls,
            "passes": result.oracle_calls / n,
            "CPU s": seconds,
        }
        for added, total, other in zip(ADDED, totals, reference, strict=True):
            more = f"{1e3 * added:g} ms more" if added else "as it does"
            row[f"ratio, {more}"] = total / other
        yield row


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The geometric mean and the extremes of the ratios, by solver and number of examples."""
    columns = [column for column in rows[0] if column.startswith("ratio")]
    summaries = []
    for name, n in dict.fromkeys((row["solver"], row["n"]) for row in rows):
        if name == OneSlackCuttingPlane.__name__:
            continue
        for column in columns:
            ratios = [row[column] for row in rows if (row["solver"], row["n"]) == (name, n)]
            summaries.append(
                {
                    "solver": name,
                    "n": n,
                    "a call takes": column.removeprefix("ratio, "),
                    "mean": float(np.exp(np.mean(np.log(ratios)))),
                    "least": min(ratios),
                    "most": max(ratios),
                }
            )
    return summaries


def main() -> None:
    rows = []
    for name, problem, X, Y in data_sets():
        for n, weight in itertools.product(SIZES, WEIGHTS):
            # Evenly spread: the digits are in the order of their writers.
            some = np.linspace(0, len(Y) - 1, n).astype(int).tolist()
            for row in measured(name, problem, [X[i] for i in some], [Y[i] for i in some], weight):
                rows.append(row)
                print(row, flush=True)
    report(
        "speed/oracle_cost",
        {"CPU time relative to one slack": rows, "summary": summary(rows)},
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with one_thread():
        main()
