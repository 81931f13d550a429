"""Coordinate ascent of the dual, one example at a time, as long as progress is fast."""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from structsvm.docstrings import documented
from structsvm.objective import unbounded_dual_value
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.plane import no_cuts
from structsvm.planes.probabilities import planes_of
from structsvm.solvers.dual_ascent.ascent import Ascent
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_agreement
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.schedule import Schedule
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.thresholds import (
    ASCENT_EPOCHS,
    ASCENT_FALL,
    ASCENT_PATIENCE,
    MANY,
)


class DualAscent(Algorithm):
    """The algorithm that makes epochs of ascent, and evaluates the objective after some epochs.

    Parameters
    ----------
    program : Program
    start : Start
        The start of the run. The first pass evaluates the objective at `start.point`.
    """

    remade = frozenset({"_is_bound"})
    _is_bound = False  # whether the ascent has the task of this process
    _is_evaluated = _is_slow = False
    _ascent: Ascent | None = None

    def __init__(self, program: Program, start: Start) -> None:
        super().__init__(program, start)
        self._rng = np.random.default_rng(0)
        self._gaps = [math.inf]  # the lowest gap up to each epoch, estimated
        self._schedule = Schedule(visible=1.0)

    def step(self, bounds: Bounds) -> Step | Start:
        if bounds.w is None:
            return self._first_step()
        if self._is_slow:
            # No planes are handed over: rebuilding them would take a pass for each output.
            return Start(self._bound().w)
        ascent, self._is_evaluated = self._bound(), False
        allowed, passes = self.program.allowed(bounds.primal), len(bounds.history)
        gap = max(ascent.epoch(self._rng), allowed)
        self._gaps.append(min(self._gaps[-1], gap))
        self._is_slow = _is_slow(self._gaps, allowed)
        if self._is_slow or self._schedule.is_due(passes, gap, allowed):
            self._schedule.done(passes + 1)
            return self._evaluate(ascent)
        return self.found(ascent.w, no_cuts(self.labels, self.program.examples.size))

    def _bound(self) -> Ascent:
        """Create the Ascent, or give it the task of this process, and return the Ascent."""
        task = self.program.examples.task
        if self._ascent is None:
            self._ascent = Ascent(task, self.program.C)
        elif not self._is_bound:
            self._ascent.bind(task)
        self._is_bound = True
        return self._ascent

    def _evaluate(self, ascent: Ascent) -> Step:
        """Store the dual solution, and evaluate the objective at the current w in one pass."""
        examples, (v, linear), w = self.program.examples, ascent.solution(), ascent.w
        names = list(examples.problem.outputs(examples.X[0]))
        alpha, sources = planes_of(ascent.probabilities, names, self.program.C)
        self.publish(unbounded_dual_value(v, linear), v, alpha, sources)
        self._is_evaluated = True
        return self.found(w, one_slack_cut(examples, self.labels, w))

    def conclude(self, bounds: Bounds) -> tuple[Bounds, bool]:
        if not self._is_evaluated:
            return bounds, False
        require_agreement(self.program, bounds, self.planes, "score_outputs")
        return bounds, bounds.gap <= self.program.allowed(bounds.primal)

    def complete(self, bounds: Bounds) -> Bounds:
        if self._ascent is None or self._is_evaluated:
            return bounds
        found = self._evaluate(self._bound())
        bounds, primal = self.program.considered(bounds, found)
        require_agreement(self.program, bounds, self.planes, "score_outputs")
        if found.point.any() and not bounds.w.any():
            # At 0 all outputs tie, so return a short w; P is convex, so it costs at most the
            # tolerance.
            rise = (primal - bounds.primal) or 1.0
            short = min(0.5, self.program.allowed(bounds.primal) / rise)
            return self.return_to(found.point * short, bounds)
        return bounds


def _is_slow(gaps: list[float], tolerance: float) -> bool:
    """Whether the last epochs hardly lowered the gap, which is still far above the tolerance."""
    earlier = ASCENT_PATIENCE
    if len(gaps) <= earlier or gaps[-1] < ASCENT_FALL * gaps[-1 - earlier]:
        return False
    if not tolerance:
        return True
    fall = math.log(gaps[-1 - earlier] / gaps[-1]) / earlier
    return math.log(gaps[-1] / tolerance) >= ASCENT_EPOCHS * fall


@documented
class DualCoordinateAscent(Solver):
    """Coordinate ascent of the dual, one example at a time, for outputs that share no weights.

    The dual variables of an example are probabilities of its outputs. A step finds the best
    probabilities of one example, and changes only the weights of its features. On sparse data, an
    epoch of steps takes no longer than one pass of the oracle. Examples whose probabilities no
    longer change are left out of more and more epochs. The weights of dominating features, such as
    the constant feature of an intercept, have proximal terms. The separation oracle evaluates the
    objective whenever the number of passes has doubled, and when the gap seems small enough.

    When the ascent becomes slow, as at a large C, :class:`SmoothedLBFGS` continues. The ascent
    takes one example after another in one process, whatever ``n_jobs`` is.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of epochs, >= 1.

    References
    ----------
    Keerthi, Sundararajan, Chang, Hsieh & Lin, A sequential dual method for large scale multi-class
    linear SVMs, KDD 2008. In contrast to Keerthi et al., this solver allows losses of any size and
    uses proximal terms.

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
        task=("products", "score_outputs", "expected_difference"),
        exact=True,
        unconstrained=True,
    )
    then = SmoothedLBFGS

    def begin(self, program: Program, start: Start) -> DualAscent:
        return DualAscent(program, start)

    def pays(self, program: Program, start: Start) -> bool:
        """Whether the run starts at w = 0, and the data are large and sparse."""
        examples = program.examples
        large = examples.n * examples.size >= MANY and start.point is None
        if not (large and sparse.issparse(examples.X)):
            return False
        one = examples.task.part(slice(0, 1))  # inner products of all examples may need much memory
        return one.products().features is not None
