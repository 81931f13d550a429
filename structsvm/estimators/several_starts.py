"""Several starts of the concave-convex procedure; the one of lowest objective is kept."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from structsvm.contract.latent import LatentProblem, annotated
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples, take
from structsvm.data.validation import checked_generator, checked_sample_weight, require_positive
from structsvm.oracle.setup import set_sizes
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers.shared.checkpoint import for_part
from structsvm.solvers.shared.concave_convex import ConcaveConvexSolver

logger = logging.getLogger(__name__)

#: Statuses after which no further run is started.
EARLY = (Status.INTERRUPTED, Status.TIME_LIMIT, Status.STOPPED)


class SeveralStarts:
    """A solver that runs CCCP from several starts: see :class:`structsvm.LatentSVM`.

    Parameters
    ----------
    solver : CCCP or SmoothedCCCP
        Its ``time_limit`` is for all runs.
    n_init : int

    Attributes
    ----------
    objectives : ndarray of shape (n_starts,)
        The objective at the end of each run.
    """

    objectives: Vector
    needs_labels = False

    def __init__(self, solver: ConcaveConvexSolver, n_init: int) -> None:
        self.solver, self.n_init = solver, n_init
        if solver.time_limit is not None:
            require_positive("time_limit", solver.time_limit)
        limit = math.inf if solver.time_limit is None else solver.time_limit
        self._deadline = time.monotonic() + limit
        # One generator for all starts, so that each draws another w.
        self._generator = checked_generator(solver.random_state)
        # A search and a descent from the same w are two runs, but none is made twice.
        self._drawn: dict[bool, list[Vector]] = {True: [], False: []}

    def solve_in_place(
        self,
        problem: Problem,
        X: Any,
        Y: Any,
        C: float,
        *,
        w0: Vector | None,
        checkpoint: Any = None,
        **options: Any,
    ) -> Result:
        """Solve from every start, and return the result of the lowest objective.

        Each run has a checkpoint of its own.
        """
        results: list[Result] = []
        ended = None
        while ended is None and len(results) < self.n_init:
            try:
                if w0 is None and not results:
                    options["checkpoint"] = for_part(checkpoint, "known")
                    w0 = self._known_start(problem, X, Y, C, **options)
                options["checkpoint"] = for_part(checkpoint, str(len(results)))
                run = self._run(search=w0 is None and len(results) % 2 == 0)
                results.append(run.solve_in_place(problem, X, Y, C, w0=w0, **options))
                ended = results[-1].status if results[-1].status in EARLY else None
            except KeyboardInterrupt:
                if not results:
                    raise
                ended = Status.INTERRUPTED
            w0 = None
            logger.info("start %d of %d: %.6g", len(results), self.n_init, results[-1].primal)
        self.objectives = np.array([result.primal for result in results])
        low, high = self.objectives.min(), self.objectives.max()
        logger.info("objectives of %d starts: %.6g to %.6g", len(results), low, high)
        best = results[int(self.objectives.argmin())]
        return best if ended is None else replace(best, status=ended)

    def _known_start(
        self, problem: Problem, X: Any, Y: Any, C: float, sample_weight: Any = None, **options: Any
    ) -> Vector | None:
        """The w trained on the examples that have an annotation and a weight above 0.

        None if all examples have an annotation, or no annotated one has a weight above 0.
        """
        known, n = annotated(X, Y), n_examples(X)
        weights = checked_sample_weight(sample_weight, n)
        used = known[weights[known] > 0]
        if not isinstance(problem, LatentProblem) or len(known) == n or not len(used):
            return None
        some = problem, take(X, used), take(Y, used), C
        try:
            return self._run().solve_in_place(*some, sample_weight=weights[used], **options).w
        except ValueError:
            set_sizes(problem, X, Y)  # raises the same error, with the example's own number
            raise

    def _run(self, search: bool = True) -> ConcaveConvexSolver:
        """The solver of the next run, with the time that is left."""
        search = search and self.solver.search
        run = clone(self.solver).set_params(random_state=self._generator, search=search)
        run.reason, run.drawn = self.solver.reason, self._drawn[search]
        if self._deadline < math.inf:  # a solver makes one pass at least
            left = self._deadline - time.monotonic()
            run.set_params(time_limit=max(left, np.finfo(float).tiny))
        return run
