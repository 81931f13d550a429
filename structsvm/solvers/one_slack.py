"""Cutting planes with one slack for all examples (Joachims, Finley & Yu, 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.objective.surrogate import Loss, Rescaling
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.support import shared_planes
from structsvm.planes.plane import Cuts
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.solver import Solver


class OneSlack(CuttingPlanes):
    """The cutting-plane algorithm with one slack that all examples share."""

    def cut(self, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        return one_slack_cut(self.program.examples, self.labels, query, outputs)

    def _add_start(self, start: Start) -> None:
        planes = start.planes
        if planes is None and start.support:
            planes = shared_planes(self.program.examples, self.labels, start.support)
        if planes is not None and len(planes.offsets):
            self.planes.add_solution(planes, start.factor)
            self.solve()

    def is_new(self, cuts: Cuts) -> bool:
        w = self.planes.solution.w
        violation = cuts.offsets - cuts.rows @ w - self.planes.slacks(w)
        return bool(violation[0] > self.slack_tolerance)

    def advance(self, query: Vector, cuts: Cuts, bounds: Bounds) -> Vector | None:
        if not self.is_new(cuts):
            # A plane found halfway may not cut off the optimum w, so query w itself.
            w = self.planes.solution.w
            return None if query is w else w
        self.add(cuts)
        w = self.planes.solution.w
        # Query halfway to the best point, whose objective may be unknown after a cheap search.
        return 0.5 * (w + bounds.w) if np.isfinite(bounds.primal) else w


@documented
@dataclass(eq=False, repr=False)
class OneSlackCuttingPlane(Solver):
    """One-slack cutting planes, with margin or slack rescaling.

    Every pass of loss-augmented inference makes one plane, which is the mean of the planes of the
    examples' most violated outputs. With one plane per pass, the quadratic program stays small for
    any n. The solver differs from Algorithms 3 and 4 of Joachims, Finley & Yu (Machine Learning
    2009) in two ways. The solver stops when the duality gap is small enough. To save passes, the
    solver queries the oracle halfway between the restricted optimum and the best point so far.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    prune_after : int, default=10
        The number of passes, >= 0, for which a plane may have alpha = 0 before it is dropped.
    rescaling : {'margin', 'slack'}, default='margin'
        Whether the loss rescales the margin or the slack. 'slack' needs a problem with a
        ``slack_oracle``.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss (see :mod:`structsvm.objective.surrogate`). 'softmax_margin' and
        'log_loss' need a problem with a soft oracle. For 'softmax_margin' and 'log_loss'
        :class:`SmoothedLBFGS` takes fewer passes. The planes of 'softmax_margin' and 'log_loss'
        touch the smoothed objective, as in Teo et al., Bundle Methods for Regularized Risk
        Minimization, JMLR 2010.

    References
    ----------
    Joachims, Finley & Yu, Cutting-Plane Training of Structural SVMs, Machine Learning 77, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import OneSlackCuttingPlane
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = OneSlackCuttingPlane(rtol=1e-6).solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    after_a_stall = "; the oracle found nothing new, as one that misses outputs does"

    prune_after: int = 10
    rescaling: Rescaling = "margin"
    loss: Loss = "hinge"

    def begin(self, program: Program, start: Start) -> Algorithm:
        return OneSlack(program, start, self.prune_after)
