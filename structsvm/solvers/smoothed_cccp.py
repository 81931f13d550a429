"""The concave-convex procedure for latent variables, with a smoothed objective."""

from __future__ import annotations

from typing import Any

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.equal_labels import changed
from structsvm.planes.store import whole
from structsvm.solvers.cccp import CCCP
from structsvm.solvers.lbfgs.algorithm import SmoothedDescent
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.bounds import Bounds
from structsvm.solvers.shared.concave_convex import RELABEL_RTOL, ConcaveConvexSolver
from structsvm.solvers.shared.program import Program

#: The search ends at this relative gap.
SEARCH_RTOL = 0.1


class SmoothedConcaveConvex(SmoothedDescent):
    """L-BFGS on the smoothed objective for imputed labels, with repeated imputation.

    Parameters
    ----------
    program : Program
    start : Start
        The initial w, and the labels imputed at the initial w.
    searching : bool
        Whether to begin with the search, which imputes labels after each step.
    """

    def __init__(self, program: Program, start: Start, searching: bool) -> None:
        super().__init__(program, start)
        self.searching = searching

    def _goal(self, bounds: Bounds) -> float:
        goal = super()._goal(bounds)
        return max(goal, SEARCH_RTOL * self._lowest(bounds)) if self.searching else goal

    def conclude(self, bounds: Bounds) -> tuple[Bounds, bool]:
        """Impute labels if the gap is small, and after each step while ``searching`` is true.

        The run has converged if new labels do not lower the objective.
        """
        bounds, is_within = super().conclude(bounds)
        if self._due == "_begin":
            return bounds, False
        if not self._is_evaluated:
            is_due = self.searching and self.descent.objective is self.whole
            return (self._impute_again(bounds) if is_due else bounds), False
        if bounds.gap > self._goal(bounds):
            return bounds, False
        again = self._impute_again(bounds)
        if again is not bounds:
            return again, False
        self.searching = False
        return bounds, is_within

    def _impute_again(self, bounds: Bounds) -> Bounds:
        """Replace the labels by labels imputed at the best w, if the objective falls enough."""
        w, held, program = bounds.w, bounds.primal, self.program
        labels = program.examples.impute(w)
        if not len(changed(self.labels, labels)):
            return bounds
        slacks = one_slack_cut(program.examples, labels, w).slacks
        if held - program.objective(w, slacks, self.dual)[0] <= RELABEL_RTOL * abs(held):
            return bounds
        with whole(self, self.descent):
            bounds = self._hold_labels(labels, w, slacks, bounds)
            self.descent.objective = self.whole
            self.descent.restart(w)
        return bounds

    def _hold_labels(self, labels: Any, w: Vector, slacks: Vector, bounds: Bounds) -> Bounds:
        self.labels, self.dual = labels, self.program.zero_dual(labels)
        self._begin_objective()
        return self.hold(w, slacks, bounds)

    def return_to(self, w: Vector, bounds: Bounds) -> Bounds:
        labels = self.program.examples.impute(w)
        slacks = one_slack_cut(self.program.examples, labels, w).slacks
        return self._hold_labels(labels, w, slacks, bounds)


@documented
class SmoothedCCCP(ConcaveConvexSolver):
    """The constrained concave-convex procedure by L-BFGS, for problems with a soft oracle.

    In contrast to :class:`CCCP`, the convex problem with fixed labels is solved by the method of
    :class:`SmoothedLBFGS`. At a large C, SmoothedCCCP takes far fewer passes than CCCP. After a
    change of labels, L-BFGS continues with the same w and the same curvature.

    In the first phase (*search*), labels are imputed after each step, until the gap is at most 10 %
    of the objective. In the second phase (*descent*), labels are fixed until the gap is within the
    tolerance, and are then imputed again. The descent ends when imputing lowers the objective by
    less than 0.01 %. The objective never rises when labels change, and the final gap certifies w
    for the labels of the last convex problem.

    Use SmoothedCCCP if each output has a latent part. If few outputs are known and the unknown
    outputs count in the loss, as in a semi-supervised SVM, :class:`CCCP` ends at a lower objective:
    see :doc:`/latent` for a comparison.

    If the descent stalls, :class:`CCCP` continues from the best w.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of steps, >= 1. Nearly every step is one pass over the data.
    """

    requires = SmoothedLBFGS.requires._replace(known_outputs=False)
    then = CCCP

    def begin(self, program: Program, start: Start) -> SmoothedConcaveConvex:
        searching = self.search and start.labels is None  # with labels, an earlier solver searched
        return SmoothedConcaveConvex(program, self.first_labels(program, start), searching)
