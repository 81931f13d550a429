"""What all cutting-plane solvers share: the passes they make, and the result of them."""

from __future__ import annotations

import logging
import math
import warnings
from abc import abstractmethod
from collections.abc import Callable, Generator
from itertools import count
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from structsvm.exceptions import ProblemError
from structsvm.oracle import BoundProblem, initialize, require_problem
from structsvm.planes import projected
from structsvm.problem import Problem, SelfLabelledProblem, Vector
from structsvm.result import Iteration, Result, Status, guarantee_of
from structsvm.separation import Cuts
from structsvm.solvers.arguments import (
    checked_w,
    require_integer,
    require_nonnegative,
    require_positive,
    require_rescaling,
)
from structsvm.solvers.passes import Callback, Limits, Pass
from structsvm.solvers.run import Run

logger = logging.getLogger(__name__)


class CuttingPlaneSolver(BaseEstimator):
    """What the cutting-plane solvers share. The parameters are described at each of them."""

    rtol: float
    atol: float
    max_iter: int
    time_limit: float | None
    prune_after: int
    rescaling: str = "margin"
    needs_labels = True

    def solve(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        C: float = 1.0,
        *,
        w0: Vector | None = None,
        callback: Callback | None = None,
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
        if Y is None and self.needs_labels:
            raise ValueError(
                f"{type(self).__name__} needs the outputs Y; it is None. Self-labelled problems "
                "without labels are trained by CCCP"
            )
        initialize(problem, X, Y)
        bound = BoundProblem(problem, X, Y, self.rescaling)
        run = Run(bound, C, self._group_sizes(bound.n))
        query = self._first_query(run, None if w0 is None else checked_w("w0", w0, bound.size))
        status = limits.run(self._passes(run, query), type(self).__name__)
        try:
            self._close(run, status)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        result = self._result(run, status)
        logger.info("%s", result)
        forced = result.multipliers.any()
        if status is Status.CONVERGED and not (result.w.any() or forced):
            warnings.warn(
                "the training ended at w = 0, which is within the tolerance of the optimum: "
                f"C={C:g} may be too small for the scale of the features, or the joint feature "
                "may not depend on y",
                stacklevel=2,
            )
        return result

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _group_sizes(self, n: int) -> Vector:
        """How many examples share each slack."""

    @abstractmethod
    def _cuts(self, run: Run, query: Vector) -> Cuts:
        """One pass of the oracle at the query point."""

    @abstractmethod
    def _is_new(self, run: Run, cuts: Cuts) -> bool:
        """Whether the planes found tell more than those that are kept."""

    @abstractmethod
    def _advance(self, run: Run, query: Vector, cuts: Cuts) -> Vector | None:
        """Use what the pass found; the next query point, or None if nothing would change."""

    def _first_query(self, run: Run, w0: Vector | None) -> Vector:
        return run.w if w0 is None else projected(w0, run.working_set.constraints)

    def _finished(self, run: Run, iteration: Iteration) -> bool:
        """Whether the gap is within the tolerance."""
        return iteration.gap <= self._tolerance(run)

    def _close(self, run: Run, status: Status) -> None:
        """Make the best point and the dual solution belong together."""

    # ------------------------------------------------------------------ the loop

    def _passes(self, run: Run, query: Vector | None) -> Generator[Pass, None, Status]:
        """One pass after another; what is returned is why no further one can be made."""
        for number in count(1):
            assert query is not None
            cuts = self._cuts(run, query)
            if not (cuts.any_loss or query.any() or run.working_set.any_loss):
                raise ProblemError(
                    "the oracle returned an output of loss 0 for every example at w = 0, where "
                    "one of the largest loss is wanted; is it forgetting the loss, or returning "
                    "the truth? structsvm.check_problem(problem, X, Y) tells more"
                )
            iteration = self._record(run, query, cuts, number)
            yield Pass(iteration, query, self._finished(run, iteration))
            query = self._advance(run, query, cuts)
            if self._qp_failed(run):
                return Status.QP_FAILED
            if query is None:
                return Status.STALLED
        raise AssertionError("unreachable")

    def _searched(self, run: Run, query: Vector, cuts_of: Callable[..., Cuts]) -> Cuts:
        """What the oracle finds; or what was found last, refined, where that is new.

        ``cuts_of(bound, labels, w, outputs)`` makes the planes. The slacks of refined outputs are
        too small to be believed, so they count as infinite.
        """
        bound, labels = run.bound, run.labels
        if run.outputs is not None and bound.may_refine:
            refined = bound.refine(labels, query, run.outputs)
            cuts = cuts_of(bound, labels, query, refined)
            if self._is_new(run, cuts):
                run.outputs = refined
                return cuts._replace(slacks=np.full(len(cuts.slacks), np.inf))
        cuts = _unbeaten(run, query, cuts_of(bound, labels, query, None))
        run.outputs = cuts.outputs
        return cuts

    def _qp_failed(self, run: Run) -> bool:
        """Whether the restricted optimum is too rough for the gap that is asked for."""
        _, primal, dual, violation = run.restricted
        rough = not abs(primal - dual) <= max(0.1 * self._tolerance(run), 1e-6 * abs(dual))
        return rough or violation > 1e-6

    def _record(self, run: Run, query: Vector, cuts: Cuts, number: int) -> Iteration:
        primal = run.consider(query, cuts)
        assert run.best is not None
        iteration = Iteration(
            iteration=number,
            primal=primal,
            best_primal=run.best.primal,
            dual=run.best.dual.value,
            gap=run.best.primal - run.best.dual.value,
            n_planes=len(run.working_set),
            oracle_calls=run.bound.oracle_calls,
            seconds=run.seconds,
        )
        run.history.append(iteration)
        return iteration

    def _tolerance(self, run: Run) -> float:
        assert run.best is not None
        primal = abs(run.best.primal)
        return max(self.atol, self.rtol * primal) if math.isfinite(primal) else self.atol

    def _slack_tolerance(self, run: Run) -> float:
        """Violations below it cannot matter: together they are a tenth of the gap allowed.

        Nor can those that rounding makes. The dual stands for the objective: it is never above it.
        """
        dual, planes = abs(run.dual.value), run.working_set
        allowed = max(0.1 * max(self.atol, self.rtol * dual), 1e-10 * dual) / run.C
        return max(allowed, 8 * np.finfo(float).eps * planes.magnitude(run.w))

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
            oracle_calls=run.bound.oracle_calls,
            seconds={**run.bound.seconds, "qp": run.qp_seconds, "total": run.seconds},
            history=tuple(run.history),
            labels=dual.labels if isinstance(run.bound.problem, SelfLabelledProblem) else None,
            support=dual.support,
            multipliers=dual.multipliers,
            n_examples=run.bound.n,
            C=run.C,
            rescaling=self.rescaling,
        )

    def _check_parameters(self, problem: Problem, C: float) -> None:
        require_problem(problem)
        require_positive("C", C)
        require_nonnegative("rtol", self.rtol)
        require_nonnegative("atol", self.atol)
        require_integer("prune_after", self.prune_after, least=0)
        require_rescaling(self.rescaling, problem)
        qualities = ("exact", "undergenerating", "overgenerating")
        if problem.oracle_quality not in qualities:
            raise ProblemError(
                f"oracle_quality must be one of {qualities}; got {problem.oracle_quality!r}"
            )


def _unbeaten(run: Run, query: Vector, cuts: Cuts) -> Cuts:
    """Compare the oracle at w with what it returned earlier, which the working set remembers.

    An undergenerating oracle may do worse; its earlier output then gives the slack. Any other has
    broken its promise.
    """
    planes = run.working_set
    known = planes.slacks(query)
    if run.bound.problem.oracle_quality == "undergenerating":
        return cuts._replace(slacks=np.maximum(cuts.slacks, known))
    if not len(planes):
        return cuts
    tolerance = 1e-5 * (1 + planes.magnitude(query))
    worst = int(np.argmax(known - cuts.slacks))
    if known[worst] - cuts.slacks[worst] > tolerance:
        where = f" for example {worst}" if len(known) > 1 else ""
        raise ProblemError(
            f"the oracle is declared {run.bound.problem.oracle_quality} but an output that it "
            f"returned earlier scores higher{where}: violation {known[worst]:.6g} against "
            f"{cuts.slacks[worst]:.6g}. Run structsvm.check_problem(problem, X, Y) to find the "
            "example, or declare oracle_quality = 'undergenerating'"
        )
    return cuts
