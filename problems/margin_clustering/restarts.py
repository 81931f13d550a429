"""The search of the papers: several starts of the concave-convex procedure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import delayed
from scipy.optimize import linear_sum_assignment
from tqdm.auto import tqdm

from structsvm.data.arrays import Indices, Vector
from structsvm.data.intercepts import BIAS
from structsvm.oracle.processes import again_where_workers_die, process_pool
from structsvm.problems.margin_clustering.annotation import UNKNOWN
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.partitions import kmeans
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.problems.margin_clustering.search import FINALISTS, Search, early_end, solved
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers import CCCP
from structsvm.solvers.cccp import SEARCH_RTOL

#: Standard deviation of the scores of a start from which the search anneals: all rows are within
#: the margin.
SMALL = 1e-3
#: Standard deviation of the scores of a start that keeps its clusters, to explore more of them.
LARGE = 1.0


class Restarts(Search):
    """The concave-convex procedure from each of several starts.

    Parameters
    ----------
    C, n_init, rtol, max_iter, rng, n_jobs, verbose, deadline
        As in :class:`Search`.
    """

    search_rows = 4000

    def __init__(
        self, C: float, n_init: int, rtol: float, max_iter: int, rng: np.random.Generator,
        n_jobs: int | None = None, verbose: bool = False, deadline: float = math.inf,
    ) -> None:  # fmt: skip
        super().__init__(C, n_init, rtol, max_iter, rng, n_jobs, verbose, deadline)
        self.searching = CCCP(rtol=max(rtol, SEARCH_RTOL), max_iter=max_iter)

    def _found(self, problem: ClusteringProblem, Z: Any, known: Indices | None) -> list[Vector]:
        found = self._search(problem, Z, known)
        self._ended = early_end(found[-1])
        if self._ended is None and len(found) < self.n_init:  # between two starts
            self._ended = Status.TIME_LIMIT if self._left() <= 0 else Status.INTERRUPTED
        candidates = [result.w for result in distinct(problem, found) if result.w.any()]
        return candidates[:FINALISTS]

    def _search(self, problem: ClusteringProblem, Z: Any, known: Any) -> list[Result]:
        """The result of every start, or of the starts made before Ctrl-C or the time limit."""
        problem.initialize([Z], None if known is None else [known])
        runs = (
            delayed(solved)(self._in_time(self.searching), problem, Z, known, self.C, w0)
            for w0 in self._starts(problem, Z, known)
        )
        results: list[Result] = []
        begun: list[Any] = []  # all runs so far, since those of a worker that dies begin again

        def left() -> Iterator[Any]:
            yield from begun[len(results) :]
            for run in runs:
                begun.append(run)
                yield run

        def collect(found: Iterator[Result]) -> None:
            for result in found:
                results.append(result)
                self.passes += result.iterations
                progress.update()
                if result.status is Status.INTERRUPTED:
                    break

        name = type(problem).__name__
        progress = tqdm(total=self.n_init, desc=name, unit="start", disable=not self.verbose)
        try:
            with progress, process_pool(self.n_jobs, return_as="generator") as pool:
                again_where_workers_die(lambda: collect(pool(left())))
        except KeyboardInterrupt:
            if not results:
                raise KeyboardInterrupt("no start was completed") from None
        return results

    def _starts(self, problem: ClusteringProblem, Z: Any, known: Any) -> Iterator[Vector]:
        """Initial w, alternately from k-means and from random directions with large scores.

        With two clusters k-means finds the same clusters every time: it is used for the first start
        only, and random directions with small scores replace it. Once the time is over there are no
        more.
        """
        k = problem.n_clusters
        for number in range(self.n_init):
            if number and self._left() <= 0:
                return
            if number == 0 or (k > 2 and number % 2 == 0):
                clusters = kmeans(Z, k, self.rng).labels_
                means, spread = centres(problem, Z, clusters), SMALL
            else:
                means = problem.random_centres(self.rng)
                spread = LARGE if number % 2 else SMALL
            yield problem.start(Z, self._numbered(problem, Z, known, means), spread)

    def _numbered(self, problem: ClusteringProblem, Z: Any, known: Any, means: Vector) -> Vector:
        """The centres, numbered such that they agree best with the known labels."""
        if known is None:
            return means
        rows = np.flatnonzero(known != UNKNOWN)
        scores = problem.rows_.scores(Z[rows], means)
        # votes[c, p]: the total score of centre p over the rows known to be in cluster c.
        votes = np.eye(problem.n_clusters)[:, known[rows]] @ scores
        return means[linear_sum_assignment(votes, maximize=True)[1]]


def centres(problem: ClusteringProblem, Z: Any, clusters: Indices) -> Vector:
    """The means of the clusters, centred and scaled, as weights of shape (n_clusters, size).

    With an offset of -|mean|^2 / 2, where the problem has offsets, the score is highest for the
    nearest mean.
    """
    members = np.eye(problem.n_clusters)[:, clusters]
    sizes = np.maximum(1, members.sum(axis=1))
    means = problem.rows_.weighted_sums(Z, members / sizes[:, None])
    d = problem.rows_.n_features
    # |x - m|^2 / 2 is |x|^2 / 2 - (<m, x> - |m|^2 / 2); the last feature of a row is BIAS, not 1.
    means[:, d:] = -np.square(means[:, :d]).sum(axis=1, keepdims=True) / (2 * BIAS)
    return means


def distinct(problem: ClusteringProblem, results: list[Result]) -> list[Result]:
    """The results in order of objective, only the best for each clustering.

    Clusterings are compared up to the numbering of the clusters.
    """
    chosen: dict[bytes, Result] = {}
    for result in ranked(results, lambda result: result.primal):
        clusters = problem.clusters_of(result.labels[0])
        _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
        # A cluster is named by its first row, so that the numbering does not matter.
        chosen.setdefault(first[inverse].astype(np.int32).tobytes(), result)
    return list(chosen.values())
