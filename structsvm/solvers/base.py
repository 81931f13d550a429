"""What all solvers share: from the arguments to the passes, and from those to the result."""

from __future__ import annotations

import logging
import math
import warnings
from abc import abstractmethod
from collections.abc import Generator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from structsvm.calls import initialize, require_problem
from structsvm.exceptions import ProblemError
from structsvm.oracle import BoundProblem
from structsvm.outcome import Iteration, Status, guarantee_of
from structsvm.planes import projected
from structsvm.problem import Problem, SelfLabelledProblem, Vector
from structsvm.result import Result
from structsvm.separation import Cuts
from structsvm.solvers.passes import Callback, Limits, Pass
from structsvm.solvers.run import Run
from structsvm.validation import (
    checked_w,
    require_n_jobs,
    require_nonnegative,
    require_positive,
    require_rescaling,
)
from structsvm.workers import Workers

logger = logging.getLogger(__name__)


class Solver(BaseEstimator):
    """What all solvers share. The parameters are described at each of them."""

    rescaling: str = "margin"
    needs_labels = True
    keeps_constraints = True
    _run_type: type[Run] = Run

    def __init__(
        self,
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 10_000,
        time_limit: float | None = None,
    ) -> None:
        self.rtol = rtol
        self.atol = atol
        self.max_iter = max_iter
        self.time_limit = time_limit

    def solve(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        C: float = 1.0,
        *,
        w0: Vector | None = None,
        callback: Callback | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> Result:
        """Minimise the objective of :mod:`structsvm.objective`.

        Parameters
        ----------
        problem : Problem
            Its ``initialize`` is called with X and Y.
        X, Y : sequences
            n inputs and their n outputs (annotations or None for a self-labelled problem).
        C : float, default=1.0
            Weight of the mean slack, > 0.
        w0 : ndarray of shape (size_joint_feature,), optional
            Where to start, projected onto the constraints. Default: the w of least norm that
            satisfies them, which is 0 without any; for :class:`CCCP` the problem's ``initial_w``.
        callback : callable, optional
            ``callback(iteration, w)`` after every pass, with an :class:`Iteration` and the point
            queried; a true return value stops the training.
        n_jobs : int, optional
            How many parts of the examples are asked at once, as in joblib: -1 for all processors,
            None for 1 unless a ``joblib.parallel_config`` says otherwise. In threads or in
            processes as the problem's ``parallelism`` says; the result is the same to the last bit.
        verbose : bool, default=False
            Show a progress bar.

        Returns
        -------
        Result
            Also when a limit was reached, or Ctrl-C pressed: then the best w so far.

        Raises
        ------
        ProblemError
            The problem broke its contract; the message names the method and the example.
        InfeasibleConstraintsError
            No w satisfies the problem's constraints.
        ValueError
            A parameter or the data are unusable.
        """
        limits = Limits(self.max_iter, self.time_limit, callback, verbose)
        limits.check()
        self._check_parameters(problem, C)
        require_n_jobs(n_jobs)
        if Y is None and self.needs_labels:
            raise ValueError(
                f"{type(self).__name__} needs the outputs Y; it is None. Self-labelled problems "
                "without labels are trained by CCCP"
            )
        initialize(problem, X, Y)
        with Workers(n_jobs, problem.parallelism) as workers:
            bound = BoundProblem(problem, X, Y, self.rescaling, workers=workers)
            result = self._train(bound, C, w0, limits)
        logger.info("%s", result)
        forced = result.multipliers.any()
        if result.status is Status.CONVERGED and not (result.w.any() or forced):
            warnings.warn(
                "the training ended at w = 0, which is within the tolerance of the optimum: "
                f"C={C:g} may be too small for the scale of the features, or the joint feature "
                "may not depend on y",
                stacklevel=2,
            )
        return result

    def _train(self, bound: BoundProblem, C: float, w0: Vector | None, limits: Limits) -> Result:
        run = self._start(bound, C)
        query = self._first_query(run, None if w0 is None else checked_w("w0", w0, bound.size))
        status = limits.run(self._passes(run, query), type(self).__name__)
        try:
            self._close(run, status)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        return self._result(run, status)

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _passes(self, run: Any, query: Vector) -> Generator[Pass, None, Status]:
        """One pass after another; what is returned is why no further one can be made."""

    def _start(self, bound: BoundProblem, C: float) -> Run:
        """The state before the first pass."""
        run = self._run_type(bound, C, self._group_sizes(bound.n))
        constraints = run.working_set.constraints
        constrained = len(constraints.b) or constraints.lower is not None
        if constrained and not self.keeps_constraints:
            raise ValueError(
                f"{type(self).__name__} cannot keep to the constraints or bounds on w of "
                f"{type(bound.problem).__name__}; use OneSlackCuttingPlane"
            )
        return run

    def _group_sizes(self, n: int) -> Vector:
        """How many examples share each slack: all of them, unless a solver says otherwise."""
        return np.array([float(n)])

    def _first_query(self, run: Run, w0: Vector | None) -> Vector:
        return run.w if w0 is None else projected(w0, run.working_set.constraints)

    def _close(self, run: Any, status: Status) -> None:
        """Make the best point and the dual solution belong together."""

    # ------------------------------------------------------------------ the record

    def _record(self, run: Run, query: Vector, cuts: Cuts) -> Iteration:
        primal = run.consider(query, cuts)
        assert run.best is not None
        iteration = Iteration(
            iteration=len(run.history) + 1,
            primal=primal,
            best_primal=run.best.primal,
            dual=run.best.dual.value,
            gap=run.best.primal - run.best.dual.value,
            n_planes=run.n_planes,
            oracle_calls=run.bound.tally.calls,
            seconds=run.seconds,
        )
        run.history.append(iteration)
        return iteration

    def _tolerance(self, run: Run) -> float:
        assert run.best is not None
        primal = abs(run.best.primal)
        return max(self.atol, self.rtol * primal) if math.isfinite(primal) else self.atol

    def _result(self, run: Run, status: Status) -> Result:
        assert run.best is not None
        w, primal, _, _, dual = run.best
        return Result(
            w=w,
            primal=primal,
            dual=dual.value,
            gap=primal - dual.value,
            status=status,
            guarantee=guarantee_of(run.bound.problem),
            iterations=len(run.history),
            oracle_calls=run.bound.tally.calls,
            seconds={**run.bound.tally.seconds, "qp": run.qp_seconds, "total": run.seconds},
            history=tuple(run.history),
            labels=dual.labels if isinstance(run.bound.problem, SelfLabelledProblem) else None,
            support=dual.support,
            multipliers=dual.multipliers,
            n_examples=run.bound.n,
            C=run.C,
            rescaling=self.rescaling,
            solver=type(self).__name__,
        )

    def _check_parameters(self, problem: Problem, C: float) -> None:
        require_problem(problem)
        require_positive("C", C)
        require_nonnegative("rtol", self.rtol)
        require_nonnegative("atol", self.atol)
        require_rescaling(self.rescaling, problem)
        qualities = ("exact", "undergenerating", "overgenerating")
        if problem.oracle_quality not in qualities:
            raise ProblemError(
                f"oracle_quality must be one of {qualities}; got {problem.oracle_quality!r}"
            )
        if problem.parallelism not in ("processes", "threads"):
            raise ProblemError(
                f"parallelism must be 'processes' or 'threads'; got {problem.parallelism!r}"
            )
