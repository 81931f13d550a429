"""Greedy correlation clustering that stores only the similarities of listed pairs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.correlation_clustering.oracles.merging import (
    Agglomeration,
    Neighbours,
)
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.ties import first_best


def greedy(K: PairSimilarity, starts: Iterable[Indices], n_init: int, seed: int) -> Indices:
    """Return the best local optimum reached from merged clusters, ``starts`` and random starts.

    Every second random start consists of random labels. Each other random start varies the best
    clustering so far: about half of the items leave their clusters before clusters are merged.
    """
    known = Neighbours.of(K)
    rng, m = np.random.default_rng([seed, len(K)]), len(K)
    best = refined(K, known, [Agglomeration(known, np.arange(m)).run(), *starts])
    for i in range(n_init):
        if i % 2:
            start = rng.integers(rng.integers(1, m + 1), size=m)
        else:
            half = np.where(rng.random(m) < 0.5, m + np.arange(m), best)
            start = Agglomeration(known, half).run()
        best = refined(K, known, [best, start])
    return best


def refined(K: PairSimilarity, known: Neighbours, starts: Iterable[Indices]) -> Indices:
    """Improve each of the ``starts`` by moves of single items; return the best result."""
    found = [local_optimum(known, labels) for labels in starts]
    best = first_best(found, lambda labels: inside(K, known.elsewhere, labels), known.margin)
    assert best is not None
    return best


def inside(K: PairSimilarity, elsewhere: float, labels: Indices) -> float:
    """Return the sum of the similarities of all pairs of items that share a cluster."""
    rows = np.repeat(np.arange(len(K)), np.diff(K.listed.indptr))
    cols = K.listed.indices
    same = (labels[rows] == labels[cols]) & (rows < cols)
    listed = float(K.listed.data[same].sum())
    sizes = np.bincount(labels).astype(np.float64)
    return listed + elsewhere * (float(sizes @ (sizes - 1)) / 2 - np.count_nonzero(same))


def local_optimum(known: Neighbours, labels: Indices) -> Indices:
    """Move single items as long as the sum of the similarities inside clusters increases.

    An item moves only to a new cluster, or to a cluster that contains the other item of a listed
    pair.
    """
    labels = in_order(labels)
    codes, sizes = labels.tolist(), np.bincount(labels).tolist()
    moved = True
    while moved:
        moved = False
        for i, here in enumerate(codes):
            totals = _similarities(known, codes, sizes, i)
            # An item may share its cluster with others even if none of them is a listed partner.
            own = totals.pop(here, known.elsewhere * (sizes[here] - 1))
            target, gain = len(sizes), -own
            for c, total in totals.items():
                if total - own > gain + known.margin:
                    target, gain = c, total - own
            if gain > known.margin:
                if target == len(sizes):
                    sizes.append(0)
                sizes[here] -= 1
                sizes[target] += 1
                codes[i], moved = target, True
    return in_order(np.array(codes, dtype=np.intp))


def _similarities(
    known: Neighbours, codes: list[int], sizes: list[int], i: int
) -> dict[int, float]:
    """Return an item's similarities to the clusters with which the item has listed pairs."""
    totals: dict[int, float] = {}
    counts: dict[int, int] = {}
    for j, value in known.similar[i].items():
        c = codes[j]
        totals[c] = totals.get(c, 0.0) + value
        counts[c] = counts.get(c, 0) + 1
    return {
        c: total + known.elsewhere * (sizes[c] - (c == codes[i]) - counts[c])
        for c, total in totals.items()
    }
