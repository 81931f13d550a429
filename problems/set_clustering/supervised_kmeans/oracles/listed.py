"""Point-incremental k-means where only listed pairs may share a cluster."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.listed.agglomeration import Agglomeration
from structsvm.problems.set_clustering.listed.moves import Moves
from structsvm.problems.set_clustering.listed.neighbours import Neighbours, half_alone
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.ties import first_best


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
    for i in range(1 + n_init):
        start = half_alone(_best(known, found), rng) if i and found else np.arange(m)
        labels = merged(known, start, n_clusters)
        if labels.max() + 1 == n_clusters:
            found.append(refined(known, labels))
    if not found:
        raise ValueError(
            f"the search found no {n_clusters} clusters of {m} records in which all pairs are "
            f"listed; the fewest were {labels.max() + 1}. Ask for more clusters, or list more pairs"
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
