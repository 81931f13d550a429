"""Ascent of the dual by mini-batches, as long as that is fast."""

from __future__ import annotations

import math

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.objective import unbounded_dual_value
from structsvm.objective.rounding import DOUBLE
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.plane import Cuts, no_cuts
from structsvm.planes.probabilities import planes_of
from structsvm.solvers.dual_ascent.ascent import Ascent
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.consistency import require_agreement
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.schedule import Schedule
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.thresholds import (
    ASCENT_EPOCHS,
    ASCENT_FALL,
    ASCENT_PATIENCE,
    FEWEST_BATCHES,
    MANY,
)


class DualAscent(Algorithm):
    """Epochs of the ascent, and P evaluated now and then.

    Parameters
    ----------
    record : Record
    start : Start
        The first pass evaluates its point; the dual starts at 0.
    """

    def __init__(self, record: Record, start: Start) -> None:
        super().__init__(record)
        size = record.examples.size
        self._point = np.zeros(size) if start.point is None else start.point
        self._ascent: Ascent | None = None
        self._moved = False  # since P was evaluated
        self._rng = np.random.default_rng(0)
        self._gaps = [math.inf]  # the lowest gap up to each epoch, estimated
        self._schedule = Schedule(record)

    def passes(self) -> Passes:
        record = self.record
        if record.best is None:
            yield self.first_pass(self._point)
        minibatches = list(record.examples.minibatches())
        ascent = self._ascent
        if ascent is None:
            size, n = record.examples.size, record.examples.n
            dtype = np.float32 if record.rounding.unit > DOUBLE else np.float64
            self._ascent = ascent = Ascent(minibatches, record.C, n, size, dtype)
            self._moved = True
            ascent.epoch(self._rng)  # not compared with others: proximal terms may follow
            yield self._unevaluated(ascent)
        else:
            ascent.bind(minibatches)
        slow = False
        while not slow:
            yield None
            self._moved = True
            gap = max(ascent.epoch(self._rng) - ascent.value, record.tolerance)
            self._gaps.append(min(self._gaps[-1], gap))
            slow = _is_slow(self._gaps, record.tolerance)
            if slow or self._schedule.is_due(gap, record.tolerance):
                yield self._evaluated(ascent)
                self._schedule.done()
            else:
                yield self._unevaluated(ascent)
        # The dual solution is published; to rebuild its planes would take a pass for each output.
        return Start(ascent.w)

    def _unevaluated(self, ascent: Ascent) -> Pass:
        w, record = ascent.w, self.record
        cuts = no_cuts(record.labels, record.examples.size)
        return Pass(record.add_pass(w, cuts), w, False)

    def _evaluated(self, ascent: Ascent) -> Pass:
        record = self.record
        w, cuts = self._queried(ascent)
        iteration = record.add_pass(w, cuts)
        self._moved = False
        require_agreement(record, "score_outputs")
        return Pass(iteration, w, iteration.gap <= record.tolerance)

    def complete(self) -> None:
        record = self.record
        if self._ascent is None or not self._moved:
            return
        w, cuts = self._queried(self._ascent)
        primal = record.consider(w, cuts)
        require_agreement(record, "score_outputs")
        best = record.found
        if w.any() and not best.w.any():
            # At 0 all outputs tie. P is convex: so short a w costs no more than the tolerance.
            w = w * min(0.5, record.tolerance / ((primal - best.primal) or 1.0))
            record.return_to(w, one_slack_cut(record.examples, record.labels, w))

    def _queried(self, ascent: Ascent) -> tuple[Vector, Cuts]:
        """Publish the dual solution, and evaluate P at its w."""
        ascent.recompute()
        w = ascent.w
        self._publish(ascent)
        return w, one_slack_cut(self.record.examples, self.record.labels, w)

    def _publish(self, ascent: Ascent) -> None:
        """Publish the probabilities as the run's dual solution."""
        examples = self.record.examples
        names = list(examples.problem.outputs(examples.X[0]))
        v = ascent.v
        alpha, sources = planes_of(ascent.all_probabilities(), names, self.record.C)
        self.record.publish(unbounded_dual_value(v, ascent.linear), v, alpha, sources)


def _is_slow(gaps: list[float], tolerance: float) -> bool:
    """Whether the last epochs have not lowered the gap fast, and the tolerance is not near."""
    earlier = ASCENT_PATIENCE
    if len(gaps) <= earlier or gaps[-1] < ASCENT_FALL * gaps[-1 - earlier]:
        return False
    if not tolerance:
        return True
    fall = math.log(gaps[-1 - earlier] / gaps[-1]) / earlier
    return math.log(gaps[-1] / tolerance) >= ASCENT_EPOCHS * fall


@documented
class DualCoordinateAscent(Solver):
    """Ascent of the dual by mini-batches, for problems whose outputs can be scored all at once.

    The dual variables of an example are probabilities of its outputs. A step moves the
    probabilities of a mini-batch by a projected gradient with exact line search, and changes only
    the entries of w that the mini-batch uses: on sparse data an epoch takes no longer than one
    pass. Entries that dominate the steps, such as the weights of an intercept, get proximal terms
    after the first epoch. The dual value is known at any time; the objective is evaluated by the
    separation oracle after a quarter of the passes so far, and when the gap seems small enough.

    When the ascent becomes slow, as at a large C, :class:`SmoothedLBFGS` goes on. One mini-batch
    follows the other, for any ``n_jobs``.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of epochs, >= 1.

    References
    ----------
    Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss
    minimization, JMLR 14, 2013; here by mini-batches with a line search, on the dual of Crammer &
    Singer (JMLR 2, 2001) where the outputs are classes.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import DualCoordinateAscent
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = DualCoordinateAscent().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    requires = Requirements(
        problem=("outputs",),
        task=("minibatches", "score_outputs", "expected_difference"),
        exact=True,
        unconstrained=True,
    )
    then = SmoothedLBFGS

    def begin(self, record: Record, start: Start) -> DualAscent:
        return DualAscent(record, start)

    def pays(self, record: Record, start: Start) -> bool:
        """Whether steps on mini-batches pay: from w = 0, where a step on all is expensive."""
        examples = record.examples
        large = examples.n * examples.size >= MANY and start.point is None
        return large and len(examples.minibatches()) >= FEWEST_BATCHES
