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
        similarity, pairs that are not listed included. Where these are possible, the gain must be
        the similarity: so that more pairs that are not listed only lower it.
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

    def run(self, least: float, n_clusters: int = 1) -> Indices:
        """Merge while some gain is above ``least`` and there are more than ``n_clusters``."""
        queue: list[tuple[float, int, int]] = []
        for a in range(len(self.between)):
            self._push(queue, a, [b for b in self.between[a] if a < b], least)
        left = sum(size > 0 for size in self.sizes)
        while queue and left > n_clusters:
            rank, a, b = heapq.heappop(queue)
            if b not in self.between[a]:
                continue
            now = self.K.rank(self._gain(a, b))
            if now == rank:
                self._push(queue, a, self._merge(a, b), least)
                left -= 1
            elif now > rank:
                # The gain fell since; where it rose, a better entry of this pair is queued, too.
                self._push(queue, a, [b], least)
        return self._partition()

    def _push(self, queue: list, a: int, others: list[int], least: float) -> None:
        for b in others:
            if self.K.impossible and self._missing(a, b):
                # More merges only add pairs, so these clusters will never be one.
                del self.between[a][b], self.between[b][a]
                continue
            gain = self._gain(a, b)
            if gain > least:
                heapq.heappush(queue, (self.K.rank(gain), min(a, b), max(a, b)))

    def _missing(self, a: int, b: int) -> int:
        """The number of pairs between two clusters that are not listed."""
        return self.sizes[a] * self.sizes[b] - self.between[a][b][1]

    def _gain(self, a: int, b: int) -> float:
        similarity = self.between[a][b][0] + self.K.elsewhere * self._missing(a, b)
        return self.gain(self, a, b, similarity)

    def _merge(self, a: int, b: int) -> list[int]:
        """Merge b into a; return the clusters whose gain with a may have risen."""
        ours, theirs = self.between[a], self.between[b]
        between = ours[b][0] + self.K.elsewhere * self._missing(a, b)
        self.inside[a] += self.inside[b] + 2 * between
        del ours[b], theirs[a]
        self.sizes[a] += self.sizes[b]
        for c, (more, many) in theirs.items():
            total, count = ours.get(c, (0.0, 0))
            ours[c] = self.between[c][a] = total + more, count + many
            del self.between[c][b]
        # With the others a has no new similarity but pairs that are not listed, which lower a gain.
        risen = list(ours) if self.K.impossible else list(theirs)
        theirs.clear()
        self.sizes[b] = 0
        self.labels[b] = a
        return risen

    def _partition(self) -> Indices:
        labels = self.labels
        for i in range(len(labels)):
            while labels[labels[i]] != labels[i]:
                labels[i] = labels[labels[i]]
        return in_order(np.array(labels, dtype=np.intp))
