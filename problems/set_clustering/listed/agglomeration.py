"""Clusters grown by the best merge of two, where only listed pairs are stored."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.listed.neighbours import Neighbours


class Agglomeration:
    """Clusters that share a listed pair, and the gains of merging them.

    Each cluster is named by one of its items. ``between[a][b]`` holds the sum of the similarities
    of the listed pairs between two clusters, and their number; ``inside`` the sum over the ordered
    pairs in a cluster, diagonal included.

    Parameters
    ----------
    K : Neighbours
    labels : ndarray of shape (m,)
        The clusters to begin with.
    gain : callable
        ``gain(state, a, b, similarity)`` is the gain of merging two clusters with this total
        similarity, pairs that are not listed included.
    """

    def __init__(
        self,
        K: Neighbours,
        labels: Indices,
        gain: Callable[[Agglomeration, int, int, float], float],
    ) -> None:
        self.K, self.gain = K, gain
        first: dict[int, int] = {}
        self.labels = [first.setdefault(c, i) for i, c in enumerate(labels.tolist())]
        self.sizes, self.inside = [0] * len(K.similar), [0.0] * len(K.similar)
        self.between: list[dict[int, tuple[float, int]]] = [{} for _ in K.similar]
        for i, (a, similar) in enumerate(zip(self.labels, K.similar, strict=True)):
            self.sizes[a] += 1
            self.inside[a] += K.own[i]
            for j, value in similar.items():
                b = self.labels[j]
                if a == b:
                    self.inside[a] += value
                else:
                    total, count = self.between[a].get(b, (0.0, 0))
                    self.between[a][b] = total + value, count + 1
        self.merges = [0] * len(K.similar)

    def run(self, least: float, n_clusters: int = 1) -> Indices:
        """Merge while some gain is above ``least`` and there are more than ``n_clusters``."""
        queue: list[tuple[float, int, int, int, int]] = []
        for a in range(len(self.between)):
            self._push(queue, a, [b for b in self.between[a] if a < b], least)
        left = sum(size > 0 for size in self.sizes)
        while queue and left > n_clusters:
            _, a, b, *merges = heapq.heappop(queue)
            # Entries of clusters that have changed since are stale.
            if merges == [self.merges[a], self.merges[b]]:
                self._merge(a, b)
                self._push(queue, a, list(self.between[a]), least)
                left -= 1
        return self._partition()

    def _push(self, queue: list, a: int, others: list[int], least: float) -> None:
        for b in others:
            total, count = self.between[a][b]
            missing = self.sizes[a] * self.sizes[b] - count
            if missing and self.K.impossible:
                # More merges only add pairs, so these clusters will never be one.
                del self.between[a][b], self.between[b][a]
                continue
            gain = self.gain(self, a, b, total + self.K.elsewhere * missing)
            if gain > least:
                low, high = min(a, b), max(a, b)
                entry = self.K.rank(gain), low, high, self.merges[low], self.merges[high]
                heapq.heappush(queue, entry)

    def _merge(self, a: int, b: int) -> None:
        """Merge b into a."""
        ours, theirs = self.between[a], self.between[b]
        total, count = ours.pop(b)
        del theirs[a]
        missing = self.sizes[a] * self.sizes[b] - count
        self.inside[a] += self.inside[b] + 2 * (total + self.K.elsewhere * missing)
        self.sizes[a] += self.sizes[b]
        for c, (more, many) in theirs.items():
            total, count = ours.get(c, (0.0, 0))
            ours[c] = self.between[c][a] = total + more, count + many
            del self.between[c][b]
        theirs.clear()
        self.sizes[b] = 0
        self.labels[b] = a
        self.merges[a] += 1
        self.merges[b] += 1

    def _partition(self) -> Indices:
        labels = self.labels
        for i in range(len(labels)):
            while labels[labels[i]] != labels[i]:
                labels[i] = labels[labels[i]]
        return in_order(np.array(labels, dtype=np.intp))
