"""An interior-point method for the dual of few examples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.objective import example_cap, unbounded_dual_value
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.plane import Cuts, no_cuts
from structsvm.planes.probabilities import planes_of
from structsvm.solvers.interior_point.path import CentralPath
from structsvm.solvers.interior_point.products import InnerProducts
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.consistency import require_agreement
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.shared.stall import Stall
from structsvm.solvers.thresholds import FACTORIZED, FEW_ROWS


class PathFollowing(Algorithm):
    """Steps along the central path, and P evaluated where the gap seems small enough.

    Parameters
    ----------
    record : Record
    start : Start
        The first pass evaluates its point; the path starts near w = 0.
    """

    def __init__(self, record: Record, start: Start) -> None:
        super().__init__(record)
        size = record.examples.size
        self._point = np.zeros(size) if start.point is None else start.point
        self._cap = example_cap(record.C, record.examples.n)
        self._path: CentralPath | None = None
        self._losses, self._stall = np.empty((0, 0)), Stall()

    def passes(self) -> Passes:
        record, block = self.record, self.record.examples.one_block
        if record.best is None:
            yield self.first_pass(self._point)
        path = self._path or self._begin(block)
        while not self._is_over(path):
            if self._stall.is_reached:
                # Steps that were not exact may have left the path: not one of them is kept.
                path = self._begin(block, exact=True)
            yield None
            try:
                path.step()
            except np.linalg.LinAlgError:
                break
            block.tally.calls += block.n  # it computes the scores of all outputs
            primal, gap = path.gap()
            self._stall.note(gap)
            if self._cap * gap <= record.allowed(self._cap * primal):
                yield self._evaluated(path, block)
            else:
                w, cuts = self._w(path, block), no_cuts(record.labels, block.size)
                yield Pass(record.add_pass(w, cuts), w, False)
        return Start(record.found.w)

    def _is_over(self, path: CentralPath) -> bool:
        """Whether the steps have become slow, or would take too long."""
        if self.record.examples.n > FACTORIZED:
            return self._stall.is_reached or path.exact
        return self._stall.is_reached and path.exact

    def _begin(self, block: Any, exact: bool = False) -> CentralPath:
        products, true, features = block.products()
        first, *others = (products,) if features is None else (features, features.T)
        products = InnerProducts(self._cap * first, *others)
        self._losses = block.score_outputs(np.zeros(block.size))
        self._path = CentralPath(products, self._losses, true, exact)
        self._stall = Stall()
        return self._path

    def _w(self, path: CentralPath, block: Any) -> Vector:
        difference = block.expected_difference(path.errors)
        return self._cap * difference.astype(np.float64)  # its square would have float32's errors

    def _evaluated(self, path: CentralPath, block: Any) -> Pass:
        """Publish the dual solution, and evaluate P at its w: the pass that may be the last."""
        w, cuts = self._queried(path, block)
        iteration = self.record.add_pass(w, cuts)
        require_agreement(self.record, "products")
        return Pass(iteration, w, iteration.gap <= self.record.tolerance)

    def _queried(self, path: CentralPath, block: Any) -> tuple[Vector, Cuts]:
        record, w, p = self.record, self._w(path, block), path.probabilities
        value = unbounded_dual_value(w, self._cap * float(np.vdot(self._losses, p)))
        names = list(block.problem.outputs(record.examples.X[0]))
        record.publish(value, w, *planes_of(p, names, record.C))
        return w, one_slack_cut(record.examples, record.labels, w)

    def complete(self) -> None:
        record = self.record
        if self._path is not None and math.isinf(record.history[-1].primal):
            record.consider(*self._queried(self._path, record.examples.one_block))
            require_agreement(record, "products")


@documented
class DualInteriorPoint(Solver):
    """An interior-point method for few examples whose outputs have weights of their own.

    The dual of classes is a quadratic program of n k variables, with the inner products of the n
    examples: the width of their features does not matter. Mehrotra's predictor-corrector method
    follows its central path in ten to thirty steps, whatever C is and whether the classes are
    separable or not. A step solves Newton systems by conjugate gradients, preconditioned along the
    main directions of the features, or where these become slow by k factorizations of n by n
    matrices.

    :class:`SmoothedLBFGS` goes on where rounding errors end the path early, or where more than 500
    examples need factorizations. All steps take one process, for any ``n_jobs``.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of steps, >= 1.

    References
    ----------
    Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on
    Optimization 2, 1992; here on the dual of Crammer & Singer (JMLR 2, 2001).

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

    requires = Requirements(
        problem=("outputs",),
        task=("products", "score_outputs", "expected_difference"),
        exact=True,
        unconstrained=True,
    )
    then = SmoothedLBFGS

    def begin(self, record: Record, start: Start) -> PathFollowing:
        return PathFollowing(record, start)

    def pays(self, record: Record, start: Start) -> bool:
        """Whether the examples are few."""
        return record.examples.n <= FEW_ROWS
