"""Several starts of the concave-convex procedure, of which the lowest objective is kept."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import delayed
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from tqdm.auto import tqdm

from structsvm.oracle.processes import process_pool
from structsvm.problem import Indices, Vector
from structsvm.problems.classification.rows import BIAS
from structsvm.problems.margin_clustering.annotation import UNKNOWN
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.moves import kmeans, merge_and_split
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.result import Result
from structsvm.solvers import CCCP
from structsvm.solvers.cccp import RELABEL_RTOL, SEARCH_RTOL
from structsvm.status import Status

#: Starts that are solved to the final tolerance.
FINALISTS = 3
#: Rows used by the search, at most; the final descents use all.
SEARCH_ROWS = 4000
#: Standard deviation of the scores of a start from which the search anneals: all rows are within
#: the margin.
SMALL = 1e-3
#: Standard deviation of the scores of a start that keeps its clusters, to explore more of them.
LARGE = 1.0


class Restarts:
    """A search from each of several starts, moves between local optima, and final descents.

    Parameters
    ----------
    C, rtol, max_iter
        As in :class:`structsvm.problems.CPM3C`.
    rng : numpy.random.Generator
        Draws the starts, and the rows used by the search.
    n_init, n_jobs, verbose, time_limit
        As in :class:`structsvm.problems.CPM3C`.

    Attributes
    ----------
    passes : int
        Oracle passes of all runs so far.
    """

    def __init__(
        self, C: float, n_init: int, rtol: float, max_iter: int, rng: np.random.Generator,
        n_jobs: int | None = None, verbose: bool = False, time_limit: float | None = None,
    ) -> None:  # fmt: skip
        self.C, self.n_init, self.rng = C, n_init, rng
        self.n_jobs, self.verbose = n_jobs, verbose
        self.searching = CCCP(rtol=max(rtol, SEARCH_RTOL), max_iter=max_iter)
        self.moving = CCCP(rtol=max(rtol, SEARCH_RTOL), max_iter=max_iter, search=False)
        self.descending = CCCP(rtol=rtol, max_iter=max_iter, search=False)
        self.settling = CCCP(rtol=rtol, max_iter=1, search=False)
        self.passes = 0
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit

    def best(self, problem: ClusteringProblem, Z: Any, known: Indices | None) -> Result:
        """The result of lowest objective; after Ctrl-C or the time, among those found so far."""
        sample = self._sample(Z.shape[0], known)
        sampled, known_sampled = Z[sample], None if known is None else known[sample]
        found = self._search(problem, sampled, known_sampled)
        # At w = 0 all rows tie, so that it is no clustering, whatever its objective.
        candidates = [result for result in distinct(problem, found) if result.w.any()][:FINALISTS]
        if not candidates:
            raise ValueError(
                f"every start ended at w = 0, where all rows tie: C={self.C:.3g} is too small for "
                "a margin, or n_init too small to find one"
            )
        ended = _early_end(found[-1])
        if ended is None and len(found) < self.n_init:  # between two starts
            ended = Status.TIME_LIMIT if self._left() <= 0 else Status.INTERRUPTED
        finals: list[Result] = []
        try:
            if ended is None and problem.n_clusters > 2:
                candidates = [self._improve(problem, sampled, known_sampled, r) for r in candidates]
                candidates = distinct(problem, candidates)
            while ended is None and len(finals) < len(candidates):
                w0 = candidates[len(finals)].w
                finals.append(self._solve(self.descending, problem, Z, known, w0))
                ended = _early_end(finals[-1])
        except KeyboardInterrupt:
            ended = Status.INTERRUPTED
        if not finals:  # one pass over all rows: the search may have used a sample only
            finals = [self._solve(self.settling, problem, Z, known, candidates[0].w)]
        best = ranked(finals, lambda result: result.primal)[0]
        return replace(best, status=ended) if ended else best

    def _sample(self, n: int, known: Indices | None) -> Any:
        """The rows used by the search: all, or a random sample that favours known labels."""
        if n <= SEARCH_ROWS:
            return slice(None)
        order = self.rng.permutation(n)
        if known is not None:
            labelled = order[known[order] != UNKNOWN][: SEARCH_ROWS // 2]
            # assume_unique keeps the random order of the rows; without it setdiff1d sorts them.
            order = np.concatenate([labelled, np.setdiff1d(order, labelled, assume_unique=True)])
        return np.sort(order[:SEARCH_ROWS])

    def _solve(
        self, solver: CCCP, problem: ClusteringProblem, Z: Any, known: Any, w0: Vector
    ) -> Result:
        result = solved(self._in_time(solver), problem, Z, known, self.C, w0)
        self.passes += result.iterations
        return result

    def _in_time(self, solver: CCCP) -> CCCP:
        """The solver with the time that is left."""
        left = self._left()
        if left == math.inf:
            return solver
        # A solver makes one pass at least.
        return clone(solver).set_params(time_limit=max(left, np.finfo(float).tiny))

    def _left(self) -> float:
        """Seconds until the time limit."""
        return self._deadline - time.monotonic()

    # ------------------------------------------------------------------ search

    def _search(self, problem: ClusteringProblem, Z: Any, known: Any) -> list[Result]:
        """The result of every start; after Ctrl-C or the time, of those that were run."""
        problem.initialize([Z], None if known is None else [known])
        runs = (
            delayed(solved)(self._in_time(self.searching), problem, Z, known, self.C, w0)
            for w0 in self._starts(problem, Z, known)
        )
        results: list[Result] = []
        name = type(problem).__name__
        progress = tqdm(total=self.n_init, desc=name, unit="start", disable=not self.verbose)
        try:
            with progress, process_pool(self.n_jobs, return_as="generator") as pool:
                for result in pool(runs):
                    results.append(result)
                    self.passes += result.iterations
                    progress.update()
                    if result.status is Status.INTERRUPTED:
                        break
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

    # ------------------------------------------------------------------ moves

    def _improve(self, problem: ClusteringProblem, Z: Any, known: Any, result: Result) -> Result:
        """The result after merge-and-split moves, until none of them lowers the objective."""
        problem.initialize([Z], None if known is None else [known])
        improved = True
        while improved:
            improved = False
            for clusters in merge_and_split(problem, Z, result, self.rng):
                means = self._numbered(problem, Z, known, centres(problem, Z, clusters))
                w0 = problem.start(Z, means, SMALL)
                other = self._solve(self.moving, problem, Z, known, w0)
                if other.status is Status.INTERRUPTED:
                    # CCCP returns normally after Ctrl-C: raised again to end all moves.
                    raise KeyboardInterrupt
                if other.status is Status.TIME_LIMIT:
                    return result
                # A smaller fall counts as none, as in CCCP.
                if other.primal < (1 - RELABEL_RTOL) * result.primal:
                    result, improved = other, True
                    break
        return result


def _early_end(result: Result) -> Status | None:
    """The status of a run that ended all that was to follow it, else None."""
    early = (Status.INTERRUPTED, Status.TIME_LIMIT)
    return result.status if result.status in early else None


def solved(
    solver: CCCP, problem: ClusteringProblem, Z: Any, known: Any, C: float, w0: Vector
) -> Result:
    """The result from one start, without a warning if it ends at w = 0: it is never chosen then."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "training ended at w = 0")
        return solver.solve_in_place(problem, [Z], None if known is None else [known], C, w0=w0)


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
    """The results in order of objective; of those with equal clusters only the best.

    Clusterings are compared up to the numbering of the clusters.
    """
    chosen: dict[bytes, Result] = {}
    for result in ranked(results, lambda result: result.primal):
        clusters = problem.clusters_of(result.labels[0])
        _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
        # A cluster is named by its first row, so that the numbering does not matter.
        chosen.setdefault(first[inverse].astype(np.int32).tobytes(), result)
    return list(chosen.values())
