"""The frame of all solvers: from the arguments to the passes, and from those to the result."""

from __future__ import annotations

import logging
import math
import os
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from structsvm.contract.declarations import (
    require_declarations,
    require_outputs,
    require_problem,
    require_rescaling,
)
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.containers import require_examples
from structsvm.data.validation import (
    checked_sample_weight,
    checked_w,
    require_n_jobs,
    require_nonnegative,
    require_positive,
    require_tolerance,
)
from structsvm.objective import dual_factor
from structsvm.oracle.cuts import one_slack_cut, term_sizes
from structsvm.oracle.examples import Examples
from structsvm.oracle.memory import explained_shortage
from structsvm.oracle.setup import copied, initialize
from structsvm.oracle.support import support_outputs
from structsvm.oracle.workers import Workers
from structsvm.planes.plane import SupportPlane
from structsvm.results.callbacks import Callbacks, end_all
from structsvm.results.result import Result
from structsvm.results.status import Status, guarantee_of
from structsvm.solvers.checkpoint import Checkpoint, RunFile
from structsvm.solvers.consistency import require_bounds
from structsvm.solvers.early_stopping import EarlyStopping, Watch
from structsvm.solvers.loop import Limits, brief_interrupt
from structsvm.solvers.reporting import report, scaling_advice
from structsvm.solvers.run import Phase, Run
from structsvm.solvers.spot_checks import SpotChecks
from structsvm.solvers.state import State

logger = logging.getLogger(__name__)

#: The fraction of a gap above which rounding errors are the reason why it is not closed.
HINDERING = 1e-2


class Solver(BaseEstimator):
    """Base class of the solvers. The parameters are described at each of them."""

    rescaling: str = "margin"
    #: Whether outputs Y are required; a solver for latent variables does without.
    needs_labels = True
    #: Whether the solver can keep to constraints and bounds on w.
    keeps_constraints = True
    #: The last words of the message of a run that has stalled.
    after_a_stall = ""
    #: What the passes keep between them.
    _state_type: type[State]
    #: Why 'auto' chose it; empty where the user did.
    reason = ""

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
        sample_weight: Any = None,
        w0: Vector | None = None,
        callback: Callbacks = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        early_stopping: EarlyStopping | None = None,
        checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
        warm_start: Result | None = None,
    ) -> Result:
        """Minimise the objective of :mod:`structsvm.objective`.

        Parameters
        ----------
        problem : Problem
            It is copied, never changed.
        X, Y : sequences
            n inputs and their n outputs (annotations or None for a self-labelled problem).
        C : float, default=1.0
            Weight of the mean slack, > 0: the regularisation parameter.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean slack, >= 0 and not all 0: an example of weight 2
            counts as two, one of weight 0 as none. To multiply all by one number changes nothing.
        w0 : ndarray of shape (size_joint_feature,), optional
            The start, projected onto the constraints. Default: the w of least norm that
            satisfies them, which is 0 without any; for :class:`CCCP` the problem's ``initial_w``.
        callback : callable or list of callables, optional
            ``callback(iteration, w)`` after every pass, with an :class:`Iteration` and the point
            queried; a true return value stops the run. See :class:`structsvm.Callback`.
        n_jobs : int, optional
            Number of blocks of examples evaluated at the same time, as in joblib: -1 for all
            processors, None for 1 unless a ``joblib.parallel_config`` says otherwise. In threads or
            in processes as the problem's ``parallelism`` says; the result is the same to the last
            bit.
        verbose : bool, default=False
            Show a progress bar.
        early_stopping : EarlyStopping, optional
            Held-out examples: training ends where their score rises no more, or at the tolerance.
            Unless it ends at the tolerance, the w of their highest score is returned, with its own
            objective and gap.
        checkpoint : Checkpoint or path-like, optional
            A file to which the run is saved now and then, and from which it goes on if the file
            exists.
        warm_start : Result, optional
            A result for the same problem and the same X and Y, perhaps with another C, solver,
            tolerance or ``sample_weight``. Training starts at its w, in place of ``w0``, and with
            the planes of its dual solution, which are made again from the outputs that they came
            from. Cutting planes with one slack keep planes of one slack; with n slacks, and
            :class:`BlockCoordinateFrankWolfe` and :class:`SmoothedCuttingPlane`, those of single
            examples. Of all other planes only w is used: to make that of a soft oracle again takes
            a pass, as a step does.

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
        MemoryError
            Vectors as long as w do not fit in memory.
        """
        require_problem(problem)
        return self.solve_in_place(
            copied(problem),
            X,
            Y,
            C,
            sample_weight=sample_weight,
            w0=w0,
            callback=callback,
            n_jobs=n_jobs,
            verbose=verbose,
            early_stopping=early_stopping,
            checkpoint=checkpoint,
            warm_start=warm_start,
        )

    def solve_in_place(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        C: float = 1.0,
        *,
        sample_weight: Any = None,
        w0: Vector | None = None,
        callback: Callbacks = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        early_stopping: EarlyStopping | None = None,
        checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
        warm_start: Result | None = None,
    ) -> Result:
        """Do as :meth:`solve`, but initialize the given problem itself: for one that is a copy."""
        limits = Limits(self.max_iter, self.time_limit, callback, verbose)
        limits.check()
        self._check_parameters(problem, C)
        require_n_jobs(n_jobs)
        if self.needs_labels:
            require_outputs(type(problem).__name__, Y)
        weights = checked_sample_weight(sample_weight, require_examples(X))
        if warm_start is not None:
            w0 = self._checked_warm_start(warm_start, w0, len(weights)).w
        file = None
        if checkpoint is not None:
            start = None if warm_start is not None else w0
            given = {"X": X, "Y": Y, "C": float(C), "w0": start}
            given["sample_weight"] = weights if np.ptp(weights) else None  # equal ones are none
            given["early_stopping"] = early_stopping
            given["warm_start"] = warm_start and (warm_start.w, warm_start.support)
            file = RunFile(checkpoint, self, problem, given)
        initialize(problem, X, Y)
        shortage = explained_shortage(type(self).__name__, int(problem.size_joint_feature))
        with shortage, Workers(n_jobs, problem.parallelism) as workers:
            # Before the examples, whose blocks are those that the workers are started for.
            watch = None if early_stopping is None else Watch(early_stopping, problem, workers)
            examples = Examples(problem, X, Y, self.rescaling, workers, weights)
            examples.warn_of_one_block()
            with examples.reproducible(), brief_interrupt():
                state = self._start(examples, float(C))
                checks = SpotChecks(examples)
                w0 = None if w0 is None else checked_w("w0", w0, examples.size)
                if warm_start is not None:
                    self._use_support(state, warm_start.support, dual_factor(warm_start.C, C))
                first = self._first_phase(state, self._first_query(state, w0))
                run, name = Run(state, first, watch), type(self).__name__
                with nullcontext(run) if file is None else file.opened(run) as run:
                    if examples.doubled:  # the file is of a run that went on in double precision
                        checks = SpotChecks(examples)
                    save = None if file is None else partial(file.save, run)
                    try:
                        while True:
                            made = len(run.state.history)
                            status = limits.run(run.passes(), name, run.follow, save, made)
                            status = self._closed(run, status, checks)
                            if not self._wants_double(run, status):
                                break
                            checks = self._go_on_in_double(run)
                        if run.watched is not None and status is not Status.CONVERGED:
                            self._return_to(run.state, run.watched)
                    except KeyboardInterrupt:  # a second one ends this too, with what was found
                        if run.state.best is None:
                            raise
                        status = Status.INTERRUPTED
            result = self._result(run, status)
        report(result, type(self).__name__, self.reason)
        end_all(callback, result)
        return result

    # ------------------------------------------------------------------ a run

    def _closed(self, run: Run, status: Status, checks: SpotChecks) -> Status:
        """Complete the certificate at the end of the passes, and judge it."""
        if run.state.best is None and run.earlier is not None:
            run.state = run.earlier  # no pass in double precision was completed
            return status
        self._close(run.state, status)
        assert run.state.best is not None
        checks.after(run.state.best.w)
        require_bounds(run.state)
        return self._judged(run.state, status)

    def _wants_double(self, run: Run, status: Status) -> bool:
        """Whether rounding of single precision may be the reason why a run could not go on."""
        stuck = status in (Status.NUMERICAL, Status.STALLED, Status.QP_FAILED)
        return stuck and run.state.examples.may_double

    def _go_on_in_double(self, run: Run) -> SpotChecks:
        """Let the run continue with inputs in double precision, from where it is.

        Returns the checks that follow its passes.
        """
        earlier, examples = run.state, run.state.examples
        logger.info("single precision is not enough: double precision follows")
        examples.use_double()
        checks, state = SpotChecks(examples), self._start(examples, earlier.C)
        state.continue_from(earlier)
        run.go_on(state, self._first_phase(state, self._go_on(state, earlier)))
        return checks

    def _go_on(self, state: Any, earlier: Any) -> Vector:
        """Start with the point and the planes of an earlier state; return the first query."""
        self._use_support(state, earlier.best.dual.support, 1.0)
        return self._first_query(state, earlier.best.w)

    def _use_support(self, state: State, support: Sequence[SupportPlane], factor: float) -> None:
        """Start with the planes of an earlier dual solution, and know their rounding errors."""
        outputs = None if state.labels is None else support_outputs(state.labels, support)
        if outputs is not None:
            state.rounding.observe(term_sizes(state.examples, state.labels, outputs))
            self._use_planes(state, support, factor)

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _first_phase(self, state: Any, query: Vector) -> Phase:
        """Return the phase that makes the first passes, the very first at ``query``."""

    def _group_sizes(self, n: int) -> Vector:
        """Number of the n examples that share each slack; a solver may override that all do."""
        return np.array([float(n)])

    def _first_query(self, state: Any, w0: Vector | None) -> Vector:
        return np.zeros(state.examples.size) if w0 is None else w0

    def _use_planes(self, state: Any, support: Sequence[SupportPlane], factor: float) -> None:
        """Start with the planes of an earlier dual solution, multiplied by a factor."""

    def _close(self, state: Any, status: Status) -> None:
        """Make the best point and the dual solution belong together."""

    def _return_to(self, state: Any, w: Vector) -> None:
        """Make w the point that is returned, and evaluate the objective there."""
        state.return_to(w, one_slack_cut(state.examples, state.labels, w))

    # ------------------------------------------------------------------ the frame

    def _checked_warm_start(self, result: Result, w0: Any, n: int) -> Result:
        if w0 is not None:
            raise ValueError("w0 and warm_start are two starts; pass one of them")
        if not isinstance(result, Result):
            raise TypeError(f"warm_start must be a Result of solve; got {result!r:.60}")
        if result.n_examples != n or result.rescaling != self.rescaling:
            raise ValueError(
                f"warm_start is a result for {result.n_examples} examples with {result.rescaling} "
                f"rescaling; here are {n} examples, with {self.rescaling} rescaling. Pass its w as "
                "w0 instead"
            )
        return result

    def _start(self, examples: Examples, C: float) -> State:
        state = self._state_type(examples, C, self._group_sizes(examples.n))
        constrained = len(state.constraints.b) or state.constraints.lower is not None
        if constrained and not self.keeps_constraints:
            raise ValueError(
                f"{type(self).__name__} cannot keep to the constraints or bounds on w of "
                f"{type(examples.problem).__name__}; use OneSlackCuttingPlane"
            )
        return state

    def _tolerance(self, state: State) -> float:
        """The gap that is small enough for the best point."""
        assert state.best is not None
        primal = abs(state.best.primal)
        return max(self.atol, self.rtol * primal) if math.isfinite(primal) else self.atol

    def _is_small(self, state: State) -> bool:
        """Whether the gap is within the tolerance, or consists of rounding errors."""
        assert state.best is not None
        best = state.best
        # Either dual solution may become better: the lesser error decides.
        error = best.rounding + min(best.dual.rounding, state.dual.rounding)
        return best.gap <= max(self._tolerance(state), 2 * error)

    def _judged(self, state: State, status: Status) -> Status:
        """NUMERICAL where rounding errors are the reason why a run could not go on."""
        assert state.best is not None
        best, tolerance = state.best, self._tolerance(state)
        if best.gap <= tolerance:
            return status
        least = max(tolerance, HINDERING * best.gap)
        # By its rounding the last dual solution may be worth less than an earlier one.
        errors = best.gap_rounding, state.dual.rounding, state.qp_rounding
        hindered = 2 * max(errors) > least
        stuck = status in (Status.STALLED, Status.QP_FAILED) and hindered
        return Status.NUMERICAL if stuck or status is Status.CONVERGED else status

    def _advice(self, state: State, status: Status) -> str:
        """The advice that follows the message of a status."""
        stalled = self.after_a_stall if status is Status.STALLED else ""
        return stalled + scaling_advice(state, status)

    def _result(self, run: Run, status: Status) -> Result:
        state = run.state
        assert state.best is not None
        best, dual = state.best, state.best.dual
        problem, tally = state.examples.problem, state.examples.tally
        name = type(self).__name__
        return Result(
            w=best.w,
            primal=best.primal,
            dual=dual.value,
            gap=best.gap,
            rounding=best.gap_rounding,
            advice=self._advice(state, status),
            tolerance=self._tolerance(state),
            status=status,
            guarantee=guarantee_of(problem, imputes=not self.needs_labels),
            iterations=len(state.history),
            oracle_calls=tally.calls,
            seconds={**tally.seconds, "qp": state.qp_seconds, "total": state.seconds},
            history=tuple(state.history),
            labels=dual.labels if isinstance(problem, SelfLabelledProblem) else None,
            support=dual.support,
            multipliers=dual.multipliers,
            n_examples=state.examples.n,
            C=state.C,
            best_iteration=None if run.watch is None else run.watch.iteration,
            rescaling=self.rescaling,
            solver=f"{name}, because {self.reason}" if self.reason else name,
        )

    def _check_parameters(self, problem: Problem, C: float) -> None:
        require_problem(problem)
        require_positive("C", C)
        require_tolerance("rtol", self.rtol)
        require_nonnegative("atol", self.atol)
        require_rescaling(self.rescaling, problem)
        require_declarations(problem)
