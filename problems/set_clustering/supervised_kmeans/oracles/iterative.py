"""K-means on a similarity matrix, by moves of single items."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

import numpy as np

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.data.validation import MOST_STARTS, require_integer
from structsvm.problems.set_clustering.similarities import require_n_clusters, require_similarity
from structsvm.problems.set_clustering.ties import (
    decreasing,
    first_best,
    first_largest,
    margin_of,
)


class IterativeOracle(HasParameters):
    r"""An oracle that moves one item at a time between clusters: local search for tr(Y' K Y).

    From every start, items move between clusters as long as a move raises :math:`\sum_c
    \frac{1}{|c|} \sum_{i, j \in c} K_{ij}`; no cluster is emptied. The gain of a move is computed
    exactly, so the search ends for every symmetric K, even if K is not positive semi-definite. The
    best local optimum is returned. Random starts alternate with starts near the best optimum so
    far. For a start near the best optimum, about half of the items move to random clusters.

    Parameters
    ----------
    n_init : int, default=5
        Number of random starts, in addition to the argument ``starts`` of :meth:`cluster`, >= 0.
    random_state : int, default=0
        Seed of the starts, >= 0. The starts depend only on the seed and the number of items, and no
        choice of the search depends on rounding errors. Equal similarities yield equal labels on
        every machine.

    Notes
    -----
    The oracle is based on section 4.4.1 of Finley & Joachims, Supervised k-Means Clustering, and on
    Dhillon, Guan & Kogan (ICDM 2002). The method of Finley & Joachims starts at random and moves an
    item to the closest centre. If K is indefinite, a move to the closest centre may lower the
    objective, and the method of Finley & Joachims need not terminate.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import IterativeOracle
    >>> K = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, -1.0], [-1.0, -1.0, 0.0]])
    >>> IterativeOracle().cluster(K, 2).tolist()
    [0, 0, 1]
    """

    quality: OracleQuality = "undergenerating"

    def __init__(self, n_init: int = 5, random_state: int = 0) -> None:
        self.n_init = n_init
        self.random_state = random_state

    def cluster(self, K: Vector, n_clusters: int, starts: Iterable[Indices] = ()) -> Indices:
        """Return labels 0..n_clusters-1 of shape (m,), for a symmetric K of shape (m, m).

        Clusters are numbered in the order of their first items. ``starts`` holds additional labels
        to start from; each of the starts must use all clusters.
        """
        require_integer("n_init", self.n_init, 0, MOST_STARTS)
        require_integer("random_state", self.random_state, least=0)
        require_similarity(K)
        require_n_clusters(n_clusters, len(K))
        rng = np.random.default_rng([self.random_state, len(K)])
        # Adding a constant to K changes all objectives by the same amount; a large one would cancel
        # digits.
        offset = K[0].mean()
        centred: Vector = K - offset
        margin = margin_of(centred, offset)
        found = []
        for labels in starts:
            if not np.array_equal(np.unique(labels), np.arange(n_clusters)):
                raise ValueError(
                    f"a start must have each of the labels 0 to {n_clusters - 1}; got "
                    f"{labels!r:.60}"
                )
            found.append(local_optimum(centred, labels, n_clusters, margin))
        best = first_best(found, itemgetter(1), margin)
        for i in range(self.n_init):
            if best is None or i % 2 == 0:
                start = random_labels(len(K), n_clusters, rng)
            else:
                start = half_redrawn(best[0], n_clusters, rng)
            new = local_optimum(centred, start, n_clusters, margin)
            best = new if best is None else first_best((best, new), itemgetter(1), margin)
        if best is None:
            raise ValueError(
                "IterativeOracle with n_init=0 is without a start; raise n_init, or pass starts"
            )
        return in_order(best[0])

    def refine(self, K: Any, n_clusters: int, starts: Iterable[Indices]) -> Indices:
        """Improve each of the ``starts`` by moves of single items; return the best result."""
        return IterativeOracle(n_init=0).cluster(K, n_clusters, starts)


def random_labels(m: int, n_clusters: int, rng: np.random.Generator) -> Indices:
    """Return random labels in which every cluster occurs."""
    others = rng.integers(n_clusters, size=m - n_clusters)
    return rng.permutation(np.concatenate([np.arange(n_clusters), others]))


def half_redrawn(labels: Indices, n_clusters: int, rng: np.random.Generator) -> Indices:
    """Move about half of the points to random clusters, without emptying a cluster."""
    drawn = np.where(
        rng.random(len(labels)) < 0.5, rng.integers(n_clusters, size=len(labels)), labels
    )
    for cluster in np.setdiff1d(np.arange(n_clusters), drawn):
        crowded = np.flatnonzero(np.bincount(drawn, minlength=n_clusters)[drawn] > 1)
        # Take a point that is not alone, so that no other cluster is emptied.
        drawn[rng.choice(crowded)] = cluster
    return drawn


def local_optimum(
    K: Vector, labels: Indices, n_clusters: int, margin: float
) -> tuple[Indices, float]:
    """Move items while a move raises the objective by more than ``margin``; return the optimum."""
    clusters = _Clusters(K, labels, n_clusters, margin)
    while clusters.sweep():
        pass
    return clusters.labels, clusters.objective


class _Clusters:
    """A clustering, with the sums from which the gain of any move is computed.

    ``similarity[c, i]`` is the sum of the similarities between item i and the items of cluster c.
    ``inside[c]`` is the sum of the similarities of all ordered pairs of items in cluster c.
    """

    def __init__(self, K: Vector, labels: Indices, n_clusters: int, margin: float) -> None:
        self.K, self.labels, self.points = K, labels.copy(), np.arange(len(K))
        self.margin = margin
        self.diagonal = K.diagonal()
        members = np.zeros((n_clusters, len(K)))
        members[labels, self.points] = 1
        self.sizes = members.sum(axis=1)
        self.similarity = members @ K
        own = self.similarity[labels, self.points]
        self.inside = np.bincount(labels, weights=own, minlength=n_clusters)

    @property
    def objective(self) -> float:
        return float((self.inside / self.sizes).sum())

    def sweep(self) -> bool:
        """Make the best move of each point if the gain is positive; return whether any moved."""
        targets, gains = self._best_moves()
        points = np.flatnonzero(gains > self.margin)
        if not len(points):
            return False
        points = points[decreasing(gains[points], self.margin)]
        inside, sizes, diagonal = self.inside.tolist(), self.sizes.tolist(), self.diagonal.tolist()
        similar, moved = self.similarity.item, False
        moves = np.column_stack([points, self.labels[points], targets[points]])
        # Plain floats: numpy's overhead for single numbers would take most of the time.
        for i, a, b in moves.tolist():
            if sizes[a] == 1:
                continue
            # Earlier moves of this sweep changed the sums, so the gain is computed again.
            left = inside[a] - 2 * similar(a, i) + diagonal[i]
            joined = inside[b] + 2 * similar(b, i) + diagonal[i]
            gain = left / (sizes[a] - 1) - inside[a] / sizes[a]
            gain += joined / (sizes[b] + 1) - inside[b] / sizes[b]
            if gain > self.margin:
                inside[a], inside[b] = left, joined
                sizes[a], sizes[b] = sizes[a] - 1, sizes[b] + 1
                # In place: ``similar`` reads this array.
                self.similarity[a] -= self.K[i]
                self.similarity[b] += self.K[i]
                self.labels[i], moved = b, True
        self.inside, self.sizes = np.array(inside), np.array(sizes)
        return moved

    def _best_moves(self) -> tuple[Indices, Vector]:
        """Return each point's best new cluster and the gain, -inf for points that may not move."""
        labels, sizes, inside = self.labels, self.sizes, self.inside
        now, larger = inside / sizes, 1 / (sizes + 1)
        # The 1 only avoids a division by 0: ``constant`` rules out moves of lone points.
        smaller = 1 / np.maximum(sizes - 1, 1)
        joining = self.similarity * (2 * larger)[:, None]
        joining += np.multiply.outer(larger, self.diagonal)
        joining += (inside * larger - now)[:, None]
        joining[labels, self.points] = -np.inf
        targets = first_largest(joining, self.margin)
        constant = np.where(sizes > 1, inside * smaller - now, -np.inf)
        gains = self.diagonal - 2 * self.similarity[labels, self.points]
        gains *= smaller[labels]
        gains += constant[labels]
        gains += joining[targets, self.points]
        return targets, gains
