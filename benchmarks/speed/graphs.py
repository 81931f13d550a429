"""The separation oracle by minimum cuts beside scipy's flow, and trees beside a loop in Python.

    python -m benchmarks.speed.graphs

CPU time of one example, one thread, medians of alternating runs. The bare call is
scipy.sparse.csgraph.maximum_flow with integer capacities and matrix made in advance; the oracle
computes scores, capacities and the cut, and proves it. The loop is max-product node by node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.ndimage import gaussian_filter
from scipy.sparse.csgraph import maximum_flow

from benchmarks.report import one_thread, report
from benchmarks.speed._alternating import alternating
from benchmarks.store import Row
from structsvm.problems import AttractiveGraphLabelling, Graph, TreeLabelling, grid_graph

REPEATS = 11


def compared(ours: Callable[[], Any], other: Callable[[], Any], n: int) -> Row:
    """Median CPU times of an example in milliseconds, and the median of their ratios."""
    first, second, ratio = alternating(ours, other, REPEATS)
    return {"ours, ms": 1e3 * first / n, "other, ms": 1e3 * second / n, "ratio": ratio}


def cuts(size: int, n: int, coupling: float) -> Row:
    """Grids of smooth scores with noise, cut together."""
    rng = np.random.default_rng(0)
    noise = [gaussian_filter(rng.normal(size=(size, size)), 2) * 6 for _ in range(n)]
    X = [grid_graph((f + rng.normal(size=f.shape))[:, :, None]) for f in noise]
    Y = [f.ravel() > 0 for f in noise]
    problem = AttractiveGraphLabelling()
    problem.initialize(X, Y)
    task = problem.task(X, Y)
    w = np.array([-0.5, 0.5, coupling, coupling])
    gain = np.concatenate([x.features[:, 0] for x in X]) + 1 - 2 * np.concatenate(Y)
    matrix = whole_capacities(gain, task.X.joined, coupling)

    def bare() -> None:
        maximum_flow(matrix, len(gain), len(gain) + 1)

    def oracle() -> None:
        task.search(w)

    oracle()  # prepares the network, once per fit
    return {
        "grid": f"{size} x {size}",
        "graphs": n,
        "coupling": coupling,
        **compared(oracle, bare, n),
    }


def whole_capacities(gain: Any, edges: Any, coupling: float) -> Any:
    """The network of a bare call, in 30 bits."""
    n, nodes = len(gain), np.arange(len(gain))
    tails = np.concatenate([np.where(gain > 0, n, nodes), edges[:, 0], edges[:, 1]])
    heads = np.concatenate([np.where(gain > 0, nodes, n + 1), edges[:, 1], edges[:, 0]])
    capacities = np.concatenate([np.abs(gain), np.full(2 * len(edges), coupling)])
    whole = (capacities * (2**30 - 1) / capacities.max()).astype(np.int32)
    return sparse.csr_matrix((whole, (tails, heads)), (n + 2, n + 2))


def trees(n_nodes: int, k: int) -> Row:
    """A thousand random trees."""
    rng, n = np.random.default_rng(0), 1000
    parents = np.array([rng.integers(i) for i in range(1, n_nodes)])
    X = []
    for _ in range(n):
        order = rng.permutation(n_nodes)
        edges = np.column_stack([order[parents], order[1:]])
        X.append(Graph(rng.normal(size=(n_nodes, k)), edges))
    Y = [rng.integers(k, size=n_nodes) for _ in X]
    problem = TreeLabelling()
    problem.initialize(X, Y)
    graphs = problem.graphs(X)
    w = rng.normal(size=problem.size_joint_feature)
    unary, of_entries = problem.layout_.scores(graphs, w)
    pairwise = problem.layout_.pairwise(of_entries)
    forest, starts = graphs.forest, graphs.nodes.starts
    own = [
        (unary[a:b], x.edges, pairwise[a - i : b - i - 1])
        for i, (x, a, b) in enumerate(zip(X, starts, starts[1:], strict=False))
    ]

    def loop() -> Any:
        return np.concatenate([max_product(*tree) for tree in own])

    def ours() -> Any:
        return forest.maximum(unary, pairwise)

    np.testing.assert_array_equal(loop(), ours())
    found = compared(ours, loop, n)
    return {"nodes": n_nodes, "labels": k, **found, "times as fast": 1 / found.pop("ratio")}


def max_product(unary: Any, edges: Any, pairwise: Any) -> Any:
    """The best labelling of a tree whose edges come in the order of a search from its root."""
    best, labels = unary.copy(), np.empty(len(unary), dtype=np.intp)
    choices = []
    for (parent, child), scores in zip(edges[::-1].tolist(), pairwise[::-1], strict=True):
        sums = scores + best[child]
        choices.append(sums.argmax(axis=1))
        best[parent] += sums.max(axis=1)
    labels[edges[0, 0]] = best[edges[0, 0]].argmax()
    for (parent, child), choice in zip(edges.tolist(), choices[::-1], strict=True):
        labels[child] = choice[labels[parent]]
    return labels


def main() -> None:
    with one_thread():
        of_cuts = [
            cuts(*case)
            for case in ((64, 1, 0.3), (64, 10, 0.3), (64, 10, 1.0), (64, 10, 3.0), (32, 10, 1.0))
        ]
        of_trees = [trees(*case) for case in ((10, 2), (10, 3), (30, 3), (30, 10))]
    report(
        "speed/graphs",
        {"flow oracle beside maximum_flow": of_cuts, "max-product beside a loop": of_trees},
    )


if __name__ == "__main__":
    main()
