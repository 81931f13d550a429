"""Smoothing: L-BFGS on the objective with soft slacks."""

from __future__ import annotations

import logging
import math
from collections.abc import Generator

import numpy as np

from structsvm.capabilities import offers_soft_oracle, oracle_is_exact
from structsvm.objective import example_cap, linear_term
from structsvm.oracle.cuts import one_slack_cut, soft_cut
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import Cuts
from structsvm.planes.working_set import WorkingSet
from structsvm.problem import Indices, Problem, Vector
from structsvm.rounding import Rounding
from structsvm.solvers.base import Solver
from structsvm.solvers.consistency import require_agreement, require_any_loss
from structsvm.solvers.descent import START, Descent, Point, Progress
from structsvm.solvers.loop import Handover, Pass, Passes
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.state import CuttingPlaneState
from structsvm.status import Status

logger = logging.getLogger(__name__)

#: An example is certain where its true output, whose probability is exp(-slack / mu), has a
#: probability above this one.
CERTAIN = 0.999
#: Certain examples are left out where they are at least this fraction of all.
WORTHWHILE = 0.2
#: Steps between two solutions of the dual, after which the examples left out return.
ROUND = 15
#: A first descent is on this fraction of the examples,
SAMPLE = 0.1
#: to this relative gap,
SAMPLE_RTOL = 0.3
#: or for this many steps at most,
SAMPLE_STEPS = 150
#: where n times the length of w is at least this number: a step on all is expensive then.
MANY = 2_000_000
#: Planes of soft outputs kept for the quadratic program, those of the points passed last.
KEPT = 30
#: Rounding error of the dual, as a fraction of the tolerance, that is too large after a stall.
UNCERTAIN = 0.1
#: The dual is solved once the estimated gap is below this multiple of the tolerance.
NEAR = 2.0


class SoftObjective:
    """The smoothed objective with the soft slacks of some of n examples, those of the others 0.

    Attributes
    ----------
    examples : Examples
    planes : WorkingSet
        Where the one-slack planes of the points passed are deferred to.
    rounding : Rounding
    """

    def __init__(
        self, examples: Examples, C: float, n: int, planes: WorkingSet, rounding: Rounding
    ) -> None:
        self.examples, self.C, self.n = examples, C, n
        self.planes, self.rounding = planes, rounding

    def least_mu(self, w: Vector) -> float:
        return self.rounding.least_mu(w)

    def at(self, w: Vector, mu: float) -> Point:
        cut, soft = soft_cut(self.examples, self.examples.Y, w, mu, self.n)
        return Point.of(
            w,
            v=self.C * cut.rows[0],
            linear=self.C * float(cut.offsets[0]),
            slack=self.C * float(cut.slacks[0]),
            soft_slack=example_cap(self.C, self.n) * float(soft.values.sum()),
            soft_slacks=soft.values,
            distribution=cut,
        )

    def mix(self, point: Point, length: float) -> None:
        self.planes.defer(point.distribution, KEPT)

    def over(self, places: Indices, weight: float = 1.0) -> SoftObjective:
        """The same with the other examples left out, and the weight of these multiplied."""
        examples = self.examples.subset(places)
        return SoftObjective(examples, weight * self.C, self.n, self.planes, self.rounding)


class SmoothedState(CuttingPlaneState):
    """The state of a run of descent.

    Attributes
    ----------
    whole : SoftObjective
        Over all examples.
    descent : Descent
        On it, or for some steps on one that leaves out examples.
    descending : bool
        Whether the descent has begun, and has not stalled.
    """

    descent: Descent
    descending = False

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        self.whole = SoftObjective(examples, C, examples.n, self.working_set, self.rounding)

    @property
    def lowest(self) -> float:
        """The lowest P so far, or its estimate at the current point."""
        assert self.best is not None
        return min(self.best.primal, self.descent.estimate)

    @property
    def gap(self) -> float:
        """The gap, or its estimate."""
        return self.lowest - self.descent.dual

    def leave_out_certain(self) -> None:
        """Leave out the examples that are certain, where there are enough of them."""
        sure = self.descent.point.soft_slacks <= -self.descent.mu * np.log(CERTAIN)
        if WORTHWHILE * len(sure) <= np.count_nonzero(sure) < len(sure):
            self.descent.switch(self.whole.over(np.flatnonzero(~sure)))

    def solve_dual(self) -> None:
        """Find the best dual solution among the planes of the working set and those deferred."""
        planes = self.working_set
        # The program grows with the points passed; the heaviest planes and the latest suffice.
        planes.keep_heaviest(KEPT)
        planes.add_deferred()
        planes.spread()
        self.solve_restricted()
        v = planes.solution.v
        self.descent.set_dual(v, linear_term(planes.solution.dual, v))

    def point_to_evaluate(self) -> Vector:
        """The best point, or the current one where the soft oracle does not return the slacks."""
        assert self.best is not None
        here = self.descent.point
        return self.best.w if math.isfinite(here.primal) else here.w

    def add_evaluated(self, w: Vector, cuts: Cuts, tolerance: float = 0.0) -> None:
        """Use the separation oracle's plane at a point: solve the dual where the gap needs it."""
        assert self.best is not None
        if w is self.best.w:
            self.best = self.best._replace(primal=math.inf)  # it was the soft oracle's
        self.working_set.defer(cuts, KEPT)
        if self.objective(w, cuts.slacks) - self.dual.value > tolerance:
            self.solve_dual()


class SmoothedLBFGS(Solver):
    """L-BFGS on the smoothed objective, for problems with a soft oracle.

    The maximum in each slack becomes mu log sum exp(. / mu), the log-partition function of a
    conditional random field, and mu falls as far as the requested gap requires
    (``structsvm.solvers.descent``). Every evaluation is a point of the dual too, so the gap is
    known at each. Examples whose true output is almost certain are left out for some steps. Where
    n times the length of w is two million or more, the first steps use a tenth of the examples.
    The objective at the w returned is evaluated by the separation oracle.

    On badly conditioned problems, such as separable data at a large C, the descent stalls. Then
    :class:`OneSlackCuttingPlane` continues from the best w, with the planes found so far.
    Planes of a soft oracle are known to its rounding only, which the low mu of a small ``rtol``
    magnifies. Where that is too much, :class:`OneSlackCuttingPlane` does without these planes.
    Columns whose entries are larger than all others by orders of magnitude, such as time stamps,
    are scaled inside the descent.

    Margin rescaling, exact oracles, and problems without constraints or bounds on w.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`.
    max_iter : int, default=10000
        Largest number of steps; nearly every step is one pass over the data.

    References
    ----------
    The smoothing is that of Nesterov, Smooth minimization of non-smooth functions, Mathematical
    Programming 103, 2005. It differs in that mu is not set beforehand.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import SmoothedLBFGS
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = SmoothedLBFGS().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    keeps_constraints = False
    _state_type = SmoothedState

    def passes(self, state: SmoothedState, query: Vector) -> Passes:
        """Descend, round after round; after a stall one slack goes on."""
        first = one_slack_cut(state.examples, state.labels, query)
        require_any_loss(query, first.any_loss)
        yield Pass(state.record(query, first), query, False)
        yield from self._begin(state, query, START * float(first.offsets[0]))
        progress = Progress()
        # A gap of rounding errors is no reason to end: those of other planes are smaller.
        while not (progress.stalled or self._is_small(state)):
            yield from self._round(state)
            progress.note(state.gap)
        yield self._evaluate(state)
        assert state.best is not None
        logger.debug("the descent stalled at a gap of %.3g; one slack goes on", state.gap)
        state.descending = False
        if state.dual.rounding > UNCERTAIN * self._tolerance(state):
            # At a low mu the soft oracle's planes are too rough to be part of the certificate.
            state.working_set.drop_soft()
            state.solve_restricted()
        finish = OneSlackCuttingPlane(self.rtol, self.atol)
        return Handover(finish.passes(state, state.best.w))

    def _begin(self, state: SmoothedState, query: Vector, mu: float) -> Generator[Pass, None, None]:
        """Start the descent, on some of the examples first where there are many."""
        n = state.examples.n
        many = n * state.examples.size >= MANY
        objective = state.whole
        if many:
            places = np.random.default_rng(0).choice(n, max(1, int(SAMPLE * n)), replace=False)
            objective = state.whole.over(np.sort(places), weight=n / len(places))
        state.descent = descent = Descent(objective, query, mu, state.rounding.curvature(mu))
        state.descending = True
        for _ in range(SAMPLE_STEPS if many else 0):
            if descent.gap <= (goal := SAMPLE_RTOL * descent.estimate):
                break
            descent.step()
            yield self._step(state)
            if descent.needs_lower_mu(goal):
                descent.lower_mu(goal)
        if many:
            # The dual solution of the sample is none of the whole problem.
            state.descent.set_dual(np.zeros_like(query), 0.0)
            state.descent.switch(state.whole)

    def _round(self, state: SmoothedState) -> Generator[Pass, None, None]:
        """Take up to ROUND steps; near the tolerance, solve the dual and evaluate the primal."""
        descent = state.descent
        for _ in range(ROUND):
            descent.step()
            yield self._step(state)
            if state.gap <= self._goal(state):
                break
            if descent.needs_lower_mu(self._goal(state)):
                # Where the soft oracle does not return P, the estimate may be what is too large.
                if not math.isfinite(descent.point.primal) and descent.objective is state.whole:
                    yield self._evaluate(state)
                if descent.needs_lower_mu(self._goal(state)):
                    descent.lower_mu(self._goal(state))
        if descent.objective is not state.whole:
            # Examples left out may have become uncertain, and only all together give the gap.
            descent.switch(state.whole)
            yield self._step(state)
        if state.gap <= NEAR * self._goal(state):
            state.solve_dual()
            if state.gap <= self._goal(state):
                yield self._evaluate(state)
        state.leave_out_certain()

    def _step(self, state: SmoothedState) -> Pass:
        point = state.descent.point
        return Pass(state.record(point.w, point.distribution), point.w, False)

    def _evaluate(self, state: SmoothedState) -> Pass:
        """Evaluate P by the separation oracle: the pass that may be the last."""
        w = state.point_to_evaluate()
        cuts = one_slack_cut(state.examples, state.labels, w)
        state.add_evaluated(w, cuts, self._goal(state))
        iteration = state.record(w, cuts)
        require_agreement(state)
        if w is state.descent.point.w:
            state.descent.calibrate(iteration.primal)
        return Pass(iteration, w, iteration.gap <= self._tolerance(state))

    def _close(self, state: SmoothedState, status: Status) -> None:
        if state.descending and status is not Status.CONVERGED:
            w = state.point_to_evaluate()
            cuts = one_slack_cut(state.examples, state.labels, w)
            state.add_evaluated(w, cuts)
            state.consider(w, cuts)
            require_agreement(state)

    def _goal(self, state: SmoothedState) -> float:
        return max(self.atol, self.rtol * abs(state.lowest))

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        name = type(problem).__name__
        if not offers_soft_oracle(problem):
            raise TypeError(
                f"SmoothedLBFGS needs a soft oracle, and {name} defines neither soft_oracle nor "
                "sum_soft_oracle; define one, or use OneSlackCuttingPlane"
            )
        if not oracle_is_exact(problem):
            raise ValueError(
                f"SmoothedLBFGS needs exact oracles; {name} declares oracle_quality "
                f"{problem.oracle_quality!r}: use OneSlackCuttingPlane or NSlackCuttingPlane"
            )
