"""One search for the best labels of a grid of pixels, compared with gco and PyMaxflow.

Noisy squares of k labels; an edge costs a score where its labels differ. With two labels the
search is exact, a minimum cut as PyMaxflow's; with more it is alpha expansion, as gco's. The least
CPU time of five searches; the score is of the labels found, the higher the better.

    python -m benchmarks speed/searches    # needs gco-wrapper and PyMaxflow
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.problems import grid_graph
from structsvm.problems.graphs.inference.cut import disagreements
from structsvm.problems.graphs.inference.moves import expanded
from structsvm.problems.graphs.inference.relaxation import roof_dual
from structsvm.problems.graphs.inference.scores import component_scores

REPEATS = 5
#: What gco takes are integers: scores are given in thousandths.
UNITS = 1000


class Grid(NamedTuple):
    """Scores of labels at the pixels, the edges, and the cost of two labels that differ."""

    side: int
    unary: Any
    edges: Any
    cost: float

    @property
    def pairwise(self) -> Any:
        k = self.unary.shape[1]
        return np.broadcast_to(self.cost * (np.eye(k) - 1), (len(self.edges), k, k))

    def score(self, labels: Any) -> float:
        one = np.zeros(len(self.unary), dtype=int)
        return float(component_scores(self.unary, self.edges, self.pairwise, labels, one)[0])


def grid(side: int, k: int, cost: float) -> Grid:
    rng, squares = np.random.default_rng(0), np.arange(side) // (side // 4)
    truth = np.add.outer(squares, squares).ravel() % k
    unary = 2 * np.eye(k)[truth] + 1.5 * rng.normal(size=(side**2, k))
    return Grid(side, unary, np.asarray(grid_graph(np.zeros((side, side, 1))).edges), cost)


def ours(data: Grid) -> Callable[[], Any]:
    unary, edges, pairwise = data.unary, data.edges, data.pairwise
    if unary.shape[1] > 2:
        return lambda: expanded(unary, edges, pairwise)
    one = np.zeros(len(unary), dtype=int)
    linear, capacities = disagreements(unary, edges, pairwise)
    return lambda: roof_dual(linear, edges, capacities, one).astype(int)


def theirs(data: Grid) -> Callable[[], Any]:
    unary, shape = data.unary, (data.side, data.side)
    if unary.shape[1] == 2:
        import maxflow

        gain = (unary[:, 1] - unary[:, 0]).reshape(shape)

        def cut() -> Any:
            graph = maxflow.Graph[float](gain.size, 2 * gain.size)
            nodes = graph.add_grid_nodes(shape)
            graph.add_grid_edges(nodes, data.cost)
            graph.add_grid_tedges(nodes, np.maximum(gain, 0), np.maximum(-gain, 0))
            graph.maxflow()
            return 1 - graph.get_grid_segments(nodes).ravel().astype(int)

        return cut
    import gco

    costs = np.full(len(data.edges), UNITS * data.cost), -UNITS * unary, 1 - np.eye(unary.shape[1])
    edges = data.edges.astype(np.int32)
    return lambda: gco.cut_general_graph(edges, *costs, n_iter=-1, algorithm="expansion")


def measured(search: Callable[[Grid], Callable[[], Any]], data: Grid) -> Row:
    run, times = search(data), []
    for _ in range(REPEATS):
        start = time.process_time()
        labels = run()
        times.append(time.process_time() - start)
    return {"ms": 1000 * min(times), "score": data.score(labels)}


EXPERIMENTS = (
    Experiment(
        "one search",
        ("pixels a side", "labels", "cost of an edge", "search"),
        {key: partial(grid, *key) for key in product((20, 50, 100), (2, 5, 11), (0.5, 2.0))},
        {"structsvm": partial(measured, ours), "gco, PyMaxflow": partial(measured, theirs)},
    ),
)
