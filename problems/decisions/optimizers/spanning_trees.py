"""Cheapest spanning trees of a graph."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.decisions.optimizers.graph import EdgeOptimizer, chosen


class SpanningTrees(EdgeOptimizer):
    """The cheapest tree of edges that connects all nodes of a graph.

    The decision is 1 for the edges of the tree and 0 for the others, in the order of
    ``graph.edges``. Costs may be negative. All examples are solved at once, by Kruskal's algorithm;
    of edges that cost the same, the first are taken.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected, connected, without edges from a node to itself. It must not be changed
        afterwards.

    Raises
    ------
    TypeError
        ``graph`` is not a graph of networkx.
    ValueError
        The graph is directed, not connected, or has loops or parallel edges.

    Examples
    --------
    >>> import networkx
    >>> from structsvm.problems.decisions.optimizers import SpanningTrees
    >>> SpanningTrees(networkx.cycle_graph(4))([3.0, 4.0, 1.0, 2.0])
    array([1., 0., 1., 1.])
    """

    def __init__(self, graph: Any) -> None:
        super().__init__(graph)
        if graph.is_directed():
            raise ValueError(
                f"graph must be undirected; got a {type(graph).__name__}: pass "
                "graph.to_undirected()"
            )
        loops = np.flatnonzero(self.tails == self.heads)
        if len(loops):
            node = list(graph.nodes)[self.tails[loops[0]]]
            raise ValueError(f"graph must not have edges from a node to itself; {node!r} has one")
        if self._solve(np.zeros((1, self.n_costs))).sum() < len(self.places) - 1:
            raise ValueError("graph must be connected, for a tree to reach all of its nodes")

    def decisions(self) -> Iterable[Vector]:
        """Return all spanning trees."""
        for edges in combinations(range(self.n_costs), len(self.places) - 1):
            tree = chosen(self.n_costs, list(edges))
            # Only the edges of a tree are all taken where they cost less than the others.
            if np.array_equal(self(1 - tree), tree):
                yield tree

    def _solve(self, costs: Vector) -> Vector:
        decisions = np.zeros(costs.shape)
        examples = np.arange(len(costs))
        # The trees of each example so far, by the numbers that their nodes share.
        trees = np.tile(np.arange(len(self.places)), (len(costs), 1))
        for edges in costs.argsort(axis=1, kind="stable").T:
            first = trees[examples, self.tails[edges]]
            second = trees[examples, self.heads[edges]]
            joining = np.flatnonzero(first != second)
            decisions[joining, edges[joining]] = 1
            rows = trees[joining]
            joined = rows == second[joining, None]
            trees[joining] = np.where(joined, first[joining, None], rows)
        return decisions
