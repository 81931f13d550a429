"""The frame of all solvers: from the arguments to the passes, and from the passes to the result."""

from __future__ import annotations

import logging
import os
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from structsvm.bases import HasParameters
from structsvm.contract.declarations import (
    require_outputs,
    require_suitable,
)
from structsvm.contract.missing import misspelt
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import require_examples
from structsvm.data.names import brief
from structsvm.data.validation import (
    checked_sample_weight,
    checked_w,
    require_n_jobs,
    require_number,
)
from structsvm.exceptions import warn_user
from structsvm.objective import dual_factor
from structsvm.objective.surrogate import Surrogate
from structsvm.oracle.examples import Examples, workers_for
from structsvm.oracle.memory import out_of_memory
from structsvm.oracle.setup import copied, initialize
from structsvm.results.callbacks import Callbacks, end_all
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.checkpoint import Checkpoint, RunFile
from structsvm.solvers.shared.early_stopping import EarlyStopping, Watch
from structsvm.solvers.shared.loop import Limits, brief_interrupt
from structsvm.solvers.shared.outcome import outcome, report
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.run import Run, next_stage
from structsvm.task.watched import watched

logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Solver(HasParameters):
    """Base class of the solvers.

    Parameters
    ----------
    rtol : float, default=1e-3
        Stop when the gap is at most ``rtol`` times the primal value, >= 0 and < 1.
    atol : float, default=0.0
        Or when the gap is at most ``atol``, in units of the objective, >= 0.
    max_iter : int, default=10000
        Largest number of passes over the data, >= 1.
    time_limit : float, optional
        Seconds of wall time, > 0, tested after every pass. Default: no limit.
    """

    # Parameters of some solvers, which declare them.
    rescaling, loss = Surrogate("margin", "hinge")
    #: What a problem must offer.
    requires: ClassVar[Requirements] = Requirements()
    #: The class of the solver that goes on after a stall; a :class:`structsvm.Plan` names its own.
    then: ClassVar[type[Solver] | None] = None
    #: Whether stages that do not pay are left out.
    may_skip: ClassVar[bool] = False
    #: Whether every example has a slack of its own.
    slack_per_example: ClassVar[bool] = False
    #: The last words of the message of a run that has stalled.
    after_a_stall: ClassVar[str] = ""
    #: Why 'auto' chose it; empty where the user did.
    reason = ""

    rtol: float = 1e-3
    atol: float = 0.0
    max_iter: int = 10_000
    time_limit: float | None = None

    @abstractmethod
    def begin(self, program: Program, start: Start) -> Algorithm:
        """Return the algorithm that makes the passes, from a point and a dual solution."""

    def pays(self, program: Program, start: Start) -> bool:
        """Whether a plan should try the solver, for data of this size and this start."""
        return True

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of an example's loss."""
        return Surrogate(self.rescaling, self.loss)

    @property
    def stages(self) -> Sequence[Solver]:
        """The solver, and those that go on after it has stalled."""
        if self.then is None:
            return (self,)
        following = self.then()
        following.loss = self.loss
        return (self, *following.stages)

    def group_sizes(self, n: int) -> Vector:
        """Number of the n examples that share each slack, where not all share one."""
        return np.ones(n)

    @property
    def needs_labels(self) -> bool:
        """Whether outputs Y are required; a solver for latent variables does without."""
        return self.requires.known_outputs

    def solve(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        C: float = 1.0,
        *,
        sample_weight: Any = None,
        w_prior: Vector | None = None,
        w0: Vector | None = None,
        callback: Callbacks = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        early_stopping: EarlyStopping | None = None,
        checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
        warm_start: Result | None = None,
        copy: bool = True,
    ) -> Result:
        """Minimise the objective of :mod:`structsvm.objective`.

        Parameters
        ----------
        problem : Problem
            It is copied, and not changed, unless ``copy`` is False.
        X, Y : sequences
            n inputs and their n outputs (annotations or None for a self-labelled problem).
        C : float, default=1.0
            Weight of the mean slack, > 0: the regularisation parameter.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean slack, >= 0 and not all 0: an example of weight 2
            counts as two, one of weight 0 not at all. Scaling all weights alike changes nothing.
        w_prior : ndarray of shape (size_joint_feature,), optional
            Weights known from experience, such as the w of a result for other data: the regulariser
            is the squared distance from them. Default: 0.
        w0 : ndarray of shape (size_joint_feature,), optional
            The start, projected onto the constraints. Default: the w nearest to ``w_prior`` that
            satisfies them, which is ``w_prior`` without any; for :class:`CCCP` the problem's
            ``initial_w``.
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
            the planes of its dual solution, rebuilt from the outputs that they came from. Solvers
            with one slack reuse planes of one slack; solvers with n slacks,
            :class:`BlockCoordinateFrankWolfe` and :class:`SmoothedCuttingPlane` reuse planes of
            single examples. Soft-oracle planes are not reused, since rebuilding one costs a full
            pass: then only w is.
        copy : bool, default=True
            If False, the problem itself is initialized with these data.

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
        limits = Limits(self.max_iter, self.time_limit, callback, verbose)
        limits.check()
        self.check_parameters(problem, C)
        require_n_jobs(n_jobs)
        if self.needs_labels:
            require_outputs(type(problem).__name__, Y)
        kind: type = type(problem)
        for note in misspelt(kind, frozenset(vars(problem))):
            warn_user(note)
        problem = copied(problem) if copy else problem
        n, weights = require_examples(X), None
        if sample_weight is not None:
            weights = checked_sample_weight(sample_weight, n)
        if warm_start is not None:
            w0 = self._checked_warm_start(warm_start, w0, n).w
        file = None
        if checkpoint is not None:
            given = {"X": X, "Y": Y, "C": float(C), "w_prior": w_prior}
            given["w0"] = None if warm_start is not None else w0
            equal = weights is None or not np.ptp(weights)  # as without any
            given["sample_weight"] = None if equal else weights
            given["early_stopping"] = early_stopping
            given["warm_start"] = warm_start and (warm_start.w, warm_start.support)
            file = RunFile(checkpoint, self, problem, given)
        initialize(problem, X, Y)
        try:
            with workers_for(n_jobs, problem) as workers, brief_interrupt():
                size, prior, watch = int(problem.size_joint_feature), None, None
                if w_prior is not None:
                    prior = checked_w("w_prior", w_prior, size)
                if early_stopping is not None:
                    # Before the examples: the workers are started for the blocks of these.
                    watch = Watch(early_stopping, problem, workers, prior)
                examples = Examples(problem, X, Y, self.surrogate, workers, weights, prior)
                if workers is not None:
                    examples.warn_of_one_block()
                with examples.reproducible():
                    run = self._begun(examples, C, w0, warm_start, watch)
                    with nullcontext(run) if file is None else file.opened(run) as run:
                        save = None if file is None else partial(file.save, run)
                        status = None
                        try:
                            while status is None:
                                ended = limits.run(run, save, len(run.bounds.history))
                                status = run.close(ended)
                        except KeyboardInterrupt:  # during what follows the passes
                            if run.bounds.w is None:
                                raise
                            status = Status.INTERRUPTED
                try:
                    result = outcome(self, run, status)
                    report(result, self.name, self.reason)
                except KeyboardInterrupt:  # what was found takes no pass to tell
                    result = outcome(self, run, Status.INTERRUPTED)
        except MemoryError as error:
            raise out_of_memory(self.name, int(problem.size_joint_feature), error) from error
        if callback is not None:
            end_all(callback, result)
        return result

    def _begun(
        self, examples: Examples, C: float, w0: Any, warm_start: Result | None, watch: Watch | None
    ) -> Run:
        """The run, before its first pass."""
        start = Start()
        if w0 is not None:
            name = "w0" if warm_start is None else "the w of warm_start"
            start = Start(examples.task.relative(checked_w(name, w0, examples.size)))
        if warm_start is not None:
            factor = dual_factor(warm_start.C, C)
            start = start._replace(support=warm_start.support or (), factor=factor)
        if self.requires.task:
            inside = watched(examples.task).task
            if error := self.requires.error_of_task(inside, self.name):
                raise error
        first = self.stages[0]
        sizes = first.group_sizes(examples.n) if first.slack_per_example else None
        program = Program(examples, float(C), self.rtol, self.atol, sizes)
        constrained = len(program.constraints.b) or program.constraints.lower is not None
        for solver in self.stages:
            if constrained and solver.requires.unconstrained:
                raise ValueError(
                    f"{solver.name} cannot keep to the constraints or bounds on w of "
                    f"{type(examples.problem).__name__}; use OneSlackCuttingPlane"
                )
        at = next_stage(self.stages, 0, program, start) if self.may_skip else 0
        return Run(program, self.stages, at, start, watch)

    # ------------------------------------------------------------------ the arguments

    @property
    def name(self) -> str:
        """The name for messages."""
        return type(self).__name__

    def check_parameters(self, problem: Problem, C: float) -> None:
        """Raise an error for parameters out of their range, or a problem that does not suit."""
        require_suitable(problem, self.loss, self.rescaling)
        require_number("C", C, "> 0")
        require_number("rtol", self.rtol, ">= 0 and < 1")
        require_number("atol", self.atol, ">= 0")
        special = self.requires != Solver.requires
        if special and (error := self.requires.error(problem, self.name)):
            raise error

    def _checked_warm_start(self, result: Result, w0: Any, n: int) -> Result:
        if w0 is not None:
            raise ValueError("w0 and warm_start are two starts; pass one of them")
        if not isinstance(result, Result):
            raise TypeError(f"warm_start must be a Result of solve; got {brief(result)}")
        given, here = (result.n_examples, *result.surrogate), (n, *self.surrogate)
        if given != here:
            words = "{} examples with {} rescaling and loss {!r}"
            raise ValueError(
                f"warm_start is a result for {words.format(*given)}; here are "
                f"{words.format(*here)}. Pass its w as w0 instead"
            )
        return result
