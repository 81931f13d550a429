"""Search by the concave-convex procedure from several vectors w, as in the papers of Zhao et al."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from tqdm.auto import tqdm

from structsvm.data.arrays import Indices, Vector
from structsvm.data.intercepts import BIAS
from structsvm.problems.margin_clustering.annotation import UNKNOWN, as_annotations
from structsvm.problems.margin_clustering.partitions import kmeans
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.problems.margin_clustering.search import (
    FINALISTS,
    Effort,
    Found,
    early_end,
    sampled,
    solved,
)
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers.cccp import SEARCH_RTOL

#: Largest number of rows in the search.
SEARCH_ROWS = 4000
#: Standard deviation of the scores of a start from which the solver anneals: all rows are within
#: the margin.
SMALL = 1e-3
#: Standard deviation of the scores of a start whose clusters are kept, to explore other clusters.
LARGE = 1.0


def restarts(problem: ClusteringProblem, Z: Any, known: Any, C: float, effort: Effort) -> Found:
    """A :data:`Search` that runs the concave-convex procedure from each of several starts."""
    rng = np.random.default_rng(effort.seed)
    rows = sampled(Z.shape[0], SEARCH_ROWS, known, rng)
    Z, known = Z[rows], known if known is None else known[rows]
    problem.initialize([Z], as_annotations(known))
    results: list[Result] = []
    ended = None
    progress = tqdm(
        _starts(problem, Z, known, effort.n_init, rng), type(problem).__name__,
        total=effort.n_init, unit="start", disable=not effort.verbose,
    )  # fmt: skip
    try:
        for w0 in progress:
            solver = effort.solver(rtol=max(effort.rtol, SEARCH_RTOL))
            results.append(solved(solver, problem, Z, known, C, w0))
            if ended := early_end(results[-1]):
                break
    except KeyboardInterrupt:
        if not results:
            raise KeyboardInterrupt("no start was completed") from None
        ended = Status.INTERRUPTED
    starts = [result.w for result in distinct(problem, results) if result.w.any()]
    return Found(starts[:FINALISTS], sum(result.iterations for result in results), ended)


def _starts(
    problem: ClusteringProblem, Z: Any, known: Any, n_init: int, rng: np.random.Generator
) -> Iterator[Vector]:
    """Yield initial weights w, alternately from k-means and from random directions.

    For more than two clusters, random directions are scaled so that the scores are large. For two
    clusters, only the first w comes from k-means. Every other w comes from a random direction,
    scaled alternately to large and to small scores.
    """
    k = problem.n_clusters
    for number in range(n_init):
        if number == 0 or (k > 2 and number % 2 == 0):
            means, spread = centres(problem, Z, kmeans(Z, k, rng).labels_), SMALL
        else:
            means, spread = problem.random_centres(rng), LARGE if number % 2 else SMALL
        if known is not None:
            # votes[c, p]: the total score of centre p over the rows known to be in cluster c.
            rows = np.flatnonzero(known != UNKNOWN)
            votes = np.eye(k)[:, known[rows]] @ problem.rows_.scores(Z[rows], means)
            means = means[linear_sum_assignment(votes, maximize=True)[1]]
        yield problem.start(Z, means, spread)


def centres(problem: ClusteringProblem, Z: Any, clusters: Indices) -> Vector:
    """Return a weight vector for each cluster: the mean of the cluster's centred and scaled rows.

    If the problem has offsets, the offset of a cluster is -|mean|^2 / 2, so that each row has the
    highest score for the cluster of the nearest mean.
    """
    members = np.eye(problem.n_clusters)[:, clusters]
    sizes = np.maximum(1, members.sum(axis=1))
    means = problem.rows_.weighted_sums(Z, members / sizes[:, None])
    d = problem.rows_.n_features
    # |x - m|^2 / 2 is |x|^2 / 2 - (<m, x> - |m|^2 / 2); the last feature of a row is BIAS, not 1.
    means[:, d:] = -np.square(means[:, :d]).sum(axis=1, keepdims=True) / (2 * BIAS)
    return means


def distinct(problem: ClusteringProblem, results: list[Result]) -> list[Result]:
    """Return the best result for each clustering, in order of objective.

    Clusterings that differ only in the numbering of their clusters count as equal.
    """
    chosen: dict[bytes, Result] = {}
    for result in ranked(results, lambda result: result.primal):
        clusters = problem.clusters_of(result.labels[0])
        _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
        # A cluster is named by its first row, so that the numbering does not matter.
        chosen.setdefault(first[inverse].astype(np.int32).tobytes(), result)
    return list(chosen.values())
