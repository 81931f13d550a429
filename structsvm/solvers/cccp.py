"""The concave-convex procedure for latent variables and other self-labelled problems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.objective.rounding import NEGLIGIBLE
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.equal_labels import changed
from structsvm.oracle.relabelled import RelabelledPlanes
from structsvm.planes.plane import Cuts
from structsvm.solvers.one_slack import OneSlack
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.bounds import Bounds
from structsvm.solvers.shared.concave_convex import RELABEL_RTOL, ConcaveConvexSolver
from structsvm.solvers.shared.program import Program

#: The search ends at this relative gap, and the descent begins.
SEARCH_RTOL = 0.03
#: The search ends after this many passes at the latest.
SEARCH_PASSES = 40


class ConcaveConvex(OneSlack):
    """The algorithm of CCCP: first the search and then the descent, with one working set.

    The planes in the working set are for the current labels.

    Parameters
    ----------
    program : Program
    start : Start
        The initial w and the initial labels, without planes.
    prune_after : int
    searching : bool
        Whether the run begins with the search, which imputes labels after each pass.
    """

    def __init__(self, program: Program, start: Start, prune_after: int, searching: bool) -> None:
        self.relabelled, self.searching = RelabelledPlanes(program.examples), searching
        super().__init__(program, start, prune_after)
        self.planes.labels = self.labels

    def cut(self, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        labels = self.labels
        if self.searching:
            # The pass is evaluated with these labels even if the planes refuse them.
            labels = self._imputed(query)
            self._hold_unless_worse(labels)
        return one_slack_cut(self.program.examples, labels, query)

    def checked(self, query: Vector, cuts: Cuts) -> Cuts:
        return cuts if self.searching else super().checked(query, cuts)

    def advance(self, query: Vector, cuts: Cuts, bounds: Bounds) -> Vector | None:
        if self.searching:
            return self._relabel_and_solve(cuts)
        if cuts.labels is not self.labels:
            # The search ended at a pass whose labels were refused.
            held: Vector | None = bounds.w
            return held
        return super().advance(query, cuts, bounds)

    def conclude(self, bounds: Bounds) -> tuple[Bounds, bool]:
        """Begin the descent after the search, and impute labels when the descent's gap is small.

        The run has converged if new labels do not lower the objective.
        """
        if self.searching:
            return (self._begin_descent(bounds) if self._is_enough(bounds) else bounds), False
        if not self.program.is_small(bounds):
            return bounds, False
        again = self._impute_again(bounds)
        fell = bounds.primal - again.primal > RELABEL_RTOL * abs(bounds.primal)
        return again, not fell and self.program.is_small(again)

    def complete(self, bounds: Bounds) -> Bounds:
        return self._begin_descent(bounds) if self.searching else self._impute_again(bounds)

    def return_to(self, w: Vector, bounds: Bounds) -> Bounds:
        labels = self._imputed(w)
        return self._hold_labels(
            labels, w, one_slack_cut(self.program.examples, labels, w).slacks, bounds
        )

    # ------------------------------------------------------------------ search

    def _is_enough(self, bounds: Bounds) -> bool:
        enough = max(self.program.allowed(bounds.primal), SEARCH_RTOL * bounds.primal)
        close = bounds.gap <= enough < math.inf  # inf while w breaks a constraint
        return close or len(bounds.history) >= SEARCH_PASSES

    def _relabel_and_solve(self, cuts: Cuts) -> Vector:
        """Add the cuts, then impute labels and solve the restricted problem in turns."""
        planes = self.planes
        if cuts.labels is not self.labels:  # the labels of the cuts were refused
            found = (cuts.labels, cuts.rows, cuts.offsets)
            rows, offsets = self.relabelled.against(self.labels, cuts.sources, found)
            cuts = cuts._replace(rows=rows, offsets=offsets)
        self.add(cuts)
        while True:
            held, previous = self.labels, planes.solution.primal
            self._hold_unless_worse(self._imputed(planes.solution.w))
            if self.labels is held:
                return planes.solution.w
            self.solve()
            if not previous - planes.solution.primal > RELABEL_RTOL * abs(previous):
                return planes.solution.w

    def _hold_unless_worse(self, labels: Any) -> None:
        """Adopt the new labels, unless they raise the slack at w, as computed from the planes."""
        if labels is self.labels:
            return
        w = self.planes.solution.w
        rows, offsets = self._planes_against(labels)
        slack = max(0.0, float((offsets - rows @ w).max(initial=0)))
        if slack - self.planes.slacks(w)[0] <= NEGLIGIBLE * self.program.magnitude(w, self.planes):
            self._replace_planes(labels, rows, offsets)

    # ------------------------------------------------------------------ descent

    def _begin_descent(self, bounds: Bounds) -> Bounds:
        """Begin the descent with the labels of the best point."""
        bounds = self._hold_labels(bounds.labels, bounds.w, bounds.slacks, bounds)
        self.searching = False
        return bounds

    def _impute_again(self, bounds: Bounds) -> Bounds:
        """Replace the labels by labels imputed at the best w, unless the objective would rise."""
        w = bounds.w
        labels = self._imputed(w)
        slacks = one_slack_cut(self.program.examples, labels, w).slacks
        if self.program.objective(w, slacks, self.dual)[0] > bounds.primal:
            return bounds  # imputing may raise the loss
        return self._hold_labels(labels, w, slacks, bounds)

    # ------------------------------------------------------------------ labels

    def _imputed(self, w: Vector) -> Any:
        """Return the labels imputed at w, or ``self.labels`` if no label has changed."""
        labels = self.program.examples.impute(w)
        return labels if len(changed(self.labels, labels)) else self.labels

    def _planes_against(self, labels: Any) -> tuple[Vector, Vector]:
        """Return rows and offsets of all planes, recomputed for ``labels``."""
        planes = self.planes
        made = planes.sourced
        sources = [planes.sources[j] for j in made]
        self.relabelled.keep_only(sources)
        previous = (planes.labels, planes.rows[made], planes.offsets[made])
        return self.relabelled.against(labels, sources, previous)

    def _replace_planes(self, labels: Any, rows: Vector, offsets: Vector) -> None:
        self.planes.replace(self.planes.sourced, rows, offsets, labels)
        self.labels = labels

    def _hold_labels(self, labels: Any, w: Vector, slacks: Vector, bounds: Bounds) -> Bounds:
        """Adopt the labels, recompute the planes, and store w as the best weights."""
        # The two attributes differ if Ctrl-C came between their assignments.
        if labels is not self.planes.labels or labels is not self.labels:
            self._replace_planes(labels, *self._planes_against(labels))
        self.solve()
        if self.program.may_miss:
            slacks = np.maximum(slacks, self.planes.slacks(w))
        return self.hold(w, slacks, bounds)


@documented
class CCCP(ConcaveConvexSolver):
    """The constrained concave-convex procedure, for self-labelled problems.

    *Search*, the first phase: after each pass of the oracle, the algorithm imputes labels at w,
    recomputes the working set's planes for the imputed labels, and solves the quadratic program.
    Labels are imputed and the quadratic program is solved until the minimum of the program falls by
    less than 0.01 %. The search follows the order of Zhao, Wang & Zhang (ICML 2008, Algorithms 1
    and 2): an outer loop of cutting planes, and an inner loop of the concave-convex procedure.
    Labels change easily in early passes, because there are few planes.

    *Descent*, the second phase: starting from the best w of the first phase, one-slack cutting
    planes solve the convex problem with fixed labels. The algorithm then imputes labels again, and
    solves the next convex problem. The descent ends when imputing lowers the objective by less than
    0.01 %. The objective never rises, and the final gap certifies w for the labels of the last
    convex problem.

    CCCP differs in two ways from the algorithms of Zhao, Wang & Zhang. CCCP has a second phase, and
    recomputes the planes for new labels from stored outputs of the oracle. New labels are refused
    if they would raise the objective of the quadratic program.

    When labels change, the joint features of the new labels are computed. For each example whose
    label has changed, one loss per plane is recomputed. ``SelfLabelledProblem.impute`` says which
    labels count as unchanged. To save time, CCCP stores, for each plane, a row of the length of w
    and one number per example. If a problem overrides ``joint_feature_difference``, all differences
    are recomputed. A task may have a method ``relabelled``, which computes all planes for new
    labels.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    max_iter : int, default=1000
        Largest number of passes over the data in search and descent together, >= 1. Imputing labels
        at the end of a descent takes one additional pass.
    prune_after : int, default=50
        The number of passes, >= 0, for which a plane may have alpha = 0 before it is dropped. Idle
        planes may become useful again while labels change.
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

    def begin(self, program: Program, start: Start) -> ConcaveConvex:
        searching = self.search and start.labels is None  # with labels, an earlier solver searched
        start = self.first_labels(program, start)
        return ConcaveConvex(program, start, self.prune_after, searching)
