"""Cheapest paths in a graph with cycles, one example after the other."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.decisions.optimizers.costs import one_by_one


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
