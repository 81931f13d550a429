"""The concave-convex procedure with a smoothed objective, for latent variables."""

from __future__ import annotations

from typing import Any

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.equal_labels import changed
from structsvm.planes.plane import Cuts
from structsvm.planes.store import whole
from structsvm.solvers.cccp import CCCP
from structsvm.solvers.lbfgs.algorithm import SmoothedDescent
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.soft_objective import SoftObjective
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.concave_convex import RELABEL_RTOL, ConcaveConvexSolver
from structsvm.solvers.shared.loop import Pass
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.requirements import Requirements

#: The search ends at this relative gap.
SEARCH_RTOL = 0.1


class SmoothedConcaveConvex(SmoothedDescent):
    """L-BFGS on the smoothed objective of the labels held, which are imputed again and again.

    Parameters
    ----------
    record : Record
    point : ndarray of shape (size,)
        The first query, at which labels are imputed first.
    searching : bool
        Whether to impute after each step at first.
    """

    def __init__(self, record: Record, point: Vector, searching: bool) -> None:
        record.relabel(record.examples.impute(point))
        super().__init__(record, Start(point))
        self.searching = searching

    def _goal(self, descent: Descent[SoftObjective]) -> float:
        goal = super()._goal(descent)
        return max(goal, SEARCH_RTOL * self._lowest(descent)) if self.searching else goal

    def _step(self, descent: Descent[SoftObjective]) -> Pass:
        report = super()._step(descent)
        if self.searching and descent.objective is self.whole:
            self._impute_again(descent)
        return report

    def _evaluate(self, descent: Descent[SoftObjective]) -> Pass:
        """Evaluate P; where the gap is small enough for the labels held, impute them again."""
        report, goal = super()._evaluate(descent), self._goal(descent)
        if report.iteration.gap > goal:
            return report
        if self._impute_again(descent):
            return report._replace(converged=False)
        last = report.iteration.gap <= self.record.tolerance
        self.searching = False
        return report._replace(converged=last)

    def _impute_again(self, descent: Descent[SoftObjective]) -> bool:
        """Hold the labels imputed at the best point, if that lowers the objective enough."""
        record = self.record
        w, held = record.found.w, record.found.primal
        labels = record.examples.impute(w)
        if not len(changed(record.labels, labels)):
            return False
        cuts = one_slack_cut(record.examples, labels, w)
        if held - record.objective(w, cuts.slacks) <= RELABEL_RTOL * abs(held):
            return False
        with whole(self, record, descent):
            self._hold(labels, w, cuts)
            descent.objective = self.whole
            descent.restart(w)
        return True

    def _hold(self, labels: Any, w: Vector, cuts: Cuts) -> None:
        self.record.relabel(labels)
        self.record.hold(w, cuts.slacks)
        self._begin_objective()

    def return_to(self, w: Vector) -> None:
        labels = self.record.examples.impute(w)
        self._hold(labels, w, one_slack_cut(self.record.examples, labels, w))


@documented
class SmoothedCCCP(ConcaveConvexSolver):
    """The constrained concave-convex procedure by L-BFGS, for problems with a soft oracle.

    Like :class:`CCCP`, but the convex problem with the labels held is solved like
    :class:`SmoothedLBFGS` does, which takes far fewer passes at a large C. Each labelling starts
    with the point and the curvature of the last.

    *Search*: labels are imputed again after each step, while they still move freely, until the gap
    is 10 %. *Descent*: labels are held until the gap is within the tolerance, and then imputed,
    until that lowers the objective by less than 0.01 %. The objective never rises when labels
    change, and the gap of the last convex problem certifies w given its labels.

    Use it if each output has a latent part. If few outputs are known and the others count in the
    loss, as in a semi-supervised SVM, :class:`CCCP` ends lower: :doc:`/latent` compares.

    Where the descent stalls, :class:`CCCP` goes on from the best w.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of steps, >= 1; nearly every step is one pass over the data.
    """

    requires = Requirements(
        problem=("soft_oracle",),
        task=("soft",),
        exact=True,
        unconstrained=True,
        known_outputs=False,
    )
    then = CCCP

    def begin(self, record: Record, start: Start) -> SmoothedConcaveConvex:
        return SmoothedConcaveConvex(record, self.first_point(record, start.point), self.search)

    def again(self, record: Record, start: Start) -> SmoothedConcaveConvex:
        return SmoothedConcaveConvex(record, self.first_point(record, start.point), False)
