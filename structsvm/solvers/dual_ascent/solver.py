"""Ascent of the dual by mini-batches, as long as that is fast."""

from __future__ import annotations

import math

import numpy as np

from structsvm.docstrings import documented
from structsvm.objective import unbounded_dual_value
from structsvm.objective.rounding import DOUBLE
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
    FEWEST_BATCHES,
    MANY,
)


class DualAscent(Algorithm):
    """Epochs of the ascent, and P evaluated now and then.

    Parameters
    ----------
    program : Program
    start : Start
        The first pass evaluates its point; the dual starts at 0.
    """

    remade = frozenset({"_is_bound"})
    _is_bound = False  # the ascent, to the mini-batches of this process
    _is_evaluated = _is_slow = False
    _ascent: Ascent | None = None

    def __init__(self, program: Program, start: Start) -> None:
        super().__init__(program, start)
        self._rng = np.random.default_rng(0)
        self._gaps = [math.inf]  # the lowest gap up to each epoch, estimated
        self._schedule = Schedule()

    def step(self, bounds: Bounds) -> Step | Start:
        if bounds.w is None:
            return self._first_step()
        if self._is_slow:
            # The dual solution is published; to rebuild its planes would take a pass for each
            # output.
            return Start(self._bound().w)
        is_first, ascent = self._ascent is None, self._bound()
        self._is_evaluated = False
        value = ascent.epoch(self._rng)
        if is_first:  # not compared with others: proximal terms may follow
            return self._unevaluated(ascent)
        allowed, passes = self.program.allowed(bounds.primal), len(bounds.history)
        gap = max(value - ascent.value, allowed)
        self._gaps.append(min(self._gaps[-1], gap))
        self._is_slow = _is_slow(self._gaps, allowed)
        if self._is_slow or self._schedule.is_due(passes, gap, allowed):
            self._schedule.done(passes + 1)
            return self._evaluate(ascent)
        return self._unevaluated(ascent)

    def _bound(self) -> Ascent:
        """Return the ascent on the mini-batches of this process: a copy of a run has its own."""
        if self._ascent is not None and self._is_bound:
            return self._ascent
        program, examples = self.program, self.program.examples
        minibatches = list(examples.minibatches())
        if self._ascent is None:
            dtype = np.float32 if program.rounding.unit > DOUBLE else np.float64
            self._ascent = Ascent(minibatches, program.C, examples.n, examples.size, dtype)
        else:
            self._ascent.bind(minibatches)
        self._is_bound = True
        return self._ascent

    def _unevaluated(self, ascent: Ascent) -> Step:
        return self.found(ascent.w, no_cuts(self.labels, self.program.examples.size))

    def _evaluate(self, ascent: Ascent) -> Step:
        """Publish the dual solution, and evaluate P at its w: the pass that may be the last."""
        ascent.recompute()
        w, examples = ascent.w, self.program.examples
        names = list(examples.problem.outputs(examples.X[0]))
        v = ascent.v
        alpha, sources = planes_of(ascent.all_probabilities(), names, self.program.C)
        self.publish(unbounded_dual_value(v, ascent.linear), v, alpha, sources)
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
            # At 0 all outputs tie. P is convex: so short a w costs no more than the tolerance.
            rise = (primal - bounds.primal) or 1.0
            short = min(0.5, self.program.allowed(bounds.primal) / rise)
            return self.return_to(found.point * short, bounds)
        return bounds


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

    def begin(self, program: Program, start: Start) -> DualAscent:
        return DualAscent(program, start)

    def pays(self, program: Program, start: Start) -> bool:
        """Whether steps on mini-batches pay: from w = 0, where a step on all is expensive."""
        examples = program.examples
        large = examples.n * examples.size >= MANY and start.point is None
        return large and len(examples.minibatches()) >= FEWEST_BATCHES
