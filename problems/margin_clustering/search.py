"""Search for clusterings of low objective, and descend from the best clusterings."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.annotation import UNKNOWN, as_annotations
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers import CCCP

#: Number of clusterings that are solved to the tolerance.
FINALISTS = 3


class NoMarginError(ValueError):
    """Every start of a search ended at w = 0."""


@dataclass(frozen=True)
class Effort:
    """Limits of a search, and its seed.

    Attributes
    ----------
    n_init, rtol, max_iter, verbose
        The parameters of :class:`structsvm.problems.CPM3C`.
    seed : int
        Seed of all random numbers of a search.
    deadline : float
        The value of ``time.monotonic()`` at which the search ends.
    """

    n_init: int
    rtol: float
    max_iter: int
    seed: int
    verbose: bool = False
    deadline: float = math.inf

    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self.deadline

    def solver(self, **options: Any) -> CCCP:
        """Return a solver whose time limit is the time left until the deadline."""
        left = None
        if self.deadline < math.inf:  # a solver makes one pass at least
            left = max(self.deadline - time.monotonic(), np.finfo(float).tiny)
        return CCCP(**{"rtol": self.rtol, "max_iter": self.max_iter} | options, time_limit=left)


class Found(NamedTuple):
    """The best clusterings of a search.

    ``starts`` holds the weights w of the best clusterings, the lowest objective first. ``passes``
    counts the passes over the rows. ``ended`` is the status of a search that Ctrl-C or the time
    limit ended, and otherwise None.
    """

    starts: list[Vector]
    passes: int = 0
    ended: Status | None = None


#: A function of the problem, the rows, known labels or None, C and the effort. After Ctrl-C it
#: raises a KeyboardInterrupt if it has found no clustering yet.
Search: TypeAlias = Callable[[ClusteringProblem, Any, Any, float, Effort], Found]


def best_result(
    search: Search, problem: ClusteringProblem, Z: Any, known: Any, C: float, effort: Effort
) -> tuple[Result, int]:
    """Return the result of lowest objective, and the number of passes over the rows.

    After Ctrl-C or at the time limit, the best result so far is returned.
    """
    starts, passes, ended = search(problem, Z, known, C, effort)
    finals: list[Result] = []
    try:
        while ended is None and len(finals) < len(starts):
            solver = effort.solver(search=False)
            finals.append(solved(solver, problem, Z, known, C, starts[len(finals)]))
            ended = early_end(finals[-1])
    except KeyboardInterrupt:
        ended = Status.INTERRUPTED
    if not finals and starts:  # one pass over all rows: the search may have used a sample only
        settling = effort.solver(max_iter=1, search=False)
        finals = [solved(settling, problem, Z, known, C, starts[0])]
    passes += sum(result.iterations for result in finals)
    # w = 0 is no clustering, whatever its objective, because all rows tie.
    finals = [result for result in finals if result.w.any()]
    if not finals:
        raise NoMarginError(
            f"every start ended at w = 0, where all rows tie: C={C:.3g} is too small for "
            "a margin, or n_init too small to find one"
        )
    lowest = ranked(finals, lambda result: result.primal)[0]
    return replace(lowest, status=ended) if ended else lowest, passes


def sampled(n: int, most: int, known: Indices | None, rng: np.random.Generator) -> Any:
    """Select all n rows, or a random sample of ``most`` rows that favours rows of known label."""
    if n <= most:
        return slice(None)
    order = rng.permutation(n)
    if known is not None:
        labelled = order[known[order] != UNKNOWN][: most // 2]
        # assume_unique keeps the random order of the rows; without it setdiff1d sorts them.
        order = np.concatenate([labelled, np.setdiff1d(order, labelled, assume_unique=True)])
    return np.sort(order[:most])


def early_end(result: Result) -> Status | None:
    """Return the status if this run was ended by Ctrl-C or the time limit, otherwise None."""
    return result.status if result.status in (Status.INTERRUPTED, Status.TIME_LIMIT) else None


def solved(
    solver: CCCP, problem: ClusteringProblem, Z: Any, known: Any, C: float, w0: Vector
) -> Result:
    """Run the solver from the weights ``w0``, without its warning about results with w = 0."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "training ended at w = 0")
        return solver.solve(problem, [Z], as_annotations(known), C, w0=w0, copy=False)
