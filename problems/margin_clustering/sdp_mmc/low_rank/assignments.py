"""Rounding: labels of two clusters or more from the factor of low rank."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.features import DiffusionMap
from structsvm.features.diffusion import CopiesError
from structsvm.problems.margin_clustering.bayesian_mmc import BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc.initial_clusters import directions
from structsvm.problems.margin_clustering.ranking import ROUNDING, ranked
from structsvm.problems.margin_clustering.sdp_mmc.codes import simplex
from structsvm.problems.margin_clustering.sdp_mmc.divisions import EIGENVECTORS, NEIGHBORS
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.packing import evened, packed, packed_signs
from structsvm.problems.margin_clustering.sdp_mmc.rounding import OF_BALANCE, balanced

logger = logging.getLogger(__name__)

#: Labellings that are drawn, and the number of these for which f is computed.
DRAWS, TRIED = 200, 10
#: Labellings that are improved, steps of each, at most, and sets of moves that a step tries.
IMPROVED, STEPS, HALVINGS = 3, 10, 3
#: Relative gap to which f is computed for a comparison.
COMPARED_RTOL = 0.01
#: Rows up to which BayesianMMC gives a candidate; its memory grows with their square.
MOST_BAYESIAN = 4000
#: Labels are improved only if f is at most this multiple of the least.
WORTH_IMPROVING = 1.2


class Assigned(NamedTuple):
    """Labels of the nodes and their objective.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes,)
        From 0.
    value : float
        f of their codes.
    lam : ndarray of shape (n,)
        The lambda that attains f.
    """

    labels: Indices
    value: float
    lam: Vector


class Assignments:
    """Labels within the balance, and their values.

    Parameters
    ----------
    program : LowRankProgram
    V : ndarray of shape (n_nodes, r)
        The factor of the relaxed matrix.
    rng : Generator
    """

    def __init__(self, program: LowRankProgram, V: Vector, rng: np.random.Generator) -> None:
        self.program, self.V, self.rng = program, V, rng
        self.k = program.n_clusters
        self.codes = simplex(self.k)
        self.counts = np.bincount(program.groups.nodes)
        # The sum of n codes has rounding errors, also where all clusters have the same size.
        rounding = np.finfo(np.float64).eps * program.n
        self._largest_imbalance = program.limit * (1 + OF_BALANCE) + rounding

    def candidates(self, X: Any) -> list[Vector]:
        """Scores of the nodes for each cluster, whose largest are labels to try; by M and by X.

        Of M they are the leading eigenvectors, the column of the largest node, or k-means of its
        rows; of X, partitions of graphs of nearest neighbours and :class:`BayesianMMC`.
        """
        return [*self._by_factor(), *map(self._of_nodes, self._by_rows(X))]

    def best(self, candidates: list[Vector]) -> Assigned | None:
        """The labels of least f by the candidates and by draws; None if none meet the balance.

        Where none of them does, labels by the sizes of the nodes are tried.

        The best few are improved: rows go to the cluster of their largest score by the support
        vector machine of the labels, within the balance, while f decreases; where it does not, the
        half of them that gains most. Returns the best so far after Ctrl-C.
        """
        chosen = ranked(self._distinct(candidates), self._distance)
        draws = ranked(self._distinct(self._draws()), self._distance)[:TRIED]
        found: list[Assigned] = []
        try:
            for labels in [*chosen, *draws] or self._packed():
                least = min((one.value for one in found), default=np.inf)
                found.append(self.assigned(labels, WORTH_IMPROVING * least))
            for start in ranked(found, lambda one: one.value)[:IMPROVED]:
                found.extend(self._improvements(start))
        except KeyboardInterrupt:
            if not found:
                raise
            logger.warning("interrupted from the keyboard while rounding; the best so far is kept")
        if not found:
            return None
        return self._exactly(ranked(found, lambda one: one.value)[0].labels)

    def beyond_balance(self, candidates: list[Vector], most: float) -> Assigned | None:
        """The labels of least f among the candidates that exceed the balance, if f <= most."""
        found = []
        for scores in candidates:
            labels = scores.argmax(axis=1)
            total = self._imbalance(labels)
            if self._largest_imbalance < total < self.program.n:
                found.append(self.assigned(labels, most))
        best = [one for one in ranked(found, lambda one: one.value)[:1] if one.value <= most]
        return self._exactly(best[0].labels) if best else None

    def assigned(self, labels: Indices, most: float) -> Assigned:
        """The labels with f, nearly unless it is above ``most``."""
        value, lam = self.program.margin(self.codes[labels], COMPARED_RTOL, most)
        return Assigned(labels, value, lam)

    def _exactly(self, labels: Indices) -> Assigned:
        return Assigned(labels, *self.program.margin(self.codes[labels]))

    # ------------------------------------------------------------------ labels

    def _distinct(self, candidates: Iterable[Vector]) -> list[Indices]:
        """The balanced labels of all scores, without repeats up to the names of the clusters."""
        found: dict[bytes, Indices] = {}
        for scores in candidates:
            labels = self.balanced(scores)
            if labels is not None:
                found.setdefault(in_order(labels).tobytes(), labels)
        return list(found.values())

    def balanced(self, scores: Vector) -> Indices | None:
        """The cluster of each node's largest score, changed where necessary to meet the balance.

        Nodes leave the largest cluster for the smallest, those that lose least first. Where none
        can, two clusters exchange nodes. None if the balance cannot be met in this way.
        """
        program = self.program
        if self.k == 2:
            z = balanced(scores[:, 1] - scores[:, 0], program.sizes, program.limit)
            return None if z is None else (z > 0).astype(np.intp)
        labels: Indices | None = scores.argmax(axis=1)
        while labels is not None and not self._allowed(labels):
            moved = self._moved(labels, scores)
            labels = evened(labels, program.sizes, scores) if moved is None else moved
        return labels

    def _moved(self, labels: Indices, scores: Vector) -> Indices | None:
        """The labels after a node left the largest cluster for the smallest; None if none can."""
        sizes = np.bincount(labels, self.counts, self.k)
        largest, smallest = sizes.argmax(), sizes.argmin()
        # More would only exchange the two clusters.
        fits = self.counts < sizes[largest] - sizes[smallest]
        nodes = np.flatnonzero((labels == largest) & fits)
        if not len(nodes):
            return None
        loss = scores[nodes, largest] - scores[nodes, smallest]
        labels = labels.copy()
        labels[nodes[loss.argmin()]] = smallest
        return labels

    def _packed(self) -> list[Indices]:
        """Labels by the sizes of the nodes alone, if they meet the balance."""
        sizes = self.program.sizes
        labels = (packed_signs(sizes) > 0).astype(np.intp) if self.k == 2 else packed(sizes, self.k)
        return [labels] if self._allowed(labels) else []

    def _allowed(self, labels: Indices) -> bool:
        """Whether the labels meet the balance, and no cluster is empty."""
        imbalance = self._imbalance(labels)
        if self.k == 2:  # a node may have rows of both clusters
            used = imbalance < self.program.n
        else:
            used = bool(np.bincount(labels, minlength=self.k).all())
        return used and bool(imbalance <= self._largest_imbalance)

    def _imbalance(self, labels: Indices) -> float:
        return float(np.linalg.norm(self.program.sizes @ self.codes[labels]))

    def _distance(self, labels: Indices) -> float:
        """Minus the sum of k(x, y) <c_x, c_y> over all pairs: f is at least n^2 over the sum."""
        rows = self.program.of_rows(self.codes[labels])
        return -float(np.sum((self.program.features.T @ rows) ** 2))

    def _improvements(self, start: Assigned) -> Iterator[Assigned]:
        for _ in range(STEPS):
            found = self._improved(start)
            if found is None:
                return
            yield found
            start = found

    def _improved(self, start: Assigned) -> Assigned | None:
        """Labels of lower f with all the moves that scores ask for, or the better half of them."""
        scores = self.scores(start)
        own = np.arange(len(scores)), start.labels
        for _ in range(HALVINGS):
            labels = self.balanced(scores)
            if labels is None or np.array_equal(labels, start.labels):
                return None
            found = self.assigned(labels, start.value)
            if found.value < start.value * (1 - ROUNDING):
                return found
            moved = labels != start.labels
            gains = scores[moved, labels[moved]] - scores[own][moved]
            # A node that gains less than the median stays.
            scores[own] += max(float(np.median(gains)), 0.0) * (1 + ROUNDING)
        return None

    def scores(self, found: Assigned) -> Vector:
        """Each node's score for each cluster, without what it adds itself; shape (n_nodes, k)."""
        program = self.program
        # With the features scaled, lambda is too.
        rows = (found.lam * program.unit)[:, None] * program.of_rows(self.codes[found.labels])
        features = program.features
        own = np.einsum("ij,ij->i", features, features)[:, None] * rows
        scores = features @ (features.T @ rows) - own
        return np.asarray(program.of_nodes(scores) @ self.codes.T)

    # ------------------------------------------------------------------ candidates

    def _draws(self) -> Iterator[Vector]:
        """Scores by random directions (Goemans & Williamson, 1995; Frieze & Jerrum, 1997)."""
        for _ in range(DRAWS):
            if self.k == 2:
                yield _two(self.V @ self.rng.standard_normal(self.V.shape[1]))
            else:
                yield self.V @ self.rng.standard_normal((self.V.shape[1], self.k))

    def _by_factor(self) -> Iterator[Vector]:
        if self.k == 2:
            yield _two(leading(self.V, self.counts))
            yield _two(self.V @ self.V[self.counts.argmax()])
        else:
            for _ in range(TRIED):
                yield self._by_k_means(self.V, 1, self.counts)

    def _by_rows(self, X: Any) -> Iterator[Vector]:
        """Scores of the rows."""
        with warnings.catch_warnings():  # of a candidate that is poor, and then has a large f
            warnings.simplefilter("ignore")
            if X.shape[0] <= MOST_BAYESIAN:
                yield from self._by_bayes(X)
            for number in NEIGHBORS:
                yield from self._by_graph(X, number)
            if self.k > 2:
                yield self._by_k_means(X, TRIED)

    def _by_bayes(self, X: Any) -> Iterator[Vector]:
        seed = int(self.rng.integers(2**31 - 1))
        try:
            found = BayesianMMC(n_clusters=self.k, random_state=seed).fit(X)
        except ValueError as error:  # fewer different rows than clusters, for example
            logger.debug("no candidate by BayesianMMC: %s", error)
            return
        yield found.probabilities_

    def _by_graph(self, X: Any, n_neighbors: int) -> Iterator[Vector]:
        graph = DiffusionMap(max(EIGENVECTORS, self.k - 1), n_neighbors)
        try:
            vectors = graph.fit(X).eigenvectors_
        except CopiesError:
            return
        if self.k == 2:
            yield from map(_two, directions(vectors))
        else:
            yield self._by_k_means(vectors[:, : self.k - 1], TRIED)

    def _by_k_means(self, rows: Any, n_init: int, weights: Any = None) -> Vector:
        """Minus the distances of the centres."""
        seed = int(self.rng.integers(2**31 - 1))
        found = KMeans(self.k, n_init=n_init, random_state=seed)
        return -found.fit(rows, sample_weight=weights).transform(rows)

    def _of_nodes(self, scores: Vector) -> Vector:
        """The scores of the nodes from scores of the rows, in the directions of their signs."""
        program = self.program
        along = (scores @ self.codes) * program.groups.signs[:, None]
        return np.asarray(program.of_nodes(along) @ self.codes.T)


def leading(V: Vector, counts: Indices) -> Vector:
    """sqrt(mu) v of the largest eigenvalue mu of M and its eigenvector v, for each node.

    It is the soft assignment of Xu et al. A node of m rows counts m times, as in M.
    """
    roots = np.sqrt(counts)
    left, values, _ = np.linalg.svd(roots[:, None] * V, full_matrices=False)
    return np.asarray(values[0] * left[:, 0] / roots)


def _two(values: Vector) -> Vector:
    """Scores of two clusters whose difference is these values."""
    return np.column_stack([-values, values]) / 2
