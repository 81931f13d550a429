"""Knapsacks into which few sets of items fit: all sets are listed once."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.programs.constraints import slack

#: Entries of the sets that fit, at most: with more of them a product takes long.
MOST_ENTRIES = 1_000_000
#: Values of sets that are computed at a time.
BLOCK = 1_000_000


class SetSearch:
    """The best of given sets, each without its items of negative value.

    Parameters
    ----------
    sets : ndarray of bool of shape (s, m)
    """

    def __init__(self, sets: Vector) -> None:
        self.sets = sets.astype(np.float64)

    def __call__(self, values: Vector) -> Vector:
        """The best sets for values of shape (n, m), as 0/1 vectors."""
        decisions = np.empty(values.shape)
        gains = np.maximum(values, 0.0)
        step = max(1, BLOCK // len(self.sets))
        for start in range(0, len(values), step):
            block = slice(start, start + step)
            chosen = (gains[block] @ self.sets.T).argmax(axis=1)
            decisions[block] = self.sets[chosen] * (values[block] > 0)
        return decisions


def maximal_sets(weights: Vector, capacities: Vector) -> Vector | None:
    """The sets of items that fit and to which no other item can be added; None if there are many.

    Weights are of shape (d, m), capacities of shape (d,); the sets are truth values of shape
    (s, m). The sets that fit are made by their size, from those of an item less.
    """
    limits, items = capacities + slack(capacities), np.arange(weights.shape[1])
    sets, sums = np.zeros((1, len(items)), dtype=bool), np.zeros((1, len(weights)))
    last, n_sets, found = np.array([-1]), 1, []
    while len(sets):
        fits = (sums[:, :, None] + weights <= limits[:, None]).all(axis=1) & ~sets
        found.append(sets[~fits.any(axis=1)])
        rows, last_items = np.nonzero(fits & (items > last[:, None]))
        n_sets += len(rows)
        if n_sets * len(items) > MOST_ENTRIES:
            return None
        sets, sums, last = sets[rows], sums[rows] + weights.T[last_items], last_items
        sets[np.arange(len(rows)), last] = True
    return np.concatenate(found)
