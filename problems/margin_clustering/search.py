"""Base class of the searches for the clustering of lowest objective."""

from __future__ import annotations

import math
import time
import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.annotation import UNKNOWN
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers import CCCP

#: Clusterings that are solved to the tolerance.
FINALISTS = 3


class NoMarginError(ValueError):
    """Every start of a search ended at w = 0."""


class Search(ABC):
    """A search on a sample of the rows, and descents on all rows from the best that it found.

    Parameters
    ----------
    C, n_init, rtol, max_iter
        As in :class:`structsvm.problems.CPM3C`.
    rng : numpy.random.Generator
        Draws all that is random, and the rows used by the search.
    n_jobs, verbose
        As in :class:`structsvm.problems.CPM3C`.
    deadline : float
        The value of ``time.monotonic()`` at which the search ends.

    Attributes
    ----------
    passes : int
        Passes over the rows, of all runs so far.
    """

    #: Rows used by the search, at most.
    search_rows: int

    def __init__(
        self, C: float, n_init: int, rtol: float, max_iter: int, rng: np.random.Generator,
        n_jobs: int | None = None, verbose: bool = False, deadline: float = math.inf,
    ) -> None:  # fmt: skip
        self.C, self.n_init, self.rng = C, n_init, rng
        self.n_jobs, self.verbose = n_jobs, verbose
        self.descending = CCCP(rtol=rtol, max_iter=max_iter, search=False)
        self.settling = CCCP(rtol=rtol, max_iter=1, search=False)
        self.passes = 0
        self._deadline = deadline
        self._ended: Status | None = None

    @abstractmethod
    def _found(self, problem: ClusteringProblem, Z: Any, known: Indices | None) -> list[Vector]:
        """A w for each of the best clusterings, in order of objective.

        It sets ``_ended`` where Ctrl-C or the time ended the search, and raises KeyboardInterrupt
        where nothing had been found by then.
        """

    def best(self, problem: ClusteringProblem, Z: Any, known: Indices | None) -> Result:
        """The result of lowest objective; after Ctrl-C or the time, among those found so far."""
        sample = sampled(Z.shape[0], self.search_rows, known, self.rng)
        starts = self._found(problem, Z[sample], None if known is None else known[sample])
        finals: list[Result] = []
        try:
            while self._ended is None and len(finals) < len(starts):
                w0 = starts[len(finals)]
                finals.append(self._solve(self.descending, problem, Z, known, w0))
                self._ended = early_end(finals[-1])
        except KeyboardInterrupt:
            self._ended = Status.INTERRUPTED
        if not finals and starts:  # one pass over all rows: the search may have used a sample only
            finals = [self._solve(self.settling, problem, Z, known, starts[0])]
        # At w = 0 all rows tie, so that it is no clustering, whatever its objective.
        finals = [result for result in finals if result.w.any()]
        if not finals:
            raise NoMarginError(
                f"every start ended at w = 0, where all rows tie: C={self.C:.3g} is too small for "
                "a margin, or n_init too small to find one"
            )
        best = ranked(finals, lambda result: result.primal)[0]
        return replace(best, status=self._ended) if self._ended else best

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


def sampled(n: int, most: int, known: Indices | None, rng: np.random.Generator) -> Any:
    """All of n rows, or a random sample of at most ``most`` that favours known labels."""
    if n <= most:
        return slice(None)
    order = rng.permutation(n)
    if known is not None:
        labelled = order[known[order] != UNKNOWN][: most // 2]
        # assume_unique keeps the random order of the rows; without it setdiff1d sorts them.
        order = np.concatenate([labelled, np.setdiff1d(order, labelled, assume_unique=True)])
    return np.sort(order[:most])


def early_end(result: Result) -> Status | None:
    """The status of a run that also ends all later runs, else None."""
    early = (Status.INTERRUPTED, Status.TIME_LIMIT)
    return result.status if result.status in early else None


def solved(
    solver: CCCP, problem: ClusteringProblem, Z: Any, known: Any, C: float, w0: Vector
) -> Result:
    """The result from one start, without a warning if it ends at w = 0: it is never chosen then."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "training ended at w = 0")
        Y = None if known is None else [known]
        return solver.solve(problem, [Z], Y, C, w0=w0, copy=False)
