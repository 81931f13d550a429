"""Searches for clusterings where only the similarities of listed pairs are stored."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.ties import OF_SUMS


class Neighbours(NamedTuple):
    """Similarities by item, in dicts, and what the search needs to know of their size.

    Plain numbers in dicts are faster than arrays of a few.

    Attributes
    ----------
    similar : list of m dicts
        The similarity of each item to every other item that it is listed with.
    own : list of m floats
        The diagonal.
    elsewhere : float
        The similarity of a pair that is not listed. Where these are impossible it is lower than all
        listed ones can make up for.
    impossible : bool
    margin : float
        Differences that count as rounding.
    """

    similar: list[dict[int, float]]
    own: list[float]
    elsewhere: float
    impossible: bool
    margin: float

    @classmethod
    def of(cls, K: PairSimilarity) -> Neighbours:
        listed = K.listed
        columns, values = listed.indices.tolist(), listed.data.tolist()
        similar, own = [], []
        for i, (start, stop) in enumerate(pairwise(listed.indptr.tolist())):
            row = dict(zip(columns[start:stop], values[start:stop], strict=True))
            own.append(row.pop(i, 0.0))
            similar.append(row)
        rows = np.repeat(np.arange(len(K)), np.diff(listed.indptr))
        sizes = np.bincount(rows, np.abs(listed.data), minlength=len(K))
        impossible = K.elsewhere == -np.inf
        elsewhere = -(1.0 + float(sizes.sum())) if impossible else K.elsewhere
        largest = float(sizes.max()) - (0.0 if impossible else elsewhere)
        return cls(similar, own, elsewhere, impossible, OF_SUMS * largest)

    def rank(self, gain: float) -> float:
        """A key by which larger gains come first, and gains equal up to the margin tie."""
        return -round(gain / self.margin) if self.margin else -gain


def half_alone(labels: Indices, rng: np.random.Generator) -> Indices:
    """Labels from which about half of the items are taken out, each into a new cluster."""
    alone = rng.random(len(labels)) < 0.5
    return np.where(alone, len(labels) + np.arange(len(labels)), labels)


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
