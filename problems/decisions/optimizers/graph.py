"""Graphs of networkx as the sets of decisions over their edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.problems.decisions.optimizers.costs import CHEAP, CheckedOptimizer


class EdgeOptimizer(CheckedOptimizer):
    """An optimizer whose decisions choose edges of a graph.

    Attributes
    ----------
    tails, heads : ndarray of shape (m,)
        The numbers of the nodes of the edges, in the order of ``graph.edges``.
    places : dict
        The number of each node.
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
        """The arguments, with the graph as lists: its own state has views of itself."""
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


def chosen(n_edges: int, edges: Indices | list[int]) -> Any:
    """The decision that takes these edges."""
    decision = np.zeros(n_edges)
    decision[edges] = 1
    return decision
