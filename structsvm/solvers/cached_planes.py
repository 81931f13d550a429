"""N-slack cutting planes for an expensive oracle, the restricted problem smoothed."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import example_cap
from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import example_planes
from structsvm.planes.example_planes import StackedPlanes
from structsvm.planes.plane import ROUNDING, Cuts, no_cuts
from structsvm.results.status import Status
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.scaling import rough
from structsvm.solvers.lbfgs.soft_objective import START
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.restricted import RestrictedObjective
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.consistency import require_any_loss, require_unbeaten
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import SPARE, Record
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.schedule import Schedule
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.shared.stall import Stall

logger = logging.getLogger(__name__)

#: Number of mini-batches of the examples; w moves after each.
MINIBATCHES = 16
#: Steps of a descent on the restricted problem, at most.
STEPS = 20
#: Planes whose weight has been negligible for more than this many passes are dropped.
IDLE = 5
#: When P is evaluated: the outputs found there are kept too, so it costs less than elsewhere.
SCHEDULE = 3, 0.1, 2.0


class CachedPlanes(Algorithm):
    """Passes that query the examples in mini-batches, and descend between them.

    Parameters
    ----------
    record : Record
    start : Start

    Attributes
    ----------
    planes : StackedPlanes
        The cache.
    descent : Descent or None
        On the problem restricted to the cache; None before the first pass.
    unexplained : float
        What the oracle found in the last pass beyond the slacks that the cache implied, in units
        of the objective.
    """

    def __init__(self, record: Record, start: Start) -> None:
        super().__init__(record)
        examples = record.examples
        self._cap = example_cap(record.C, examples.n)
        self._point = np.zeros(examples.size) if start.point is None else start.point
        self.planes = record.planes = StackedPlanes(examples.n, examples.size)
        self.descent: Descent[RestrictedObjective] | None = None
        self.unexplained = math.inf
        self._stall, self._schedule = Stall(), Schedule(record, *SCHEDULE)
        self._add_start(start)

    def _add_start(self, start: Start) -> None:
        """Add the planes of the dual solution to start with."""
        for planes in example_planes(self.record.examples, self.record.labels, start.support):
            outputs = [source.outputs[0] for source in planes.sources]
            self.planes.add(planes.groups, planes.rows, planes.offsets, outputs)
            self.planes.weights[-len(outputs) :] = start.factor * planes.alpha / self._cap
        if len(self.planes):
            self._publish()

    # ------------------------------------------------------------------ the passes

    def passes(self) -> Passes:
        record, minibatches = self.record, self._minibatches()
        descent = self.descent
        if descent is None:
            cuts = self._evaluate(self._point)
            require_any_loss(record, self._point, cuts.any_loss)
            yield Pass(record.add_pass(self._point, cuts), self._point, False)
            self.descent = descent = self._begin()
            self._descend(descent)
        while not self._stall.is_reached:
            yield None
            yield self._query_minibatches(descent, minibatches)
            self._stall.note(self._gap(descent))
            due = self._schedule.is_due(self._gap(descent), self._goal(descent))
            if due or self._stall.is_reached:
                w = descent.point.w
                cuts = self._evaluate(w)
                self._publish()
                iteration = record.add_pass(w, cuts)
                yield Pass(iteration, w, record.is_small)
                self._stall.note(self._gap(descent))
                self._schedule.done()
                self._descend(descent)
        logger.debug("the descent stalled at a gap of %.3g", record.found.gap)
        return Status.STALLED

    def _minibatches(self) -> list[Examples]:
        """The examples in mini-batches.

        At random, as the order of data often has a meaning; always the same, to be reproducible.
        """
        examples = self.record.examples
        order = np.random.default_rng(0).permutation(examples.n)
        minibatches = np.array_split(order, min(MINIBATCHES, len(order)))
        return [examples.subset(np.sort(places)) for places in minibatches]

    def _query_minibatches(
        self, descent: Descent[RestrictedObjective], minibatches: list[Examples]
    ) -> Pass:
        """A pass with w moving on after each mini-batch."""
        unexplained = 0.0
        for examples in minibatches:
            w = descent.point.w
            _, _, more = self._query(examples, w)
            unexplained += more
            self._descend(descent)
        self.unexplained = unexplained
        self.planes.prune(IDLE)
        self._publish()
        unknown = no_cuts(self.record.labels, self.record.examples.size)
        return Pass(self.record.add_pass(w, unknown), w, False)

    def _query(self, some: Examples, w: Vector) -> tuple[Sequence[Any], Vector, float]:
        """Call the oracle for some examples at w, and keep what is new.

        Returns its outputs, their slacks, and how much of them the cache did not imply, in units of
        the objective.
        """
        cache = self.planes
        known, magnitude = cache.example_slacks(w)[some.index], cache.magnitude(w)
        found = find_violated(some, some.Y, w, known + ROUNDING * magnitude)
        error = self.record.examples.n * self.record.rounding.of_largest_slack(w)
        require_unbeaten(some, some.Y, w, known, found.slacks, magnitude, error)
        new = found.violated
        outputs = [found.outputs[i] for i in new.tolist()]
        cache.add(some.index[new], found.rows, found.losses[new], outputs)
        slacks = np.maximum(found.slacks, known)
        return found.outputs, slacks, _rounded(self._cap * float((slacks - known)[new].sum()))

    def _evaluate(self, w: Vector) -> Cuts:
        """P at w by a pass over all examples; the outputs found there are kept too."""
        record = self.record
        outputs, slacks, self.unexplained = self._query(record.examples, w)
        mean, any_loss = slacks.mean(keepdims=True), bool(self.planes.offsets.any())
        return no_cuts(record.labels, record.examples.size, mean, any_loss, outputs)

    # ------------------------------------------------------------------ the restricted problem

    def _restricted(self) -> RestrictedObjective:
        return RestrictedObjective(self.planes, self._cap)

    def _begin(self) -> Descent[RestrictedObjective]:
        """Start the descent on the restricted problem."""
        # Without any plane at the start there is no loss to scale mu by.
        mean_loss = float(self.planes.offsets.mean()) if len(self.planes) else 1.0
        mu = START * mean_loss
        scaling = rough(self.record.rounding.curvature(mu))
        return Descent(self._restricted(), self._point, mu, scaling)

    def _descend(self, descent: Descent[RestrictedObjective]) -> None:
        """Solve the restricted problem, but not better than the passes need, nor for too long."""
        gap = self._looseness(descent)
        descent.switch(self._restricted())
        for _ in range(STEPS):
            if descent.gap <= gap:
                return
            if descent.needs_lower_mu(gap):
                descent.lower_mu(gap)
            descent.step()

    def _gap(self, descent: Descent[RestrictedObjective]) -> float:
        """The gap, had w stood still during the last pass."""
        return self.unexplained + descent.gap

    def _looseness(self, descent: Descent[RestrictedObjective]) -> float:
        """The gap to which the restricted problem is solved between queries.

        A fraction of what the last pass added to the slacks, or of the tolerance.
        """
        return SPARE * max(self.unexplained, self._goal(descent))

    def _goal(self, descent: Descent[RestrictedObjective]) -> float:
        return self.record.allowed(descent.estimate)

    # ------------------------------------------------------------------ the certificate

    def _publish(self) -> None:
        """Publish the dual solution of the planes' weights as the run's."""
        dual = self._restricted().dual  # recomputed from the weights: steps add rounding
        alpha = self._cap * self.planes.weights
        self.record.publish(dual.value, dual.v, alpha, self.planes.sources())

    def complete(self) -> None:
        if self.descent is not None:
            w = self.descent.point.w
            cuts = self._evaluate(w)
            self._publish()
            self.record.consider(w, cuts)

    def handover(self) -> Start:
        record = self.record
        planes = self.planes.shared(record.labels, record.examples.size, record.C)
        return Start(record.found.w, planes=planes)


def _rounded(value: float) -> float:
    """The value in single precision, so that the last bits of the data do not change the path.

    Its exponent is kept: a cast of all of it would overflow where losses are large.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(float(np.float32(mantissa)), exponent)


class SmoothedCuttingPlane(Solver):
    """N-slack cutting planes for an expensive oracle; the restricted problem is smoothed.

    Every output that the oracle finds is kept for its example. The oracle is called for a
    sixteenth of the examples at a time, and in between w moves to where the problem restricted to
    the outputs found is nearly solved, by L-BFGS on its smoothed objective. That takes few passes
    of the oracle, and more time between them than other solvers do. The objective is evaluated by a
    pass over all examples at one w, after every tenth of the passes so far and when the gap seems
    small enough. In ``history`` the primal value of the passes between is infinite.

    Where the descent stalls, :class:`OneSlackCuttingPlane` goes on from the best w, with planes
    that nearly make the dual solution reached. Margin rescaling, and problems without constraints
    or bounds on w. The outputs kept take memory that grows with n and with the number of passes,
    until all outputs left have weight in the solution.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`.
    max_iter : int, default=10000
        Largest number of passes over the data.

    References
    ----------
    The cache of outputs follows Shah, Kolmogorov & Lampert, A multi-plane block-coordinate
    Frank-Wolfe algorithm for training structural SVMs with a costly max-oracle, CVPR 2015; here
    the problem restricted to it is solved as a whole.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import SmoothedCuttingPlane
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = SmoothedCuttingPlane().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    requires = Requirements(unconstrained=True)
    then = OneSlackCuttingPlane

    def begin(self, record: Record, start: Start) -> CachedPlanes:
        return CachedPlanes(record, start)
