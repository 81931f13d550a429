"""Cheapest monotone paths through a grid."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer

#: Rows or columns, at most: more would not fit in memory.
MOST = 10_000


class GridPaths(CheckedOptimizer):
    """The cheapest path through a grid of nodes, from the top left to the bottom right.

    A path goes to the right or down in each step. The decision is 1 for the edges of the path and 0
    for the others. Edges are numbered as in [1]_: for each row first its edges to the right, then
    its edges down to the next row, both from the left. There is no cycle, so costs may be negative.
    Of paths to a node that cost the same, one that arrives from the left is taken.

    All examples are solved at once, by dynamic programming along the diagonals.

    Parameters
    ----------
    rows, columns : int
        The numbers of nodes, not both 1. 5 x 5 nodes have 40 edges.

    References
    ----------
    .. [1] B. Tang and E. B. Khalil, "PyEPO: a PyTorch-based end-to-end predict-then-optimize
       library", Mathematical Programming Computation 16, 2024.

    Examples
    --------
    Two rows of two nodes: to the right, down on the left, down on the right, to the right below.

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

    def decisions(self) -> Iterable[Vector]:
        """Return all paths: there are as many as choices of the steps that go down."""
        choices = combinations(range(self._n_steps), self.rows - 1)
        return (self._path(set(down)) for down in choices)

    @property
    def _n_steps(self) -> int:
        return self.rows + self.columns - 2

    def _path(self, down: set[int]) -> Vector:
        path, row = np.zeros(self.n_costs), 0
        for step in range(self._n_steps):
            right, below = self._edges(row, step)
            path[below if step in down else right] = 1
            row += step in down
        return path

    def _rows_after(self, step: int) -> tuple[int, int]:
        """The first and the last row that a step can reach."""
        return max(0, step + 2 - self.columns), min(self.rows - 1, step + 1)

    def _edges(self, row: Any, step: int) -> tuple[Any, Any]:
        """The edges to the right and down from nodes in these rows, on one diagonal of the grid."""
        right = row * (2 * self.columns - 1) + step - row
        return right, right + self.columns - 1

    def _solve(self, costs: Vector) -> Vector:
        decisions = np.zeros(costs.shape)
        self._trace(self._from_above(np.ascontiguousarray(costs.T)), decisions)
        return decisions

    def _from_above(self, costs: Vector) -> list[Vector]:
        """For each step, whether the nodes that it reaches are reached from above; costs (m, n).

        A step leads from a diagonal to the next; its truth values are of shape (nodes, n).
        """
        # The values of the nodes on the diagonal by row, after a row above the grid.
        values = np.full((self.rows + 1, costs.shape[1]), np.inf)
        values[1], found = 0.0, []
        for step in range(self._n_steps):
            first, last = self._rows_after(step)
            reached = np.arange(first, last + 1)
            # Edges that there are not lead from nodes of infinite value.
            across = values[first + 1 : last + 2] + costs[self._edges(reached, step)[0]]
            down = values[first : last + 1] + costs[self._edges(reached - 1, step)[1]]
            found.append(down < across)
            np.minimum(across, down, out=values[first + 1 : last + 2])
        return found

    def _trace(self, from_above: list[Vector], decisions: Vector) -> None:
        """Write the paths to the decisions, from their ends."""
        examples = np.arange(len(decisions))
        rows = np.full(len(decisions), self.rows - 1)
        for step in reversed(range(self._n_steps)):
            above = from_above[step][rows - self._rows_after(step)[0], examples]
            rows -= above
            right, below = self._edges(rows, step)
            decisions[examples, np.where(above, below, right)] = 1
