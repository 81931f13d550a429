"""Solver: the base class of all solvers, with the method ``solve``."""

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
    require_integer,
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
    """The base class of solvers.

    Parameters
    ----------
    rtol : float, default=1e-3
        Relative tolerance, >= 0 and < 1. A run stops when the gap is at most ``rtol`` times the
        primal value. With ``w_prior``, a run also stops when the gap is at most C * 1e-9 times the
        largest loss.
    atol : float, default=0.0
        Absolute tolerance, in units of the objective, >= 0. A run also stops when the gap is at
        most ``atol``.
    max_iter : int, default=10000
        Largest number of passes over the data, >= 1.
    time_limit : float, optional
        Limit of the wall time in seconds, > 0, tested after every pass. Default: no limit.
    """

    # Some solvers declare these parameters, for other values.
    rescaling, loss = Surrogate("margin", "hinge")
    #: The requirements on the problem and its task.
    requires: ClassVar[Requirements] = Requirements()
    #: The class of the solver that goes on after a stall; a :class:`structsvm.Plan` lists its
    #: solvers.
    then: ClassVar[type[Solver] | None] = None
    #: Whether stages that do not pay are skipped.
    may_skip: ClassVar[bool] = False
    #: Whether there is one slack for each example.
    slack_per_example: ClassVar[bool] = False
    #: The end of the message about a run that has stalled.
    after_a_stall: ClassVar[str] = ""
    #: Why 'auto' chose this solver; empty if the user chose it.
    reason = ""

    rtol: float = 1e-3
    atol: float = 0.0
    max_iter: int = 10_000
    time_limit: float | None = None

    @abstractmethod
    def begin(self, program: Program, start: Start) -> Algorithm:
        """Return an algorithm that makes passes, beginning from `start`."""

    def pays(self, program: Program, start: Start) -> bool:
        """Whether this solver is worthwhile for the data of `program` and for `start`."""
        return True

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate loss that the solver minimises."""
        return Surrogate(self.rescaling, self.loss)

    @property
    def stages(self) -> Sequence[Solver]:
        """This solver, and the solvers that continue after a stall."""
        if self.then is None:
            return (self,)
        following = self.then()
        following.loss = self.loss
        return (self, *following.stages)

    @property
    def needs_labels(self) -> bool:
        """Whether outputs Y are required. Solvers for latent variables do not need outputs."""
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
        """Minimise the objective of a structural SVM: see :mod:`structsvm.objective`.

        Parameters
        ----------
        problem : Problem
            The problem. The problem is copied and not changed, unless ``copy`` is False.
        X, Y : sequences
            The n inputs and n outputs. For a self-labelled problem, Y holds annotations or is None.
        C : float, default=1.0
            Regularisation parameter, > 0, which is the weight of the mean slack.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean slack, >= 0 and not all 0. An example with weight 2
            counts as two examples, and an example with weight 0 does not count. Only the ratios of
            the weights matter.
        w_prior : ndarray of shape (size_joint_feature,), optional
            Prior weights, such as the w of a result for other data. The regulariser is half the
            squared distance of w from the prior weights. Default: 0.
        w0 : ndarray of shape (size_joint_feature,), optional
            The start, projected onto the constraints. Default: ``w_prior``, or the nearest w that
            satisfies the constraints. For :class:`CCCP` the default is the problem's ``initial_w``.
        callback : callable or list of callables, optional
            The solver calls ``callback(iteration, w)`` after every pass, with an :class:`Iteration`
            and the queried point. A true return value stops the run. See
            :class:`structsvm.Callback`.
        n_jobs : int, optional
            Number of blocks of examples that are evaluated at the same time. -1 means all
            processors, and None means 1 unless ``joblib.parallel_config`` sets a number. The
            problem's ``parallelism`` decides between threads and processes. The result is the same
            to the last bit for every ``n_jobs``.
        verbose : bool, default=False
            Whether to show a progress bar.
        early_stopping : EarlyStopping, optional
            Held-out examples. Training ends when the score of the held-out examples no longer
            rises, or when the tolerance is reached. If training ends before the tolerance is
            reached, the result has the w with the highest score, and the objective and gap at this
            w.
        checkpoint : Checkpoint or path-like, optional
            A file to which the run is saved at intervals. If the file exists, the saved run is
            resumed.
        warm_start : Result, optional
            A result for the same problem, X and Y. C, solver, tolerance and ``sample_weight`` may
            differ. Training starts at the w of the result, in place of ``w0``, and with the planes
            of the result's dual solution, which are rebuilt from stored outputs.
            :class:`OneSlackCuttingPlane` reuses one-slack planes. :class:`NSlackCuttingPlane` and
            :class:`SmoothedCuttingPlane` reuse planes of single examples.
            :class:`BlockCoordinateFrankWolfe` reuses one-slack planes and planes of single
            examples. Planes of a soft oracle are not reused, because rebuilding such a plane takes
            a full pass. A result with only planes of a soft oracle is reused only for its w.
        copy : bool, default=True
            Whether to copy the problem. If False, the problem itself is initialized with X and Y.

        Returns
        -------
        Result
            The result at the best w, even if a limit was reached or Ctrl-C was pressed.

        Raises
        ------
        ProblemError
            If a method of the problem violates the contract of ``Problem``. The message names the
            method and the example.
        InfeasibleConstraintsError
            If no w satisfies the problem's constraints.
        ValueError
            If a parameter or the data are unusable.
        MemoryError
            If vectors of the length of w do not fit in memory.
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
            equal = weights is None or not np.ptp(weights)  # equal weights count as none
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
                    # Made before the examples, because workers are started for the blocks of the
                    # examples.
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
                        except KeyboardInterrupt:  # after the passes
                            if run.bounds.w is None:
                                raise
                            status = Status.INTERRUPTED
                try:
                    result = outcome(self, run, status)
                    report(result, self.name, self.reason)
                except KeyboardInterrupt:  # making the result takes no pass
                    result = outcome(self, run, Status.INTERRUPTED)
        except MemoryError as error:
            raise out_of_memory(self.name, int(problem.size_joint_feature), error) from error
        if callback is not None:
            end_all(callback, result)
        return result

    def _begun(
        self, examples: Examples, C: float, w0: Any, warm_start: Result | None, watch: Watch | None
    ) -> Run:
        """Return a run that has not yet made a pass."""
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
        sizes = np.ones(examples.n) if self.stages[0].slack_per_example else None
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
        """The name of the solver in messages."""
        return type(self).__name__

    def check_parameters(self, problem: Problem, C: float) -> None:
        """Raise an error if a parameter is out of its range, or if the problem is unsuitable."""
        require_suitable(problem, self.loss, self.rescaling)
        require_number("C", C, "> 0")
        require_number("rtol", self.rtol, ">= 0 and < 1")
        require_number("atol", self.atol, ">= 0")
        if hasattr(self, "prune_after"):
            require_integer("prune_after", self.prune_after, least=0)
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
