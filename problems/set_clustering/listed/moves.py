"""Moves of single items between clusters, where only listed pairs are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.listed.neighbours import Neighbours


class Moves:
    """Labels, and the moves of an item to a cluster that has a pair with it, or to a new one.

    Attributes
    ----------
    labels : list of m ints
    sizes : list of int
        The sizes of the clusters, 0 for an empty one.
    """

    def __init__(self, K: Neighbours, labels: Indices) -> None:
        self.K = K
        self.labels = in_order(labels).tolist()
        self.sizes = np.bincount(in_order(labels)).tolist()

    def improve(self, best_move: Callable[[int], tuple[int, float]]) -> Indices:
        """Make the best moves until none gains more than the margin.

        ``best_move(i)`` returns the cluster that item i gains most by moving to, and the gain.
        """
        moved = True
        while moved:
            moved = False
            for i in range(len(self.labels)):
                target, gain = best_move(i)
                if gain > self.K.margin:
                    self._move(i, target)
                    moved = True
        return in_order(np.array(self.labels, dtype=np.intp))

    def sums(self, i: int) -> Iterator[tuple[int, float]]:
        """The clusters that have a pair with item i, and the similarity to their other items."""
        totals: dict[int, float] = {}
        counts: dict[int, int] = {}
        for j, value in self.K.similar[i].items():
            c = self.labels[j]
            totals[c] = totals.get(c, 0.0) + value
            counts[c] = counts.get(c, 0) + 1
        for c, total in totals.items():
            missing = self.sizes[c] - (c == self.labels[i]) - counts[c]
            yield c, total + self.K.elsewhere * missing

    def _move(self, i: int, target: int) -> None:
        if target == len(self.sizes):
            self.sizes.append(0)
        self.sizes[self.labels[i]] -= 1
        self.sizes[target] += 1
        self.labels[i] = target
