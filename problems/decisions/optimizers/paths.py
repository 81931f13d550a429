"""Cheapest paths through graphs without cycles, and through grids."""

from __future__ import annotations

from functools import cached_property
from itertools import groupby

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import require_integer
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer

#: Largest number of rows or columns of a grid: more would not fit in memory.
MOST = 10_000


class GridPaths(CheckedOptimizer):
    """The cheapest path through a grid of nodes, from the top left to the bottom right.

    A path goes to the right or down in each step. The decision is 1 for the edges of the path and 0
    for all other edges. Edges are numbered as in [1]_: the edges to the right in the first row, the
    edges from the first to the second row, and so on, always from left to right. Costs may be
    negative, because the grid has no cycles. If two paths to a node have equal costs, the path from
    the left is chosen.

    All examples are solved together, by dynamic programming along the diagonals.

    Parameters
    ----------
    rows, columns : int
        The numbers of rows and columns of nodes; at least one number is > 1. 5 x 5 nodes have 40
        edges.

    References
    ----------
    .. [1] B. Tang and E. B. Khalil, "PyEPO: a PyTorch-based end-to-end predict-then-optimize
       library", Mathematical Programming Computation 16, 2024.

    Examples
    --------
    A grid of 2 x 2 nodes has four edges: the upper one, the left one, the right one, the lower one.

    >>> from structsvm.problems.decisions.optimizers import GridPaths
    >>> GridPaths(2, 2)([1.0, 2.0, 5.0, 3.0])
    array([0., 1., 0., 1.])
    """

    oracle_cost = "cheap"

    def __init__(self, rows: int, columns: int) -> None:
        require_integer("rows", rows, 1, MOST)
        require_integer("columns", columns, 1, MOST)
        if rows == columns == 1:
            raise ValueError("a grid has at least two nodes; got rows=1 and columns=1")
        self.rows = rows
        self.columns = columns
        self.n_costs = rows * (columns - 1) + columns * (rows - 1)

    @cached_property
    def _search(self) -> PathSearch:
        """A search that prefers the edge from the left to an equally good edge from above."""
        nodes = np.arange(self.rows * self.columns).reshape(self.rows, -1)
        # Edges to the right and down, row by row; the last row has no edges down.
        tails = np.concatenate([part for row in nodes for part in (row[:-1], row)])
        heads = np.concatenate([part for row in nodes for part in (row[1:], row + self.columns)])
        m = self.n_costs
        return PathSearch(tails[:m][::-1], heads[:m][::-1], 0, nodes.size - 1)

    def _solve(self, costs: Vector) -> Vector:
        return self._search(costs[:, ::-1])[:, ::-1]


class PathSearch:
    """Dynamic programming over a directed graph without cycles.

    A layer holds the nodes whose longest paths from the source have the same number of edges.

    Parameters
    ----------
    tails, heads : ndarray of shape (m,)
        The first and the last node of each edge. Nodes are numbered in a topological order.
    source, target : int
    """

    def __init__(self, tails: Indices, heads: Indices, source: int, target: int) -> None:
        self.source, self.target = source, target
        layers = {source: 0}
        self.incoming: dict[int, list[int]] = {source: []}
        for edge in np.argsort(heads, kind="stable").tolist():
            tail, head = int(tails[edge]), int(heads[edge])
            if tail in layers and head <= target:
                layers[head] = max(layers.get(head, 0), layers[tail] + 1)
                self.incoming.setdefault(head, []).append(edge)
        self.has_path = target in layers
        # An edge of infinite cost pads the lists of edges, so that all nodes of a layer have as
        # many.
        self.tails = np.append(tails, source)
        grouped = groupby(sorted(layers, key=layers.__getitem__), layers.__getitem__)
        self.layers = [self._layer(list(nodes)) for depth, nodes in grouped if depth]

    def _layer(self, nodes: list[int]) -> tuple[Indices, Indices]:
        """Return the nodes of a layer, and the edges that lead to each node."""
        edges = [self.incoming[node] for node in nodes]
        most, none = max(map(len, edges)), len(self.tails) - 1
        return np.array(nodes), np.array([own + [none] * (most - len(own)) for own in edges])

    def __call__(self, costs: Vector) -> Vector:
        """Return the cheapest paths for costs of shape (n, m), as 0/1 vectors of edges."""
        last_edges = self._last_edges(np.vstack([costs.T, np.full((1, len(costs)), np.inf)]))
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
        """Return the last edge of the cheapest path for each node and example, shape (nodes, n).

        ``costs`` are of shape (m + 1, n).
        """
        shape = self.target + 1, costs.shape[1]
        values, last_edges = np.zeros(shape), np.zeros(shape, dtype=np.intp)
        for nodes, edges in self.layers:
            best, last = np.full((len(nodes), costs.shape[1]), np.inf), last_edges[nodes]
            for edge in edges.T:  # one edge to each node
                sums = values[self.tails[edge]] + costs[edge]
                np.copyto(last, edge[:, None], where=sums < best)
                np.minimum(best, sums, out=best)
            values[nodes], last_edges[nodes] = best, last
        return last_edges
