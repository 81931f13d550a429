"""Agglomerative clustering by a sparse matrix of similarities."""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.ties import OF_SUMS


class Neighbours(NamedTuple):
    """Dicts with the similarities of items in listed pairs, and the size of rounding errors.

    For items with few neighbours, plain numbers in dicts are faster than arrays.

    Attributes
    ----------
    similar : list of m dicts
        For each item, the similarity to every item with which it forms a listed pair.
    elsewhere : float
        The similarity of every pair that is not in ``similar``. If unlisted pairs are impossible,
        their similarity is so low that all listed pairs together cannot compensate for it.
    margin : float
        The largest difference of similarities that counts as a rounding error.
    """

    similar: list[dict[int, float]]
    elsewhere: float
    margin: float

    @classmethod
    def of(cls, K: PairSimilarity) -> Neighbours:
        listed = K.listed
        columns, values = listed.indices.tolist(), listed.data.tolist()
        similar = []
        for i, (start, stop) in enumerate(pairwise(listed.indptr.tolist())):
            row = dict(zip(columns[start:stop], values[start:stop], strict=True))
            row.pop(i, None)
            similar.append(row)
        rows = np.repeat(np.arange(len(K)), np.diff(listed.indptr))
        sizes = np.bincount(rows, np.abs(listed.data), minlength=len(K))
        largest = float(sizes.max())
        if K.elsewhere == -np.inf:
            return cls(similar, -(1.0 + float(sizes.sum())), OF_SUMS * largest)
        return cls(similar, K.elsewhere, OF_SUMS * (largest - K.elsewhere))

    def rank(self, gain: float) -> float:
        """Return a sort key that puts larger gains first and ignores rounding errors."""
        return -round(gain / self.margin) if self.margin else -gain


class Agglomeration:
    """Agglomerative clustering: the gain of merging two clusters is their total similarity.

    Each cluster is named after one of its items. ``between[a][b]`` holds the sum of the
    similarities of the listed pairs between clusters a and b, and the number of these pairs.

    Parameters
    ----------
    K : Neighbours
    labels : ndarray of shape (m,)
        The initial clusters.
    """

    def __init__(self, K: Neighbours, labels: Indices) -> None:
        self.K = K
        first: dict[int, int] = {}
        self.labels = [first.setdefault(c, i) for i, c in enumerate(labels.tolist())]
        self.sizes = np.bincount(self.labels, minlength=len(labels)).tolist()
        self.between: list[dict[int, tuple[float, int]]] = [{} for _ in K.similar]
        for a, similar in zip(self.labels, K.similar, strict=True):
            for j, value in similar.items():
                b = self.labels[j]
                if a != b:
                    total, count = self.between[a].get(b, (0.0, 0))
                    self.between[a][b] = total + value, count + 1

    def run(self) -> Indices:
        """Merge the two clusters with the largest gain, as long as the gain is positive."""
        queue: list[tuple[float, int, int]] = []
        for a in range(len(self.between)):
            self._push(queue, a, [b for b in self.between[a] if a < b])
        while queue:
            rank, a, b = heapq.heappop(queue)
            if b not in self.between[a]:
                continue
            now = self.K.rank(self.gain(a, b))
            if now == rank:
                self._push(queue, a, self._merge(a, b))
            elif now > rank:
                # The gain fell since. If a gain rises, a better entry of the pair is queued, too.
                self._push(queue, a, [b])
        labels = self.labels
        for i in range(len(labels)):
            while labels[labels[i]] != labels[i]:
                labels[i] = labels[labels[i]]
        return in_order(np.array(labels, dtype=np.intp))

    def gain(self, a: int, b: int) -> float:
        """Return the similarity of two clusters, including pairs that are not listed."""
        total, count = self.between[a][b]
        return float(total + self.K.elsewhere * (self.sizes[a] * self.sizes[b] - count))

    def _push(self, queue: list[Any], a: int, others: list[int]) -> None:
        for b in others:
            gain = self.gain(a, b)
            if gain > self.K.margin:
                heapq.heappush(queue, (self.K.rank(gain), min(a, b), max(a, b)))

    def _merge(self, a: int, b: int) -> list[int]:
        """Merge b into a; return the clusters whose gain from a merge with a may have risen."""
        ours, theirs = self.between[a], self.between[b]
        del ours[b], theirs[a]
        self.sizes[a] += self.sizes[b]
        for c, (more, many) in theirs.items():
            total, count = ours.get(c, (0.0, 0))
            ours[c] = self.between[c][a] = total + more, count + many
            del self.between[c][b]
        # With all other clusters, a has only more unlisted pairs, which lower the gain.
        risen = list(theirs)
        theirs.clear()
        self.labels[b] = a
        return risen
