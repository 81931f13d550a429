"""Greedy correlation clustering where only the similarities of listed pairs are stored."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.problems.set_clustering.records.search import (
    Agglomeration,
    Moves,
    Neighbours,
    half_alone,
)
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.ties import first_best


def greedy(K: PairSimilarity, starts: Iterable[Indices], n_init: int, seed: int) -> Indices:
    """The best local optimum from merged clusters, from starts, and from random merges.

    Every other random start merges by half of the listed pairs alone; the ones in between merge
    the best clusters on, of which half of the items were taken out.
    """
    known = Neighbours.of(K)
    rng, m = np.random.default_rng([seed, len(K)]), len(K)
    found = [refined(K, known, [merged(known, np.arange(m)), *starts])]
    for i in range(n_init):
        if i % 2:
            start = merged(known, half_alone(found[0], rng))
        else:
            start = merged(Neighbours.of(thinned(K, rng)), np.arange(m))
        found.append(local_optimum(known, start))
    return refined(K, known, found)


def thinned(K: PairSimilarity, rng: np.random.Generator) -> PairSimilarity:
    """The similarities of about half of the listed pairs."""
    upper = sparse.triu(K.listed, k=1).tocoo()
    kept = rng.random(upper.nnz) < 0.5
    rows, cols, values = upper.row[kept], upper.col[kept], upper.data[kept]
    ends = np.concatenate([rows, cols]), np.concatenate([cols, rows])
    both = sparse.csr_matrix((np.tile(values, 2), ends), shape=K.listed.shape)
    return PairSimilarity(both, K.elsewhere)


def refined(K: PairSimilarity, known: Neighbours, starts: Iterable[Indices]) -> Indices:
    """The best local optimum that moves reach from the starts."""
    found = [local_optimum(known, labels) for labels in starts]
    best = first_best(found, lambda labels: inside(K, labels), known.margin)
    assert best is not None
    return best


def inside(K: PairSimilarity, labels: Indices) -> float:
    """The sum of the similarities of all pairs in one cluster, which are possible."""
    rows = np.repeat(np.arange(len(K)), np.diff(K.listed.indptr))
    cols = K.listed.indices
    same = (labels[rows] == labels[cols]) & (rows < cols)
    listed = float(K.listed.data[same].sum())
    if K.elsewhere in (0.0, -np.inf):
        return listed
    sizes = np.bincount(labels).astype(np.float64)
    return listed + K.elsewhere * (float(sizes @ (sizes - 1)) / 2 - np.count_nonzero(same))


def merged(known: Neighbours, labels: Indices) -> Indices:
    """Clusters grown from these by merging until no merge of two helps."""
    return Agglomeration(known, labels, lambda state, a, b, similarity: similarity).run(
        least=known.margin
    )


def local_optimum(known: Neighbours, labels: Indices) -> Indices:
    """Labels that moving a single item, to another or to a new cluster, does not improve."""
    moves = Moves(known, labels)

    def best_move(i: int) -> tuple[int, float]:
        totals = dict(moves.sums(i))
        here = moves.labels[i]
        # An item without a pair in its cluster may still share it with items it is not listed with.
        own = totals.pop(here, known.elsewhere * (moves.sizes[here] - 1))
        target, best = len(moves.sizes), -own
        for c, total in totals.items():
            if total - own > best + known.margin:
                target, best = c, total - own
        return target, best

    return moves.improve(best_move)
