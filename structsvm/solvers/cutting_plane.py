"""The loop of the cutting-plane solvers: passes of the oracle, and a working set."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer
from structsvm.planes.plane import Cuts
from structsvm.planes.working_set import projected
from structsvm.results.status import Iteration, Status
from structsvm.solvers.base import Solver
from structsvm.solvers.consistency import require_any_loss, require_unbeaten
from structsvm.solvers.loop import Pass, Passes
from structsvm.solvers.state import CuttingPlaneState, State

#: Gap of the quadratic program that is tolerated, relative to its dual value.
QP_RTOL = 1e-6
#: Fraction of the requested gap that the quadratic program, or slacks left unexplained, may take.
SPARE = 0.1


class CuttingPlanes:
    """The loop: query the oracle, add planes, solve the quadratic program, and so on.

    Attributes
    ----------
    solver : CuttingPlaneSolver
    query : ndarray or None
        The next point; None where none would change anything.
    outputs : sequence or None
        Those found last, which may be refined.
    """

    def __init__(self, solver: CuttingPlaneSolver, query: Vector | None) -> None:
        self.solver, self.query = solver, query
        self.outputs: Sequence[Any] | None = None

    def passes(self, state: Any) -> Passes:
        solver = self.solver
        while self.query is not None:
            yield None
            query = self.query
            cuts = solver._refined_cuts(state, query, self.outputs)
            if cuts is None:
                cuts = solver._raised(state, query, solver._cuts(state, query))
            require_any_loss(state, query, cuts.any_loss or state.working_set.any_loss)
            self.outputs = cuts.outputs
            iteration = state.record(query, cuts)
            yield Pass(iteration, query, solver._finished(state, iteration))
            self.query = solver._advance(state, query, cuts)
            if solver._qp_failed(state):
                return Status.QP_FAILED
        return Status.STALLED


class CuttingPlaneSolver(Solver):
    """The loop of the cutting-plane solvers. The parameters are described at each of them."""

    prune_after: int
    after_a_stall = "; the oracle found nothing new, as one that misses outputs does"
    _state_type: type[State] = CuttingPlaneState

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _cuts(self, state: Any, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        """One pass at the query point: planes of the oracle's outputs, or of the given ones."""

    @abstractmethod
    def _is_new(self, state: Any, cuts: Cuts) -> bool:
        """Whether the planes found imply more than those of the working set."""

    @abstractmethod
    def _advance(self, state: Any, query: Vector, cuts: Cuts) -> Vector | None:
        """Use what the pass found; the next query point, or None if nothing would change."""

    def _finished(self, state: Any, iteration: Iteration) -> bool:
        """Whether the gap is within the tolerance."""
        return self._is_small(state)

    # ------------------------------------------------------------------ the loop

    def _first_phase(self, state: Any, query: Vector) -> CuttingPlanes:
        return CuttingPlanes(self, query)

    def _refined_cuts(
        self, state: Any, query: Vector, outputs: Sequence[Any] | None
    ) -> Cuts | None:
        """The planes of the outputs found last, refined; None unless they are new.

        Their slacks are lower bounds only, so P is unknown at such a point.
        """
        if outputs is None or not state.examples.may_refine:
            return None
        refined = state.examples.refine(state.labels, query, outputs)
        cuts = self._cuts(state, query, refined)
        if not self._is_new(state, cuts):
            return None
        return cuts._replace(slacks=np.full(len(cuts.slacks), np.inf))

    def _raised(self, state: Any, query: Vector, cuts: Cuts) -> Cuts:
        """The cuts of an oracle pass with the slacks raised to those that earlier outputs imply.

        Only an undergenerating oracle may have found less than it did earlier.
        """
        planes, examples = state.working_set, state.examples
        known = planes.slacks(query)
        if len(planes):  # without planes nothing is known, and 0 is no output's slack
            magnitude = state.magnitude(query)
            require_unbeaten(examples, cuts.labels, query, known, cuts.slacks, magnitude)
        if oracle_may_miss(examples.problem):
            return cuts._replace(slacks=np.maximum(cuts.slacks, known))
        return cuts

    def _add(self, state: State, cuts: Cuts) -> None:
        """Add the planes of a pass to the working set, drop idle ones, solve it again."""
        planes = state.working_set
        planes.add_cuts(cuts)
        planes.prune(self.prune_after)
        state.solve_restricted()

    def _first_query(self, state: Any, w0: Vector | None) -> Vector:
        if w0 is None:
            return state.working_set.solution.w
        return projected(w0, state.constraints)

    def _return_to(self, state: Any, w: Vector) -> None:
        state.return_to(w, self._cuts(state, w))

    # ------------------------------------------------------------------ accuracy

    def _qp_failed(self, state: State) -> bool:
        """Whether the restricted optimum is too rough for the requested gap."""
        found = state.working_set.solution
        allowed = max(SPARE * self._tolerance(state), QP_RTOL * abs(found.dual))
        rough = not abs(found.primal - found.dual) <= allowed
        return rough or found.violation > QP_RTOL

    def _slack_tolerance(self, state: State) -> float:
        """Violations below it cannot matter: together they are a tenth of the gap allowed.

        Nor can those that are rounding errors. The dual stands for the objective: it is never
        above it.
        """
        dual = state.dual.value
        allowed = max(SPARE * max(self.atol, self.rtol * dual), 1e-10 * dual) / state.C
        return max(allowed, state.rounding.of_slack(state.working_set.solution.w))

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        require_integer("prune_after", self.prune_after, least=0)
