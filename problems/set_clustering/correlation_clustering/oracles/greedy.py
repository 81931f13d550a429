"""Correlation clustering by merging clusters and then moving single items."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.data.validation import MOST_STARTS, require_integer
from structsvm.problems.set_clustering.correlation_clustering.oracles import listed
from structsvm.problems.set_clustering.correlation_clustering.oracles.merging import Neighbours
from structsvm.problems.set_clustering.similarities import PairSimilarity, require_similarity
from structsvm.problems.set_clustering.ties import first_best, first_largest, margin_of


class GreedyOracle(HasParameters):
    """A search that starts with single items, merges clusters greedily, and then moves items.

    The search maximises the sum of the similarities inside clusters, over any number of clusters.
    Moves of single items lead from the merged clusters, and from each start, to local optima; the
    best local optimum is returned.

    Parameters
    ----------
    n_init : int, default=0
        Number of additional random starts, >= 0.
    random_state : int, default=0
        Seed of the random starts, >= 0. The starts depend only on the seed and the number of items,
        and no choice of the search depends on rounding errors.

    Notes
    -----
    Merging is the greedy method of Finley & Joachims (ICML 2005); this class adds moves of single
    items to other or new clusters. Merging m items usually takes about m^2 operations, and at most
    m^3.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import GreedyOracle
    >>> K = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, -1.0], [-1.0, -1.0, 0.0]])
    >>> GreedyOracle().cluster(K).tolist()
    [0, 0, 1]
    """

    quality: OracleQuality = "undergenerating"

    def __init__(self, n_init: int = 0, random_state: int = 0) -> None:
        self.n_init = n_init
        self.random_state = random_state

    def cluster(self, K: Vector | PairSimilarity, starts: Iterable[Indices] = ()) -> Indices:
        """Return labels of shape (m,) for a symmetric K of shape (m, m).

        Labels are numbered in the order of the first items of clusters. The diagonal of K is
        ignored. ``starts`` holds additional labels to start from. For a :class:`PairSimilarity`,
        only listed pairs take time and memory.
        """
        require_integer("n_init", self.n_init, 0, MOST_STARTS)
        require_integer("random_state", self.random_state, least=0)
        if isinstance(K, PairSimilarity):
            return listed.greedy(K, starts, self.n_init, self.random_state)
        require_similarity(K)
        rng, m = np.random.default_rng([self.random_state, len(K)]), len(K)
        drawn = [rng.integers(rng.integers(1, m + 1), size=m) for _ in range(self.n_init)]
        return self.refine(K, (merged(K), *starts, *drawn))

    def refine(self, K: Vector | PairSimilarity, starts: Iterable[Indices]) -> Indices:
        """Improve each of the ``starts`` by moves of single items; return the best result."""
        if isinstance(K, PairSimilarity):
            return listed.refined(K, Neighbours.of(K), starts)
        K = K - np.diag(K.diagonal())
        found = [local_optimum(K, labels) for labels in starts]
        best = first_best(found, lambda labels: inside(K, labels), margin_of(K))
        assert best is not None
        return in_order(best)


def inside(K: Vector, labels: Indices) -> float:
    """Return the sum of K over all pairs of different items in one cluster."""
    same = labels[:, None] == labels
    return float((np.sum(K[same]) - np.trace(K)) / 2)


def merged(K: Vector) -> Indices:
    """Merge clusters as long as the sum of the similarities inside clusters increases.

    The label of a cluster is the index of one of its items.
    """
    between, labels = K.astype(np.float64), np.arange(len(K))
    np.fill_diagonal(between, 0.0)
    margin = margin_of(between)
    np.fill_diagonal(between, -np.inf)
    partners = first_largest(between, margin)
    gains = between[labels, partners]
    while gains.max() > margin:
        a = int(first_largest(gains, margin))
        b = int(partners[a])
        labels[labels == b] = a
        between[a] += between[b]
        between[:, a] = between[a]
        between[b] = between[:, b] = between[a, a] = -np.inf
        # Only clusters whose best partner was merged need a search for another one.
        stale = np.flatnonzero((partners == a) | (partners == b))
        partners[stale] = first_largest(between[:, stale], margin)
        # ``gains`` still holds the gains with the old partners: joining a may be better.
        partners[between[a] > gains + margin] = a
        gains = between[np.arange(len(K)), partners]
    return labels


def local_optimum(K: Vector, labels: Indices) -> Indices:
    """Move single items as long as the sum of the similarities inside clusters increases."""
    labels, points = in_order(labels), np.arange(len(K))
    K = K - np.diag(K.diagonal())
    margin = margin_of(K)
    clusters = int(labels.max()) + 2  # the last cluster stays empty, for moves to a new one
    similarity = np.zeros((clusters, len(K)))
    np.add.at(similarity, labels, K)
    while True:
        now = similarity[labels, points]
        gains = similarity - now
        targets = first_largest(gains, margin)
        best = gains[targets, points]
        i = int(first_largest(best, margin))
        if best[i] <= margin:
            return labels
        a, b = int(labels[i]), int(targets[i])
        similarity[a] -= K[i]
        similarity[b] += K[i]
        labels[i] = b
        if b == len(similarity) - 1:
            similarity = np.vstack([similarity, np.zeros(len(K))])
