"""Cheapest paths through a graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.decisions.optimizers.acyclic import AcyclicSearch
from structsvm.problems.decisions.optimizers.dijkstra import DijkstraSearch
from structsvm.problems.decisions.optimizers.graph import EdgeOptimizer, chosen


class GraphPaths(EdgeOptimizer):
    """The cheapest path from a node of a graph to another.

    The decision is 1 for the edges of the path and 0 for the others, in the order of
    ``graph.edges``. In a directed graph without cycles the costs may be negative, and all examples
    are solved at once, by dynamic programming. In any other graph the costs must not be negative,
    and each example is solved by Dijkstra's algorithm.

    Parameters
    ----------
    graph : networkx.Graph or networkx.DiGraph
        No multigraph. It must not be changed afterwards.
    source, target : node
        Two nodes of the graph.

    Raises
    ------
    TypeError
        ``graph`` is not a graph of networkx.
    ValueError
        The graph has parallel edges, a node is not in it, both are the same, or there is no path;
        or, when costs are given, one is negative in a graph with cycles.

    Notes
    -----
    Of paths to a node that cost the same, one by the edge that comes first is taken in a directed
    graph without cycles.

    Examples
    --------
    >>> import networkx
    >>> from structsvm.problems.decisions.optimizers import GraphPaths
    >>> graph = networkx.DiGraph([("home", "bus"), ("bus", "work"), ("home", "work")])
    >>> list(graph.edges)
    [('home', 'bus'), ('home', 'work'), ('bus', 'work')]
    >>> GraphPaths(graph, "home", "work")([2.0, 6.0, 3.0])
    array([1., 0., 1.])
    """

    def __init__(self, graph: Any, source: Any, target: Any) -> None:
        super().__init__(graph)
        self.source = source
        self.target = target
        ends = self._place("source", source), self._place("target", target)
        if ends[0] == ends[1]:
            raise ValueError(f"source and target must be different nodes; both are {source!r}")
        self._search = self._acyclic(*ends) or DijkstraSearch(
            self.tails, self.heads, len(self.places), *ends, graph.is_directed()
        )
        if not self._search.has_path:
            raise ValueError(f"the graph has no path from {source!r} to {target!r}")

    def decisions(self) -> Iterable[Vector]:
        """Return all paths that visit no node twice."""
        import networkx  # only here: it is slow to import, and rarely needed

        number = {edge: i for i, edge in enumerate(self.graph.edges)}
        if not self.graph.is_directed():
            number |= {(head, tail): i for (tail, head), i in number.items()}
        for path in networkx.all_simple_edge_paths(self.graph, self.source, self.target):
            yield chosen(self.n_costs, [number[edge] for edge in path])

    def _acyclic(self, source: int, target: int) -> AcyclicSearch | None:
        """The search in a directed graph without cycles; None for another graph."""
        import networkx

        if not networkx.is_directed_acyclic_graph(self.graph):
            return None
        order = np.empty(len(self.places), dtype=np.intp)
        for i, node in enumerate(networkx.topological_sort(self.graph)):
            order[self.places[node]] = i
        return AcyclicSearch(order[self.tails], order[self.heads], order[source], order[target])

    def _place(self, name: str, node: Any) -> int:
        try:
            return self.places[node]
        except (KeyError, TypeError):
            raise ValueError(f"{name} must be a node of the graph; got {node!r:.60}") from None

    def _solve(self, costs: Vector) -> Vector:
        return self._search(costs)
