"""An interior-point method for the dual problem, suited to few examples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.docstrings import documented
from structsvm.objective import example_cap, unbounded_dual_value
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.plane import no_cuts
from structsvm.planes.probabilities import planes_of
from structsvm.results.status import Status
from structsvm.solvers.dual_ascent.solver import DualCoordinateAscent
from structsvm.solvers.interior_point.path import CentralPath
from structsvm.solvers.interior_point.products import InnerProducts
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_agreement
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.shared.stall import Stall
from structsvm.solvers.thresholds import FEW_ROWS


class PathFollowing(Algorithm):
    """The algorithm that follows the central path of the dual.

    Parameters
    ----------
    program : Program
    start : Start
        The first pass evaluates the objective at `start.point`. The path always starts near w = 0.
    """

    _path: CentralPath | None = None
    _is_evaluated = False

    def __init__(self, program: Program, start: Start) -> None:
        super().__init__(program, start)
        self._cap = example_cap(program.C, program.examples.n)
        self._losses, self._stall = np.empty((0, 0)), Stall()

    @property
    def task(self) -> Any:
        """The task of all examples."""
        return self.program.examples.task

    def step(self, bounds: Bounds) -> Step | Start | Status:
        if bounds.w is None:
            return self._first_step()
        path = self._path or self._begin()
        if self._stall.is_reached:
            # If rounding may be the reason, the path is followed again in double precision.
            return Status.STALLED if self.program.examples.may_double else Start(bounds.w)
        try:
            path.step()
        except np.linalg.LinAlgError:
            return Start(bounds.w)
        self.task.tally.calls += self.task.n  # a step computes the scores of all outputs
        primal, gap = path.gap()
        self._stall.note(gap)
        self._is_evaluated = self._cap * gap <= self.program.allowed(self._cap * primal)
        if self._is_evaluated:
            return self._evaluate(path)
        return self.found(self._w(path), no_cuts(self.labels, self.program.examples.size))

    def _begin(self) -> CentralPath:
        products, true, features = self.task.products()
        factors: tuple[Vector, ...] = (products,)
        if features is not None:
            rows, (n, d) = features.astype(np.float64, copy=False), features.shape
            # Keep the form that has fewer numbers.
            factors = (dense(rows), dense(rows).T) if 2 * d < n else (dense(rows @ rows.T),)
        first, *others = factors
        self._losses = self.task.score_outputs(np.zeros(self.task.size))
        self._path = CentralPath(InnerProducts(self._cap * first, *others), self._losses, true)
        return self._path

    def _w(self, path: CentralPath) -> Vector:
        difference: Vector = self.task.expected_difference(path.errors)
        return self._cap * difference.astype(np.float64)  # in float32 the square would be too rough

    def _evaluate(self, path: CentralPath) -> Step:
        """Store the dual solution, and evaluate the objective at the current w in one pass."""
        examples, w, p = self.program.examples, self._w(path), path.probabilities
        value = unbounded_dual_value(w, self._cap * float(np.vdot(self._losses, p)))
        names = list(examples.problem.outputs(examples.X[0]))
        self.publish(value, w, *planes_of(p, names, self.program.C))
        return self.found(w, one_slack_cut(examples, self.labels, w))

    def conclude(self, bounds: Bounds) -> tuple[Bounds, bool]:
        if not self._is_evaluated:
            return bounds, False
        require_agreement(self.program, bounds, self.planes, "products")
        return bounds, bounds.gap <= self.program.allowed(bounds.primal)

    def complete(self, bounds: Bounds) -> Bounds:
        if self._path is None or not math.isinf(bounds.history[-1].primal):
            return bounds
        bounds, _ = self.program.considered(bounds, self._evaluate(self._path))
        require_agreement(self.program, bounds, self.planes, "products")
        return bounds


@documented
class DualInteriorPoint(Solver):
    """An interior-point method for few examples, if outputs share no weights.

    For n examples and k classes the dual is a quadratic program in n k variables. The number of
    features does not matter, because the program needs only the inner products of the examples.
    Mehrotra's predictor-corrector method follows the central path in ten to thirty steps, for any
    C, and for separable and inseparable classes. A step solves Newton systems by conjugate
    gradients, preconditioned along the main directions of the features.

    :class:`SmoothedLBFGS` continues if the conjugate gradients become slow, or if rounding errors
    end the path early. All steps run in one process, whatever ``n_jobs`` is.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of steps, >= 1.

    References
    ----------
    Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on
    Optimization 2, 1992. This solver applies Mehrotra's method to the dual of Crammer & Singer
    (JMLR 2, 2001).

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import DualInteriorPoint
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = DualInteriorPoint().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    requires = DualCoordinateAscent.requires
    then = SmoothedLBFGS

    def begin(self, program: Program, start: Start) -> PathFollowing:
        return PathFollowing(program, start)

    def pays(self, program: Program, start: Start) -> bool:
        """Whether there are few enough examples for this method."""
        return program.examples.n <= FEW_ROWS
