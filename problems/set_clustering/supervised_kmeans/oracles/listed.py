"""Point-incremental k-means where only listed pairs may share a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.exceptions import InputError
from structsvm.problems.set_clustering.records.search import (
    Agglomeration,
    Moves,
    Neighbours,
    half_alone,
)
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.ties import first_best

#: Random orders that are tried where merging leaves too many clusters: if some clustering is
#: known, and if none is.
FEW_TRIES, MANY_TRIES = 50, 500


def iterative(
    K: PairSimilarity, n_clusters: int, starts: Iterable[Indices], n_init: int, seed: int
) -> Indices:
    """The best local optimum from merged clusters, from starts, and from perturbed clusters."""
    known = Neighbours.of(K)
    if not known.impossible:
        raise ValueError(
            "with a given number of clusters pairs that are not listed must be impossible; got "
            f"a similarity of {K.elsewhere:g} for them"
        )
    rng, m = np.random.default_rng([seed, len(K)]), len(K)
    found = [refined(known, labels) for labels in starts]
    labels = np.arange(m)
    for i in range(1 + n_init):
        if i and found:
            labels = half_alone(_best(known, found), rng)
        labels = merged(known, labels, n_clusters)
        labels = _fewer(known, labels, n_clusters, rng, FEW_TRIES if found else MANY_TRIES)
        if labels.max() + 1 <= n_clusters:
            found.append(refined(known, _divided(labels, n_clusters)))
    if not found:
        raise InputError(
            f"the search found no {n_clusters} clusters of {m} records in which all pairs are "
            f"listed, though there may be some; the fewest were {labels.max() + 1}. Ask for more "
            "clusters, or list more pairs"
        )
    return _best(known, found)


def refine(K: PairSimilarity, starts: Iterable[Indices]) -> Indices:
    """The best local optimum that moves reach from the starts alone."""
    known = Neighbours.of(K)
    return _best(known, [refined(known, labels) for labels in starts])


def merged(known: Neighbours, labels: Indices, n_clusters: int) -> Indices:
    """Clusters grown from these by the best merges, until there are ``n_clusters``."""

    def gain(state: Agglomeration, a: int, b: int, similarity: float) -> float:
        inside, sizes = state.inside, state.sizes
        together = (inside[a] + inside[b] + 2 * similarity) / (sizes[a] + sizes[b])
        return together - inside[a] / sizes[a] - inside[b] / sizes[b]

    return Agglomeration(known, labels, gain).run(-np.inf, n_clusters)


def _fewer(
    known: Neighbours, labels: Indices, n_clusters: int, rng: np.random.Generator, tries: int
) -> Indices:
    """Clusters from random orders of the old ones, until there are few enough.

    Items join one by one the first cluster that they are listed with as a whole. Those of an old
    cluster follow each other, so that there are never more clusters than before: this is the
    iterated greedy colouring of Culberson (1992) of the pairs that are not listed.
    """
    while tries and labels.max() + 1 > n_clusters:
        labels = _formed(known, np.argsort(rng.permutation(labels.max() + 1)[labels]))
        tries -= 1
    return labels


def _formed(known: Neighbours, order: Indices) -> Indices:
    """Clusters where each item joins the first whose items are all listed with it, in order."""
    labels, sizes = [-1] * len(order), list[int]()
    for i in order.tolist():
        joined = Counter(labels[j] for j in known.similar[i] if labels[j] >= 0)
        whole = (c for c, count in joined.items() if count == sizes[c])
        labels[i] = min(whole, default=len(sizes))
        if labels[i] == len(sizes):
            sizes.append(0)
        sizes[labels[i]] += 1
    return in_order(np.array(labels, dtype=np.intp))


def _divided(labels: Indices, n_clusters: int) -> Indices:
    """Labels of as many clusters: items that are not the first of theirs become clusters."""
    later = np.setdiff1d(np.arange(len(labels)), np.unique(labels, return_index=True)[1])
    labels, missing = labels.copy(), n_clusters - labels.max() - 1
    labels[later[:missing]] = labels.max() + 1 + np.arange(missing)
    return labels


def refined(known: Neighbours, labels: Indices) -> Indices:
    """Labels that moving a single item to another cluster does not improve; none is emptied."""
    moves = Moves(known, labels)
    inside = _inside(known, in_order(labels)).tolist()

    def best_move(i: int) -> tuple[int, float]:
        here, sizes = moves.labels[i], moves.sizes
        totals = dict(moves.sums(i))
        own = totals.pop(here, 0.0)
        if sizes[here] == 1:
            return here, 0.0
        left = inside[here] - 2 * own - known.own[i]
        loss = left / (sizes[here] - 1) - inside[here] / sizes[here]
        target, best = here, known.margin
        for c, total in totals.items():
            joined = inside[c] + 2 * total + known.own[i]
            gain = loss + joined / (sizes[c] + 1) - inside[c] / sizes[c]
            if gain > best:
                target, best = c, gain
        if target != here:
            inside[here] = left
            inside[target] += 2 * totals[target] + known.own[i]
        return target, best if target != here else 0.0

    return moves.improve(best_move)


def _best(known: Neighbours, found: list[Indices]) -> Indices:
    best = first_best(found, lambda labels: _objective(known, labels), known.margin)
    assert best is not None
    return best


def _objective(known: Neighbours, labels: Indices) -> float:
    return float((_inside(known, labels) / np.bincount(labels)).sum())


def _inside(known: Neighbours, labels: Indices) -> Vector:
    """The sum of the similarities over the ordered pairs of each cluster, diagonal included."""
    codes = labels.tolist()
    own = [
        value + sum(similar for j, similar in row.items() if codes[j] == codes[i])
        for i, (value, row) in enumerate(zip(known.own, known.similar, strict=True))
    ]
    return np.asarray(np.bincount(labels, weights=own), dtype=np.float64)
