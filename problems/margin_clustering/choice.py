"""The choice between clusterings of the same rows without labels, by nearest neighbours."""

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

#: Nearest neighbours of a row whose clusters are compared with its own.
NEIGHBORS = 10
#: Rows that are compared, at most: the search for neighbours takes time in proportion to n^2.
ROWS = 10_000


class Candidate(NamedTuple):
    """A search in the features Z of a kernel, to which ``map`` leads; ``known`` as in ``fit``."""

    kernel: Any
    map: Any
    Z: Any
    problem: ClusteringProblem
    C: float
    search: Search
    known: Any

    def result(self, effort: Effort) -> tuple[Result, int]:
        """The result and the passes of the search, in the space of rows that are few and wide."""
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
        """Whether the clusters are known before the search."""
        return self.known is not None and UNKNOWN not in self.known


class Clustering(NamedTuple):
    """A candidate and its clusters; ``result`` is None before a search that is not needed."""

    candidate: Candidate
    clusters: Indices
    result: Any = None
    passes: int = 0


def best_clustering(X: Any, candidates: Iterable[Candidate], effort: Effort) -> Clustering:
    """The clustering that keeps most of the neighbours of the rows X, with a result.

    Its ``passes`` are those of all candidates.
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
    """The clusters of the candidates, and what ended a search early, if anything did."""
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
    """The clustering whose clusters keep most of the neighbours of their rows; the first of equals.

    X holds the rows as they were given.
    """
    if len(found) == 1:
        return found[0]
    rows = sampled(X.shape[0], ROWS, None, np.random.default_rng(0))
    neighbors = nearest_others(X[rows])
    shares = [kept(one.clusters[rows], neighbors) for one in found]
    kernels = [one.candidate.kernel for one in found]
    logger.info("neighbours kept by the clusters: %s", list(zip(kernels, shares, strict=True)))
    order = ranked(range(len(found)), lambda i: -shares[i])
    return found[order[0]]


def kept(labels: Indices, neighbors: Indices) -> float:
    """The share of the neighbours of its rows that a cluster has, on average over the clusters.

    It is corrected for chance: 1 if it has all of them, 0 if it has as many as a random set of its
    size. Otherwise a large cluster, which has many neighbours by its size alone, would seem good.
    """
    inside = np.mean(labels[neighbors] == labels[:, None], axis=1)
    _, clusters, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    shares, chances = np.bincount(clusters, inside) / sizes, sizes / len(labels)
    # A single cluster is no clustering, though it has all neighbours.
    return float(np.mean((shares - chances) / (1 - chances))) if len(sizes) > 1 else 0.0


def nearest_others(X: Any) -> Indices:
    """The 10 nearest other rows of each row; of fewer than 11 rows, all others."""
    neighbors = min(NEIGHBORS, X.shape[0] - 1)
    return np.asarray(NearestNeighbors(n_neighbors=neighbors).fit(X).kneighbors()[1])
