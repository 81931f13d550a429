"""The concave-convex procedure for latent variables: self-labelled problems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer
from structsvm.docstrings import documented
from structsvm.objective.rounding import NEGLIGIBLE
from structsvm.oracle.equal_labels import changed
from structsvm.oracle.relabelled import RelabelledPlanes
from structsvm.planes.plane import Cuts
from structsvm.results.status import Iteration, Status
from structsvm.solvers.one_slack import OneSlack
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.concave_convex import RELABEL_RTOL, ConcaveConvexSolver
from structsvm.solvers.shared.consistency import require_any_loss
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import Record

#: The search ends at this relative gap; the descent does the rest.
SEARCH_RTOL = 0.03
#: Or after this many passes.
SEARCH_PASSES = 40


class ConcaveConvex(OneSlack):
    """The search, then the descent, over one working set.

    The labels held are ``record.labels``, and the planes of the working set are made against them.

    Parameters
    ----------
    record : Record
    point : ndarray of shape (size,)
        The first query, at which labels are imputed first.
    prune_after : int
    searching : bool
        Whether to begin with the search.
    """

    def __init__(self, record: Record, point: Vector, prune_after: int, searching: bool) -> None:
        self.relabelled = RelabelledPlanes(record.examples)
        self.searching = searching
        if record.best is None:  # else an earlier solver holds labels, with a dual solution
            record.relabel(record.examples.impute(point))
        # Planes of earlier solutions are made against labels that the run does not begin with.
        super().__init__(record, Start(point), prune_after)
        self.planes.labels = record.labels

    def passes(self) -> Passes:
        return self._search() if self.searching else super().passes()

    def cuts(self, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        return self.relabelled.cut(self.record.labels, query)

    def complete(self) -> None:
        if self.searching:
            self._start_descent()
        else:
            self._impute_again()

    def return_to(self, w: Vector) -> None:
        labels = self._imputed(w)
        self._hold(labels, w, self.relabelled.cut(labels, w).slacks)

    # ------------------------------------------------------------------ search

    def _search(self) -> Passes:
        """Impute labels at every query and at every restricted optimum, until the gap is small."""
        record = self.record
        while self.searching and self.query is not None:
            yield None
            query = self.query
            labels = self._imputed(query)
            self._accept_unless_worse(labels)
            # Even where these labels are refused, P at the query is the value for them.
            cuts = self.relabelled.cut(labels, query)
            require_any_loss(record, query, cuts.any_loss or self.planes.any_loss)
            iteration = record.add_pass(query, cuts)
            if self._is_enough(iteration):
                self._start_descent()
            yield Pass(iteration, query, False)
            self.query = self._step(cuts) if self.searching else self.advance(query, cuts)
            if self.qp_failed:
                return Status.QP_FAILED
        return self  # the descent follows

    def _is_enough(self, iteration: Iteration) -> bool:
        enough = max(self.record.tolerance, SEARCH_RTOL * iteration.best_primal)
        close = iteration.gap <= enough < math.inf  # infinite while w breaks a constraint
        return close or iteration.iteration >= SEARCH_PASSES

    def _step(self, cuts: Cuts) -> Vector:
        """Add the cuts, then relabel and solve the restricted problem by turns."""
        labels, planes = self.record.labels, self.planes
        if cuts.labels is not labels:  # these were refused: keep to the accepted ones
            found = (cuts.labels, cuts.rows, cuts.offsets)
            rows, offsets = self.relabelled.against(labels, cuts.sources, found)
            cuts = cuts._replace(rows=rows, offsets=offsets)
        self.add(cuts)
        while self._accept_unless_worse(self._imputed(planes.solution.w)):
            previous = planes.solution.primal
            self.solve()
            if previous - planes.solution.primal <= RELABEL_RTOL * abs(previous):
                break
        return planes.solution.w

    def _accept_unless_worse(self, labels: Any) -> bool:
        """Make the planes against new labels, unless that raises the restricted objective at w.

        Returns whether the planes have changed.
        """
        if labels is self.record.labels:
            return False
        w = self.planes.solution.w
        rows, offsets = self._planes_against(labels)
        slack = max(0.0, float((offsets - rows @ w).max(initial=0)))
        before = self.planes.slacks(w)[0]
        if slack - before > NEGLIGIBLE * self.magnitude(w):
            return False
        self._accept(labels, rows, offsets)
        return True

    # ------------------------------------------------------------------ descent

    def _start_descent(self) -> None:
        best = self.record.found
        self._hold(best.labels, best.w, best.slacks)
        self.searching = False

    def conclude(self) -> bool:
        """Impute again once the gap is small; the run has converged when this brings no gain."""
        return self.record.is_small and not self._impute_again() and self.record.is_small

    def advance(self, query: Vector, cuts: Cuts) -> Vector | None:
        if cuts.labels is not self.record.labels:
            return self.record.found.w
        following = super().advance(query, cuts)
        if following is None and self._impute_again():
            return self.record.found.w
        return following

    def _impute_again(self) -> bool:
        """Hold the labels imputed at the best point, unless that raises the objective.

        Returns whether the objective fell by more than a negligible amount.
        """
        record = self.record
        w, held = record.found.w, record.found.primal
        labels = self._imputed(w)
        slacks = self.relabelled.cut(labels, w).slacks
        if record.objective(w, slacks) > held:  # imputing may raise the loss
            return False
        self._hold(labels, w, slacks)
        return held - record.found.primal > RELABEL_RTOL * abs(held)

    # ------------------------------------------------------------------ labels

    def _imputed(self, w: Vector) -> Any:
        """The labels imputed at w; the held labels themselves if nothing has changed."""
        held = self.record.labels
        labels = self.record.examples.impute(w)
        return labels if len(changed(held, labels)) else held

    def _planes_against(self, labels: Any) -> tuple[Vector, Vector]:
        """Rows and offsets of all planes, made against other labels."""
        planes = self.planes
        made = planes.sourced
        sources = [planes.sources[j] for j in made]
        self.relabelled.keep_only(sources)
        previous = (planes.labels, planes.rows[made], planes.offsets[made])
        return self.relabelled.against(labels, sources, previous)

    def _accept(self, labels: Any, rows: Vector, offsets: Vector) -> None:
        """Switch to these labels, and to the planes made against them."""
        self.planes.replace(self.planes.sourced, rows, offsets, labels)
        self.record.labels = labels

    def _hold(self, labels: Any, w: Vector, slacks: Vector) -> None:
        """Switch to labels, and make w, with its slacks against them, the best point for them."""
        # Ctrl-C may have come between the two changes of labels.
        if labels is not self.planes.labels or labels is not self.record.labels:
            self._accept(labels, *self._planes_against(labels))
        self.solve()
        if oracle_may_miss(self.record.examples.problem):
            slacks = np.maximum(slacks, self.planes.slacks(w))
        self.record.hold(w, slacks)


@documented
class CCCP(ConcaveConvexSolver):
    """The constrained concave-convex procedure, for self-labelled problems.

    *Search*: after each oracle pass, repeat on the working set: impute labels at w, make the planes
    against them, solve the quadratic program; until the restricted objective falls by less than
    0.01 %. This is the order of Zhao, Wang & Zhang (ICML 2008, Algorithms 1 and 2): cutting planes
    outside, the concave-convex procedure inside. Early planes are few, so labels still move freely.

    *Descent*, from the best point of the search: hold the labels, solve the now convex problem to
    the tolerance by one-slack cutting planes, impute again; until that lowers the objective by less
    than 0.01 %. The objective never rises, and the gap of the last convex problem certifies w for
    its labels.

    Where we differ from the papers: the descent; a plane is stored as the oracle's outputs and
    recomputed for the current labels; and a relabelling that would raise the restricted objective
    is refused.

    When a label changes, only its joint feature and one loss per plane are recomputed;
    ``SelfLabelledProblem.impute`` says which labels count as the same. This takes memory: a row of
    w's length and a number per example for each plane, and the joint features of two labellings, if
    they fit into 32 MB each. Otherwise every change recomputes the joint features of all labels.
    If a problem overrides ``joint_feature_difference``, all differences are recomputed unless its
    task has a method ``relabelled``.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    max_iter : int, default=1000
        Largest number of passes over the data, of both phases together, >= 1. Imputing at the end
        of a descent takes one more each time.
    prune_after : int, default=50
        Drop planes that were idle (alpha = 0) for more passes than this, >= 0. While labels still
        move, idle planes may become useful again.
    """

    after_a_stall = (
        "; the oracle found nothing new, or a change of labels would have raised the objective"
    )

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
        super().__init__(rtol, atol, max_iter, time_limit, search, random_state)
        self.prune_after = prune_after

    def begin(self, record: Record, start: Start) -> ConcaveConvex:
        searching = self.search and record.best is None  # else an earlier solver has searched
        point = self.first_point(record, start.point)
        return ConcaveConvex(record, point, self.prune_after, searching)

    def again(self, record: Record, start: Start) -> ConcaveConvex:
        point = self.first_point(record, start.point)
        return ConcaveConvex(record, point, self.prune_after, searching=False)

    def check_parameters(self, problem: Problem, C: float) -> None:
        super().check_parameters(problem, C)
        require_integer("prune_after", self.prune_after, least=0)
