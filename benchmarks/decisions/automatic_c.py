"""Regret for multiples of the unit of C of DecisionFocusedRegressor, by number of examples.

The rule of C='auto', min(n / 8, 100) units, was chosen here, on problems that the other benchmarks
of decisions do not have: grids of another shape, assignments, spanning trees and knapsacks of one
dimension, with costs of degree 1 and 4 in units drawn at random.

    python -m benchmarks.decisions.automatic_c
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx
import numpy as np

from benchmarks.report import one_thread, report
from structsvm.problems.decisions import (
    Assignments,
    DecisionFocusedRegressor,
    GridPaths,
    Knapsack,
    SpanningTrees,
)

MULTIPLES = (3.0, 10.0, 30.0, 100.0, 200.0)
SIZES = (40, 160, 640)
#: Degree, half width of the noise and number of features of the costs.
COSTS = ((1, 0.5, 5), (4, 0.3, 8))
DRAWS, TEST = 3, 500


def optimizers(rng: np.random.Generator) -> Iterator[Any]:
    yield GridPaths(4, 6)
    yield Assignments(6)
    graph = networkx.gnm_random_graph(12, 30, seed=int(rng.integers(1000)))
    while not networkx.is_connected(graph):
        graph = networkx.gnm_random_graph(12, 30, seed=int(rng.integers(1000)))
    yield SpanningTrees(graph)
    yield Knapsack(rng.integers(1, 20, 20).astype(float), 50.0)


def drawn(rng: np.random.Generator, n: int, m: int, cost: tuple[int, float, int]) -> Any:
    """Features and costs of n examples, in units drawn at random."""
    degree, noise, p = cost
    B, X = rng.binomial(1, 0.5, (m, p)), rng.normal(size=(n, p))
    powers = np.maximum(X @ B.T / np.sqrt(p) + 3, 0.1) ** degree / 3**degree
    units = 10 ** rng.uniform(-2, 2, size=2)
    return units[0] * X, units[1] * powers * rng.uniform(1 - noise, 1 + noise, powers.shape)


def regrets(optimizer: Any, X: Any, costs: Any, n: int) -> list[float]:
    """The regret on the other examples for each multiple."""
    model = DecisionFocusedRegressor(optimizer, sense=optimizer.sense, max_iter=1, rtol=0.9)
    unit = model.fit(X[:n], costs[:n]).C_ / min(n / 8, 100)
    found = []
    for multiple in MULTIPLES:
        model = DecisionFocusedRegressor(optimizer, sense=optimizer.sense, C=multiple * unit)
        found.append(100 * model.fit(X[:n], costs[:n]).regret(X[n:], costs[n:]))
    return found


def main() -> None:
    rows = []
    for n in SIZES:
        for cost in COSTS:
            found = []
            for seed in range(DRAWS):
                rng = np.random.default_rng(seed)
                for optimizer in optimizers(rng):
                    X, costs = drawn(rng, n + TEST, optimizer.n_costs, cost)
                    found.append(regrets(optimizer, X, costs, n))
            means = zip(MULTIPLES, np.mean(found, axis=0).tolist(), strict=True)
            rows.append({"n": n, "degree": cost[0], **{f"{c:g} units": r for c, r in means}})
            print(rows[-1], flush=True)
    report("decisions/automatic_c", {"regret, percent, mean over the problems": rows})


if __name__ == "__main__":
    with one_thread():
        main()
