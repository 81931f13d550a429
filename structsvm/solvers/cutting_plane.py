"""What the cutting-plane solvers share: the loop over passes of the oracle."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from structsvm.exceptions import ProblemError
from structsvm.outcome import Iteration, Status
from structsvm.problem import Problem, Vector
from structsvm.separation import Cuts
from structsvm.solvers.base import Solver
from structsvm.solvers.passes import Pass
from structsvm.solvers.run import Run
from structsvm.validation import require_integer


class CuttingPlaneSolver(Solver):
    """The loop of the cutting-plane solvers. The parameters are described at each of them."""

    prune_after: int

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _cuts(self, run: Run, query: Vector) -> Cuts:
        """One pass of the oracle at the query point."""

    @abstractmethod
    def _is_new(self, run: Run, cuts: Cuts) -> bool:
        """Whether the planes found tell more than those that are kept."""

    @abstractmethod
    def _advance(self, run: Run, query: Vector, cuts: Cuts) -> Vector | None:
        """Use what the pass found; the next query point, or None if nothing would change."""

    def _finished(self, run: Run, iteration: Iteration) -> bool:
        """Whether the gap is within the tolerance."""
        return iteration.gap <= self._tolerance(run)

    # ------------------------------------------------------------------ the loop

    def _passes(self, run: Run, query: Vector | None) -> Generator[Pass, None, Status]:
        """One pass after another; what is returned is why no further one can be made."""
        while query is not None:
            cuts = self._cuts(run, query)
            require_any_loss(run, query, cuts)
            iteration = self._record(run, query, cuts)
            yield Pass(iteration, query, self._finished(run, iteration))
            query = self._advance(run, query, cuts)
            if self._qp_failed(run):
                return Status.QP_FAILED
        return Status.STALLED

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

    def _slack_tolerance(self, run: Run) -> float:
        """Violations below it cannot matter: together they are a tenth of the gap allowed.

        Nor can those that rounding makes. The dual stands for the objective: it is never above it.
        """
        dual, planes = abs(run.dual.value), run.working_set
        allowed = max(0.1 * max(self.atol, self.rtol * dual), 1e-10 * dual) / run.C
        return max(allowed, 8 * np.finfo(float).eps * planes.magnitude(run.w))

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        require_integer("prune_after", self.prune_after, least=0)


def require_any_loss(run: Run, query: Vector, cuts: Cuts) -> None:
    """Raise a ProblemError where w = 0 and no output known has a loss."""
    if not (cuts.any_loss or query.any() or run.working_set.any_loss):
        raise ProblemError(
            "the oracle returned an output of loss 0 for every example at w = 0, where one of the "
            "largest loss is wanted; is it forgetting the loss, or returning the truth? "
            "structsvm.check_problem(problem, X, Y) tells more"
        )


def _unbeaten(run: Run, query: Vector, cuts: Cuts) -> Cuts:
    """The cuts of an oracle pass with the slacks raised to what earlier outputs give.

    Only an undergenerating oracle may have found less than it did earlier.
    """
    known = run.known_slacks(query)
    if run.n_planes:
        require_unbeaten(run.bound.problem, known, cuts.slacks, run.magnitude(query))
    if run.bound.problem.oracle_quality == "undergenerating":
        return cuts._replace(slacks=np.maximum(cuts.slacks, known))
    return cuts


def require_unbeaten(
    problem: Problem, known: Vector, slacks: Vector, magnitude: float, examples: Any = None
) -> None:
    """Raise a ProblemError where the oracle did worse than it did before and promised not to.

    ``known`` and ``slacks`` are what earlier outputs and the oracle's give at w, ``magnitude`` the
    size of the terms that they are made of, ``examples`` whose they are.
    """
    worst = int(np.argmax(known - slacks))
    missed = known[worst] - slacks[worst] > 1e-5 * (1 + magnitude)
    if missed and problem.oracle_quality != "undergenerating":
        number = worst if examples is None else examples[worst]
        where = f" for example {number}" if len(known) > 1 or examples is not None else ""
        raise ProblemError(
            f"the oracle is declared {problem.oracle_quality} but an output that it "
            f"returned earlier scores higher{where}: violation {known[worst]:.6g} against "
            f"{slacks[worst]:.6g}. Run structsvm.check_problem(problem, X, Y) to find the "
            "example, or declare oracle_quality = 'undergenerating'"
        )
