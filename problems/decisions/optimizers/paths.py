"""Cheapest paths through a graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.decisions.optimizers.costs import one_by_one
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


class AcyclicSearch:
    """Dynamic programming over the nodes in topological order.

    Parameters
    ----------
    tails, heads : ndarray of shape (m,)
        The places of the ends of the edges in a topological order.
    source, target : int
        The places of two nodes in this order.
    """

    def __init__(self, tails: Indices, heads: Indices, source: int, target: int) -> None:
        self.tails, self.source, self.target = tails, source, target
        within = (tails >= source) & (heads <= target)
        self.incoming = {source: np.empty(0, dtype=np.intp)}
        for node in np.unique(heads[within]):
            edges = np.flatnonzero(within & (heads == node))
            edges = edges[[tail in self.incoming for tail in tails[edges]]]
            if len(edges):
                self.incoming[int(node)] = edges
        self.has_path = target in self.incoming

    def __call__(self, costs: Vector) -> Vector:
        """The paths for costs of shape (n, m), as 0/1 vectors of their edges."""
        last_edges = self._last_edges(np.ascontiguousarray(costs.T))
        decisions = np.zeros(costs.shape)
        examples = np.arange(len(costs))
        nodes = np.full(len(costs), self.target)
        while len(examples):
            edges = last_edges[nodes, examples]
            decisions[examples, edges] = 1
            nodes = self.tails[edges]
            going = nodes != self.source
            nodes, examples = nodes[going], examples[going]
        return decisions

    def _last_edges(self, costs: Vector) -> Indices:
        """The last edges of the cheapest paths to all nodes, shape (nodes, n); costs (m, n)."""
        shape = self.target + 1, costs.shape[1]
        values, last_edges = np.zeros(shape), np.zeros(shape, dtype=np.intp)
        for node, edges in self.incoming.items():
            if node != self.source:
                sums = values[self.tails[edges]] + costs[edges]
                last_edges[node] = edges[sums.argmin(axis=0)]
                values[node] = sums.min(axis=0)
        return last_edges


class DijkstraSearch:
    """Dijkstra's algorithm of scipy.

    Parameters
    ----------
    tails, heads : ndarray of shape (m,)
        The numbers of the nodes of the edges.
    n_nodes : int
    source, target : int
    directed : bool
        Whether edges lead from tails to heads alone.
    """

    def __init__(
        self,
        tails: Indices,
        heads: Indices,
        n_nodes: int,
        source: int,
        target: int,
        directed: bool,
    ) -> None:
        self.source, self.target = source, target
        edges = np.flatnonzero(tails != heads)
        ends = tails[edges], heads[edges]
        if not directed:
            edges = np.tile(edges, 2)
            ends = np.concatenate(ends), np.concatenate(ends[::-1])
        # Sparse matrices keep zeros that are given, and scipy takes them for edges that cost 0.
        self.matrix = sparse.csr_array((edges.astype(float), ends), shape=(n_nodes, n_nodes))
        self.edges = self.matrix.data.astype(np.intp)
        pairs = zip(*(end.tolist() for end in ends), strict=True)
        self.edge_between = dict(zip(pairs, edges.tolist(), strict=True))
        self.has_path = self._predecessors(np.zeros(len(tails)))[target] >= 0

    def __call__(self, costs: Vector) -> Vector:
        """The paths for costs of shape (n, m), as 0/1 vectors of their edges.

        Raises
        ------
        ValueError
            A cost is negative.
        """
        if (costs < 0).any():
            i, j = np.argwhere(costs < 0)[0]
            raise ValueError(
                "costs must not be negative in a graph with cycles, where they make the cheapest "
                f"path hard to find; that of edge {j} is {costs[i, j]:g} in example {i}. SPO+ "
                "solves for 2 predicted - true costs, which may be negative even where both are "
                "positive: take a directed graph without cycles, or a MixedIntegerProgram of flow "
                "constraints"
            )
        return one_by_one(self._path, costs)

    def _path(self, costs: Vector) -> Vector:
        before, decision, node = self._predecessors(costs), np.zeros(len(costs)), self.target
        while node != self.source:
            decision[self.edge_between[before[node], node]] = 1
            node = before[node]
        return decision

    def _predecessors(self, costs: Vector) -> list[int]:
        """The nodes before each on the cheapest paths from the source; negative without a path."""
        self.matrix.data = costs[self.edges]
        _, before = dijkstra(self.matrix, indices=self.source, return_predecessors=True)
        return before.tolist()
