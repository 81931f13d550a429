"""Cheapest paths in a directed graph without cycles, for many costs at once."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector


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
