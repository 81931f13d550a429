"""Paths, knapsacks and tours as in PyEPO's papers: to learn from, to choose by, and to test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.decisions.costs import knapsack_values, tour_distances
from structsvm.datasets import shortest_path_costs
from structsvm.problems.decisions import GridPaths, Knapsack, Optimizer, Tours

NOISE = 0.5
CAPACITY = 20.0

#: Costs from features.
Predict = Callable[[Any], Any]


class Examples:
    """Features and true costs, and the regret of predicted ones, in percent of the best values.

    Attributes
    ----------
    X : ndarray of shape (n, p)
    costs : ndarray of shape (n, m)
    best : ndarray of shape (n, m)
        The best decisions.
    values : ndarray of shape (n,)
        What they cost.
    """

    def __init__(self, optimizer: Optimizer, X: Any, costs: Any) -> None:
        self.optimizer, self.X, self.costs = optimizer, X, costs
        self.best = optimizer.batch(costs)
        self.values = (self.best * costs).sum(axis=1)

    def regret(self, predict: Predict) -> float:
        decisions = self.optimizer.batch(np.asarray(predict(self.X), dtype=np.float64))
        lost = np.abs((decisions * self.costs).sum(axis=1) - self.values)
        return 100 * float(lost.sum() / np.abs(self.values).sum())


class Draw(NamedTuple):
    """One draw: n examples to learn from, n / 4 to choose by, test examples, and its number."""

    optimizer: Optimizer
    train: Examples
    validation: Examples
    test: Examples
    seed: int = 0


class Learned(NamedTuple):
    """A prediction of costs, with the calls of the optimizer and the CPU seconds of its training.

    The calls are per example. They leave out the one that finds the best decision for the true
    costs, which all methods need that train for decisions; the seconds include it.
    """

    predict: Predict
    seconds: float
    calls: float = 0.0


def paths(n: int, degree: int, seed: int, tested: int = 10_000) -> Draw:
    """The cheapest paths through 5 x 5 nodes."""
    total = n + n // 4 + tested
    X, costs = shortest_path_costs(total, degree=degree, noise=NOISE, random_state=seed)
    return _split(GridPaths(5, 5), X, costs, n, seed)


def knapsacks(n: int, degree: int, seed: int, tested: int = 1000) -> Draw:
    """The most valuable of 32 items, of two weights each."""
    total = n + n // 4 + tested
    X, values, weights = knapsack_values(total, degree=degree, noise=NOISE, random_state=seed)
    return _split(Knapsack(weights, [CAPACITY] * len(weights)), X, values, n, seed)


def tours(n: int, degree: int, seed: int, tested: int = 1000) -> Draw:
    """The shortest tours through 10 cities."""
    total = n + n // 4 + tested
    X, distances = tour_distances(total, n_cities=10, degree=degree, noise=NOISE, random_state=seed)
    return _split(Tours(10), X, distances, n, seed)


def _split(optimizer: Optimizer, X: Any, costs: Any, n: int, seed: int) -> Draw:
    parts = slice(0, n), slice(n, n + n // 4), slice(n + n // 4, None)
    return Draw(optimizer, *(Examples(optimizer, X[part], costs[part]) for part in parts), seed)
