"""Knapsacks of one dimension with integer weights: dynamic programming over the capacity."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.programs.constraints import slack

#: Entries of the table of an example, at most: with more of them HiGHS may be as fast.
MOST_ENTRIES = 100_000
#: Entries of the tables that are made at a time.
BLOCK = 10_000_000


class TableSearch:
    """The best items for many values at once.

    Parameters
    ----------
    weights : ndarray of int of shape (m,)
    capacity : int
    """

    def __init__(self, weights: Indices, capacity: int) -> None:
        self.weights, self.capacity = weights, capacity

    def __call__(self, values: Vector) -> Vector:
        """The best items for values of shape (n, m), as 0/1 vectors."""
        decisions = np.zeros(values.shape)
        step = max(1, BLOCK // (len(self.weights) * (self.capacity + 1)))
        for start in range(0, len(values), step):
            block = slice(start, start + step)
            self._trace(self._taken(np.ascontiguousarray(values[block].T)), decisions[block])
        return decisions

    def _taken(self, values: Vector) -> Vector:
        """Whether the best of the items so far include the last, for all capacities.

        ``values`` are of shape (m, n), the truth values of shape (m, capacity + 1, n).
        """
        best = np.zeros((self.capacity + 1, values.shape[1]))
        taken = np.zeros((len(values), *best.shape), dtype=bool)
        for j, weight in enumerate(self.weights.tolist()):
            if weight <= self.capacity:
                gained = best[: self.capacity + 1 - weight] + values[j]
                taken[j, weight:] = gained > best[weight:]
                best[weight:] = np.maximum(best[weight:], gained)
        return taken

    def _trace(self, taken: Vector, decisions: Vector) -> None:
        """Write the items to the decisions, from the last."""
        examples = np.arange(len(decisions))
        free = np.full(len(decisions), self.capacity)
        for j in reversed(range(len(self.weights))):
            decisions[:, j] = taken[j, free, examples]
            free -= self.weights[j] * taken[j, free, examples]


def integers_of(weights: Vector, capacities: Vector) -> tuple[Indices, int] | None:
    """The weights and the capacity as integers; None without such, or if the table is large."""
    capacity = float(np.floor(capacities + slack(capacities))[0])
    small = len(capacities) == 1 and weights.size * (capacity + 1) <= MOST_ENTRIES
    if not small or (weights % 1).any():
        return None
    # Items that never fit keep doing so, whatever their weights.
    return np.minimum(weights[0], capacity + 1).astype(np.intp), int(capacity)
