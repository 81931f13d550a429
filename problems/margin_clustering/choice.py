"""Choose the clustering in which rows most often share a cluster with their neighbours."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from structsvm.data.arrays import Indices, Vector
from structsvm.data.row_space import RowSpace
from structsvm.estimators.row_space import for_columns, is_wide
from structsvm.problems.margin_clustering.annotation import UNKNOWN
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.problems.margin_clustering.search import (
    Effort,
    NoMarginError,
    Search,
    best_result,
    early_end,
    sampled,
)
from structsvm.results.result import Result
from structsvm.results.status import Status

logger = logging.getLogger(__name__)

#: Number of nearest neighbours whose clusters are compared with the cluster of a row.
NEIGHBORS = 10
#: Largest number of rows that are compared: the search for neighbours takes O(n^2) time.
ROWS = 10_000


class Candidate(NamedTuple):
    """A search for clusters in the features Z of a kernel; the transformer ``map`` maps X to Z."""

    kernel: Any
    map: Any
    Z: Any
    problem: ClusteringProblem
    C: float
    search: Search
    known: Any

    def result(self, effort: Effort) -> tuple[Result, int]:
        """Return the result of the search, and the number of passes over the rows."""
        _, _, Z, problem, C, search, known = self
        if not is_wide(Z, 1):  # a basis costs little beside a search
            return best_result(search, problem, Z, known, C, effort)
        space, d = RowSpace(Z), len(Z)
        result, passes = best_result(search, problem, space.coordinates, known, C, effort)

        def lifted(w: Vector) -> Vector:
            W = w.reshape(-1, problem.rows_.size)
            return np.hstack([space.lifted(W[:, :d]), W[:, d:]]).ravel()

        return for_columns(result, lifted), passes

    @property
    def is_decided(self) -> bool:
        """Whether the labels of all rows are known before the search."""
        return self.known is not None and UNKNOWN not in self.known


class Clustering(NamedTuple):
    """The clusters that a :class:`Candidate` gives; without a search, ``result`` is None."""

    candidate: Candidate
    clusters: Indices
    result: Any = None
    passes: int = 0


def best_clustering(X: Any, candidates: Iterable[Candidate], effort: Effort) -> Clustering:
    """Return the clustering in which rows most often share a cluster with their neighbours.

    ``passes`` counts the passes over the rows in the searches of all candidates.
    """
    found, ended = searched(candidates, effort)
    passes = sum(one.passes for one in found)
    best = best_kept(X, found)
    if best.result is None:
        result, more = best.candidate.result(effort)
        best, passes = best._replace(result=result), passes + more
    result = replace(best.result, status=ended) if ended else best.result
    return best._replace(result=result, passes=passes)


def searched(
    candidates: Iterable[Candidate], effort: Effort
) -> tuple[list[Clustering], Status | None]:
    """Return the candidates' clusterings, and a status if the search ended early."""
    found: list[Clustering] = []
    failed = None
    try:
        for candidate in candidates:
            if candidate.is_decided:
                found.append(Clustering(candidate, candidate.known))
                continue
            try:
                result, passes = candidate.result(effort)
            except NoMarginError as error:
                failed = error
                continue
            clusters = candidate.problem.clusters_of(result.labels[0])
            found.append(Clustering(candidate, clusters, result, passes))
            if ended := early_end(result):
                return found, ended
    except KeyboardInterrupt:
        if not found:
            raise
        return found, Status.INTERRUPTED
    if failed and not found:
        raise failed
    return found, None


def best_kept(X: Any, found: list[Clustering]) -> Clustering:
    """Return the clustering in which rows most often share a cluster with their neighbours.

    X holds the original rows, not the features of a kernel.
    """
    if len(found) == 1:
        return found[0]
    rows = sampled(X.shape[0], ROWS, None, np.random.default_rng(0))
    neighbors = nearest_others(X[rows])
    shares = [kept(one.clusters[rows], neighbors) for one in found]
    kernels = [one.candidate.kernel for one in found]
    logger.info("neighbours kept by the clusters: %s", list(zip(kernels, shares, strict=True)))
    return found[ranked(range(len(found)), lambda i: -shares[i])[0]]


def kept(labels: Indices, neighbors: Indices) -> float:
    """Return the fraction of neighbours in a row's own cluster, averaged over clusters.

    The value of a cluster is (p - s) / (1 - s), where p is the fraction of neighbours in the
    cluster, and s is the fraction of all rows in the cluster. If rows are assigned to clusters at
    random, the value of a cluster is about 0.
    """
    inside = np.mean(labels[neighbors] == labels[:, None], axis=1)
    _, clusters, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    shares, chances = np.bincount(clusters, inside) / sizes, sizes / len(labels)
    # A single cluster is no clustering, though it contains all neighbours.
    return float(np.mean((shares - chances) / (1 - chances))) if len(sizes) > 1 else 0.0


def nearest_others(X: Any) -> Indices:
    """Return the indices of each row's 10 nearest neighbours, or of all other rows if fewer."""
    neighbors = min(NEIGHBORS, X.shape[0] - 1)
    return np.asarray(NearestNeighbors(n_neighbors=neighbors).fit(X).kneighbors()[1])
