"""Cheapest paths and spanning trees in graphs of networkx: decisions choose edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.decisions.optimizers.costs import CHEAP, CheckedOptimizer
from structsvm.problems.decisions.optimizers.paths import PathSearch


class EdgeOptimizer(CheckedOptimizer):
    """An optimizer whose decisions choose edges of a graph.

    Attributes
    ----------
    tails, heads : ndarray of shape (m,)
        The numbers of the two nodes of each edge, in the order of ``graph.edges``.
    places : dict
        A dict from each node to its number.
    """

    def __init__(self, graph: Any) -> None:
        _require_graph(graph)
        self.graph = graph
        self.n_costs = graph.number_of_edges()
        self.oracle_cost = "cheap" if self.n_costs <= CHEAP else "expensive"
        self.places = {node: i for i, node in enumerate(graph.nodes)}
        ends = [(self.places[tail], self.places[head]) for tail, head in graph.edges]
        self.tails, self.heads = np.array(ends, dtype=np.intp).reshape(-1, 2).T.copy()

    def __getstate__(self) -> dict[str, Any]:
        """Return the arguments, with lists of nodes and edges instead of the graph."""
        graph = self.graph
        lists = (graph.is_directed(), list(graph.nodes(data=True)), list(graph.edges(data=True)))
        return super().__getstate__() | {"graph": lists}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import networkx  # only here: it is slow to import, and rarely needed

        directed, nodes, edges = state["graph"]
        graph = networkx.DiGraph() if directed else networkx.Graph()
        graph.add_nodes_from(nodes)
        graph.add_edges_from(edges)
        super().__setstate__(state | {"graph": graph})


def _require_graph(graph: Any) -> None:
    if not hasattr(graph, "is_multigraph"):
        raise TypeError(f"graph must be a graph of networkx; got {type(graph).__name__}")
    if graph.is_multigraph():
        raise ValueError(
            f"graph must have one edge between two nodes; got a {type(graph).__name__}: put a node "
            "on each parallel edge, or keep the cheapest"
        )
    if not graph.number_of_edges():
        raise ValueError("graph must have edges; it has none")


class GraphPaths(EdgeOptimizer):
    """The cheapest path between two nodes of a directed graph without cycles.

    The decision is 1 for the edges of the path and 0 for all other edges, in the order of
    ``graph.edges``. Costs may be negative. All examples are solved together, by dynamic
    programming. If several paths to a node have equal costs, the search compares their last edges,
    and prefers the path whose last edge comes first in ``graph.edges``.

    Parameters
    ----------
    graph : networkx.DiGraph
        A graph without cycles. Do not change the graph while the optimizer is in use.
    source, target : node
        The first and the last node of the path.

    Raises
    ------
    TypeError
        If ``graph`` is not a graph of networkx.
    ValueError
        If the graph is undirected or has parallel edges or cycles, if ``source`` or ``target`` is
        not one of its nodes, if ``source`` and ``target`` are equal, or if no path leads from
        ``source`` to ``target``.

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
        import networkx  # only here: it is slow to import, and rarely needed

        super().__init__(graph)
        self.source = source
        self.target = target
        ends = self._place("source", source), self._place("target", target)
        if source == target:
            raise ValueError(f"source and target must be different nodes; both are {source!r}")
        if not networkx.is_directed_acyclic_graph(graph):
            raise ValueError(
                "graph must be directed and without cycles: SPO+ solves for 2 predicted - true "
                "costs, which may be negative, and make the cheapest path hard to find where there "
                "are cycles. With cycles take a MixedIntegerProgram of flow constraints"
            )
        order = np.empty(len(self.places), dtype=np.intp)
        for i, node in enumerate(networkx.topological_sort(graph)):
            order[self.places[node]] = i
        self._search = PathSearch(order[self.tails], order[self.heads], *order[list(ends)].tolist())
        if not self._search.has_path:
            raise ValueError(f"the graph has no path from {source!r} to {target!r}")

    def _place(self, name: str, node: Any) -> int:
        try:
            return self.places[node]
        except (KeyError, TypeError):
            raise ValueError(f"{name} must be a node of the graph; got {node!r:.60}") from None


class SpanningTrees(EdgeOptimizer):
    """The cheapest tree of edges that connects all nodes of a graph.

    The decision is 1 for the edges of the tree and 0 for all other edges, in the order of
    ``graph.edges``. Costs may be negative. All examples are solved together, by Kruskal's
    algorithm. Among edges of equal cost, the edges that come first in ``graph.edges`` are chosen.

    Parameters
    ----------
    graph : networkx.Graph
        A connected undirected graph, without edges from a node to itself. Do not change the graph
        while the optimizer is in use.

    Raises
    ------
    TypeError
        If ``graph`` is not a graph of networkx.
    ValueError
        If the graph is directed or not connected, or has loops or parallel edges.

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

    def _solve(self, costs: Vector) -> Vector:
        decisions = np.zeros(costs.shape)
        examples = np.arange(len(costs))
        # A number for each node and example: nodes of the same tree have the same number.
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
