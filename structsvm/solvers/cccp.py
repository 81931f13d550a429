"""The concave-convex procedure for latent variables: self-labelled problems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.validation import checked_generator, checked_w
from structsvm.oracle.equal_labels import changed
from structsvm.oracle.examples import Examples
from structsvm.oracle.relabelled import RelabelledPlanes
from structsvm.planes.plane import Cuts, SupportPlane
from structsvm.planes.working_set import projected
from structsvm.results.status import Iteration, Status
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.state import Best, CuttingPlaneState, DualSolution

#: Relabelling ends when the objective falls by less than this fraction ("alpha% = 0.01").
RELABEL_RTOL = 1e-4
#: The search ends at this relative gap; the descent does the rest.
SEARCH_RTOL = 0.03
#: Or after this many passes.
SEARCH_PASSES = 40
#: Rise of the slack, relative to the size of its terms, that counts as rounding.
RELABEL_ROUNDING = 1e-9


class RelabelledState(CuttingPlaneState):
    """The state of a run whose labels change.

    Attributes
    ----------
    labels : sequence
        Those imputed last; the planes are made against them.
    searching : bool
        Whether labels are imputed at every query: the first of the two phases.
    relabelled : RelabelledPlanes
        Makes the planes against other labels.
    """

    labels: Any = None
    searching = False

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        self.relabelled = RelabelledPlanes(examples)

    def imputed(self, w: Vector) -> Any:
        """The labels imputed at w: those held where none has changed."""
        labels = self.examples.impute(w)
        return labels if len(changed(self.labels, labels)) else self.labels

    def planes_against(self, labels: Any) -> tuple[Vector, Vector]:
        """Rows and offsets of all planes, made against other labels."""
        planes = self.working_set
        made = planes.sourced
        sources = [planes.sources[j] for j in made]
        self.relabelled.keep_only(sources)
        previous = (self.labels, planes.rows[made], planes.offsets[made])
        return self.relabelled.against(labels, sources, previous)

    def accept(self, labels: Any, rows: Vector, offsets: Vector) -> None:
        """Switch to these labels, and to the planes made against them."""
        self.working_set.replace(self.working_set.sourced, rows, offsets)
        self.labels = labels

    def hold(self, labels: Any, w: Vector, slacks: Vector) -> None:
        """Switch to labels, and make w, with its slacks against them, the best point for them."""
        if labels is not self.labels:
            self.accept(labels, *self.planes_against(labels))
        self.solve_restricted()
        if oracle_may_miss(self.examples.problem):
            slacks = np.maximum(slacks, self.planes.slacks(w))
        self.best = self._point(w, slacks, labels, self.dual)

    def reconsidered(self, best: Best, cuts: Cuts) -> Best:
        # In the search the planes are made against other labels than the best point's.
        return best if self.searching else super().reconsidered(best, cuts)


class CCCP(OneSlackCuttingPlane):
    """The constrained concave-convex procedure, for self-labelled problems.

    *Search*: after each oracle pass the problem restricted to the working set is solved by turns:
    impute labels at w, make the planes against them, solve the quadratic program; until the
    restricted objective falls by less than 0.01 %. This is the order of Zhao, Wang & Zhang (ICML
    2008, Algorithms 1 and 2): cutting planes outside, the concave-convex procedure inside. From
    an empty working set it anneals, since early planes are few and labels still move freely.

    *Descent*, from the best point of the search: hold the labels, solve the now convex problem by
    one-slack cutting planes to the tolerance, impute again; until that lowers the objective by
    less than 0.01 %. The objective never rises here, and the gap of the last convex problem
    certifies w given its labels.

    Where we differ from the papers: the descent; a plane is stored as the oracle's outputs and
    recomputed for the current labels; and a relabelling that would raise the restricted objective
    is refused.

    A label that changes needs its joint feature, and the losses of the outputs kept, one for each
    plane; ``SelfLabelledProblem.impute`` says which labels count as the same. For that each plane
    takes the memory of another row of w's length and of a number for each example, and the joint
    features of two labellings are kept, 32 MB each at most; then a pass asks for those of the
    oracle's outputs alone. Where they would take more, all labels need theirs at each change. For
    a problem that overrides ``joint_feature_difference`` all differences are recomputed, unless it
    offers ``relabelled_planes``.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`. The gap is that of the problem with its labels held.
    max_iter : int, default=1000
        Largest number of passes over the data, of both phases together. Imputing at the end of a
        descent takes one more each time.
    prune_after : int, default=50
        As in :class:`OneSlackCuttingPlane`; the labels still move, so idle planes may become useful
        again.
    search : bool, default=True
        Without it the descent starts at w0.
    random_state : int or numpy.random.Generator, default=0
        Seeds the problem's ``initial_w``, which is called where no w0 is given.
    """

    needs_labels = False
    after_a_stall = (
        "; the oracle found nothing new, or a change of labels would have raised the objective"
    )
    _state_type = RelabelledState

    def __init__(
        self,
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 1000,
        time_limit: float | None = None,
        prune_after: int = 50,
        search: bool = True,
        random_state: Any = 0,
    ) -> None:
        super().__init__(rtol, atol, max_iter, time_limit, prune_after)
        self.search = search
        self.random_state = random_state

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        if not isinstance(problem, SelfLabelledProblem):
            raise TypeError(
                f"CCCP needs a SelfLabelledProblem; {type(problem).__name__} has known outputs: "
                "use OneSlackCuttingPlane or NSlackCuttingPlane"
            )

    def _first_query(self, state: RelabelledState, w0: Vector | None) -> Vector:
        name = "w0"
        if w0 is None:
            name = f"{type(state.examples.problem).__name__}.initial_w"
            w0 = state.examples.initial_w(checked_generator(self.random_state))
            w0 = checked_w(name, w0, state.examples.size)
        w0 = projected(w0, state.constraints)
        if not w0.any():
            raise ValueError(
                f"{name} must not be zero, nor its projection onto the constraints: all outputs "
                "tie there, and no label is implied"
            )
        state.searching = self.search
        state.labels = state.examples.impute(w0)
        state.solve_restricted()  # the dual solution is one for these labels
        return w0

    def _cuts(
        self, state: RelabelledState, query: Vector, outputs: Sequence[Any] | None = None
    ) -> Cuts:
        labels = state.labels
        if state.searching:
            labels = state.imputed(query)
            self._relabel(state, labels)
        return state.relabelled.cut(labels, query)

    def _raised(self, state: RelabelledState, query: Vector, cuts: Cuts) -> Cuts:
        # In the search the planes are made against other labels than the cuts.
        return cuts if state.searching else super()._raised(state, query, cuts)

    def _finished(self, state: RelabelledState, iteration: Iteration) -> bool:
        """The search ends in the descent, the descent where imputing again lowers nothing."""
        if state.searching:
            enough = max(self._tolerance(state), SEARCH_RTOL * iteration.best_primal)
            close = iteration.gap <= enough < math.inf  # infinite while w breaks a constraint
            if close or iteration.iteration >= SEARCH_PASSES:
                self._start_descent(state)
            return False
        if not super()._finished(state, iteration) or self._impute_again(state):
            return False
        return self._is_small(state)

    def _advance(self, state: RelabelledState, query: Vector, cuts: Cuts) -> Vector | None:
        if state.searching:
            return self._search_step(state, cuts)
        assert state.best is not None
        if cuts.labels is not state.labels:
            return state.best.w
        following = super()._advance(state, query, cuts)
        return state.best.w if following is None and self._impute_again(state) else following

    def _close(self, state: RelabelledState, status: Status) -> None:
        assert state.best is not None
        if state.searching:
            # Should Ctrl-C interrupt what follows, this dual solution fits any labels.
            nothing = DualSolution.zero(state.best.labels, len(state.constraints.b))
            state.best = state.best._replace(dual=nothing)
            self._start_descent(state)
        elif status is not Status.CONVERGED:
            self._impute_again(state)

    def _use_planes(self, state: Any, support: Sequence[SupportPlane], factor: float) -> None:
        """Leave them out: they are made against labels that this run does not begin with."""

    def _return_to(self, state: Any, w: Vector) -> None:
        labels = state.imputed(w)
        state.hold(labels, w, state.relabelled.cut(labels, w).slacks)

    def _go_on(self, state: RelabelledState, earlier: RelabelledState) -> Vector:
        query = super()._go_on(state, earlier)
        state.searching = False
        return query

    # ------------------------------------------------------------------ search

    def _search_step(self, state: RelabelledState, cuts: Cuts) -> Vector:
        """Add the cuts, then relabel and solve the restricted problem by turns."""
        if cuts.labels is not state.labels:  # these labels were refused: keep to the accepted ones
            found = (cuts.labels, cuts.rows, cuts.offsets)
            rows, offsets = state.relabelled.against(state.labels, cuts.sources, found)
            cuts = cuts._replace(rows=rows, offsets=offsets)
        self._add(state, cuts)
        planes = state.working_set
        while self._relabel(state, state.imputed(planes.solution.w)):
            previous = planes.solution.primal
            state.solve_restricted()
            if previous - planes.solution.primal <= RELABEL_RTOL * abs(previous):
                break
        return planes.solution.w

    def _relabel(self, state: RelabelledState, labels: Any) -> bool:
        """Make the planes against new labels, unless that raises the restricted objective at w.

        Returns whether the planes have changed.
        """
        if labels is state.labels:
            return False
        planes = state.working_set
        w = planes.solution.w
        rows, offsets = state.planes_against(labels)
        slack = max(0.0, float((offsets - rows @ w).max(initial=0)))
        before = planes.slacks(w)[0]
        if slack - before > RELABEL_ROUNDING * state.magnitude(w):
            return False
        state.accept(labels, rows, offsets)
        return True

    # ------------------------------------------------------------------ descent

    def _start_descent(self, state: RelabelledState) -> None:
        assert state.best is not None
        state.hold(state.best.labels, state.best.w, state.best.slacks)
        state.searching = False

    def _impute_again(self, state: RelabelledState) -> bool:
        """Hold the labels imputed at the best point, unless that raises the objective.

        Returns whether the objective fell by more than a negligible amount.
        """
        assert state.best is not None
        w, held = state.best.w, state.best.primal
        labels = state.imputed(w)
        slacks = state.relabelled.cut(labels, w).slacks
        if state.objective(w, slacks) > held:  # imputing may raise the loss
            return False
        state.hold(labels, w, slacks)
        return held - state.best.primal > RELABEL_RTOL * abs(held)
