"""Smoothing: L-BFGS on the objective with soft slacks."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Generator

import numpy as np

from structsvm.exceptions import ProblemError
from structsvm.oracle import BoundProblem
from structsvm.outcome import Status
from structsvm.problem import Indices, Problem, Vector, offers
from structsvm.separation import Cuts, aggregate_cut, soft_cut
from structsvm.solvers.base import Solver
from structsvm.solvers.cutting_plane import require_any_loss
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.passes import Pass
from structsvm.solvers.run import Run
from structsvm.solvers.smoothing import START, Descent, Point, Progress

logger = logging.getLogger(__name__)

#: An example is left out where its true output, whose probability is exp(-slack / mu), is likelier
#: than this, if there is such a share of them.
CERTAIN, WORTHWHILE = 0.999, 0.2
#: Steps between quadratic programs, and returns of the examples left out.
ROUND = 15
#: A first descent, to this relative gap or for so many steps, sees this share of the examples,
#: where there are so many numbers in their joint features.
SAMPLE, SAMPLE_RTOL, SAMPLE_STEPS, MANY = 0.1, 0.3, 150, 2_000_000
#: The planes kept; a quadratic program is solved where the gap is within so many tolerances.
KEPT, NEAR = 30, 2.0
#: How far rounding may put the dual above the objective, relative to C times what slacks are
#: made of.
DISAGREEMENT = 1e-5


class SoftObjective:
    """The smoothed objective with the soft slacks of some of n examples, those of the others 0.

    Attributes
    ----------
    cuts : deque of Cuts
        The one-slack planes of the points passed last, shared by the objectives over parts.
    """

    def __init__(self, part: BoundProblem, C: float, n: int, cuts: deque[Cuts]) -> None:
        self.part, self.C, self.n = part, C, n
        self.cuts = cuts

    def at(self, w: Vector, mu: float) -> Point:
        cut, soft = soft_cut(self.part, self.part.Y, w, mu, self.n)
        return Point.of(
            w,
            v=self.C * cut.rows[0],
            linear=self.C * float(cut.offsets[0]),
            slack=self.C * float(cut.slacks[0]),
            soft_slack=self.C / self.n * float(soft.values.sum()),
            soft_slacks=soft.values,
            distribution=cut,
        )

    def mix(self, point: Point, share: float) -> None:
        self.cuts.append(point.distribution)

    def over(self, rows: Indices, weight: float = 1.0) -> SoftObjective:
        """The same with the other examples left out, and these weighing more than they do."""
        return SoftObjective(self.part.subset(rows), weight * self.C, self.n, self.cuts)


def require_agreement(run: Run) -> None:
    """Raise a ProblemError where the dual that a soft oracle made is above the objective."""
    assert run.best is not None
    primal, dual = run.best.primal, run.best.dual.value
    if dual - primal > DISAGREEMENT * run.C * (1 + run.magnitude(run.best.w)):
        raise ProblemError(
            f"the soft oracle of {type(run.bound.problem).__name__} tells more than its separation "
            f"oracle: a dual value of {dual:.6g} is above the objective, {primal:.6g}. Run "
            "structsvm.check_problem(problem, X, Y) to find which is wrong"
        )


class SmoothedRun(Run):
    """The state of a training by descent.

    Attributes
    ----------
    whole : SoftObjective
        Over all examples.
    descent : Descent
        On it, or on what leaves out some examples for the time being.
    descending : bool
        Whether it has begun, and has not stalled.
    """

    descent: Descent
    descending = False

    def __init__(self, bound: BoundProblem, C: float, sizes: Vector) -> None:
        super().__init__(bound, C, sizes)
        self.whole = SoftObjective(bound, C, bound.n, deque(maxlen=KEPT))

    @property
    def lowest(self) -> float:
        """The lowest P so far, as far as it is known at the point of the moment."""
        assert self.best is not None
        return min(self.best.primal, self.descent.estimate)

    @property
    def gap(self) -> float:
        """The gap, as far as P is known."""
        return self.lowest - self.descent.dual

    def leave_out_certain(self) -> None:
        """Leave out the examples that are sure of the truth, where there are enough of them."""
        sure = self.descent.point.soft_slacks <= -self.descent.mu * np.log(CERTAIN)
        if WORTHWHILE * len(sure) <= np.count_nonzero(sure) < len(sure):
            self.descent.go_over(self.whole.over(np.flatnonzero(~sure)))

    def solve_dual(self) -> None:
        """Find the best dual solution among the planes of the points passed and those kept."""
        planes, cuts = self.working_set, self.whole.cuts
        planes.keep_heaviest(KEPT)
        rows, offsets, groups = (
            np.concatenate([getattr(cut, part) for cut in cuts])
            for part in ("rows", "offsets", "groups")
        )
        planes.add(rows, offsets, groups, [cut.sources[0] for cut in cuts])
        planes.spread()
        cuts.clear()
        self.solve()
        self.descent.set_dual(self.w, self.dual.value + 0.5 * float(self.w @ self.w))

    def ask_the_oracle(self, tolerance: float = 0.0) -> tuple[Vector, Cuts]:
        """A pass of the separation oracle at the best point.

        The best point is that of the moment where the soft oracle does not tell the slacks. The
        dual is solved with the plane found, unless the gap is within the tolerance without it.
        """
        assert self.best is not None
        here = self.descent.point
        w = self.best.w if math.isfinite(here.primal) else here.w
        cuts = aggregate_cut(self.bound, self.labels, w)
        if w is self.best.w:
            self.best = self.best._replace(primal=math.inf)
        self.whole.cuts.append(cuts)
        if self.objective(w, cuts.slacks) - self.dual.value > tolerance:
            self.solve_dual()
        return w, cuts


class SmoothedLBFGS(Solver):
    """L-BFGS on the smoothed objective, for problems with a soft oracle.

    The maximum in each slack becomes mu log sum exp(. / mu), and mu falls as far as the gap that is
    asked for allows (``structsvm.solvers.smoothing``). Every evaluation is a point of the dual
    too, so the gap is known at each. Examples that are sure of their truth are left out for some
    steps. Where n times the length of w is two millions or more, a tenth of the examples is
    descended on first. The objective at the w returned is computed by the separation oracle.

    On badly conditioned problems, such as separable data at a large C, the descent stalls. Then the
    planes found so far are handed to :class:`OneSlackCuttingPlane`, which goes on from the best w.
    Planes of a soft oracle are known to its rounding, some 1e-8 of the objective: for an ``rtol``
    below 1e-7 use another solver.

    Margin rescaling, exact oracles, and problems without constraints or bounds on w.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`.
    max_iter : int, default=10000
        Steps at most; nearly every step is one pass over the data.

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
    _run_type = SmoothedRun

    def _passes(self, run: SmoothedRun, query: Vector) -> Generator[Pass, None, Status]:
        first = aggregate_cut(run.bound, run.labels, query)
        require_any_loss(run, query, first)
        yield self._pass(run, query, first)
        yield from self._begin(run, query, START * float(first.offsets[0]))
        progress = Progress()
        while not progress.stalled:
            yield from self._round(run)
            progress.note(run.gap)
        yield self._certify(run)
        assert run.best is not None
        logger.debug("the descent stalled at a gap of %.3g; one slack goes on", run.gap)
        run.descending = False
        finish = OneSlackCuttingPlane(self.rtol, self.atol)
        return (yield from finish._passes(run, run.best.w))

    def _begin(self, run: SmoothedRun, query: Vector, mu: float) -> Generator[Pass, None, None]:
        """Descend on a part of the examples first, where there are many."""
        n = run.bound.n
        many = n * run.bound.size >= MANY
        objective = run.whole
        if many:
            rows = np.random.default_rng(0).choice(n, max(1, int(SAMPLE * n)), replace=False)
            objective = run.whole.over(np.sort(rows), weight=n / len(rows))
        run.descent = descent = Descent(objective, query, mu)
        run.descending = True
        for _ in range(SAMPLE_STEPS if many else 0):
            if descent.gap <= (goal := SAMPLE_RTOL * descent.estimate):
                break
            descent.step()
            yield self._step(run)
            if descent.asks_for_less(goal):
                descent.lower_mu(goal)
        if many:
            run.descent.set_dual(np.zeros_like(query), 0.0)
            run.descent.go_over(run.whole)

    def _round(self, run: SmoothedRun) -> Generator[Pass, None, None]:
        """Some steps, then the dual from the planes they made, and P where that may be the end."""
        descent = run.descent
        for _ in range(ROUND):
            descent.step()
            yield self._step(run)
            if run.gap <= self._goal(run):
                break
            if descent.asks_for_less(self._goal(run)):
                yield from self._lower_mu(run)
        if descent.objective is not run.whole:
            descent.go_over(run.whole)
            yield self._step(run)
        if run.gap <= NEAR * self._goal(run):
            run.solve_dual()
            if run.gap <= self._goal(run):
                yield self._certify(run)
        run.leave_out_certain()

    def _lower_mu(self, run: SmoothedRun) -> Generator[Pass, None, None]:
        """Lower mu; where P is not known from the soft oracle, ask for it before."""
        descent = run.descent
        if not math.isfinite(descent.point.primal) and descent.objective is run.whole:
            yield self._certify(run)
        if descent.asks_for_less(self._goal(run)):
            descent.lower_mu(self._goal(run))

    def _step(self, run: SmoothedRun) -> Pass:
        point = run.descent.point
        return self._pass(run, point.w, point.distribution)

    def _certify(self, run: SmoothedRun) -> Pass:
        """P by the separation oracle: the pass that may end the training."""
        w, cuts = run.ask_the_oracle(self._goal(run))
        made = self._pass(run, w, cuts)
        require_agreement(run)
        if w is run.descent.point.w:
            run.descent.calibrate(made.iteration.primal)
        return made._replace(converged=made.iteration.gap <= self._tolerance(run))

    def _close(self, run: SmoothedRun, status: Status) -> None:
        if run.descending and status is not Status.CONVERGED:
            run.consider(*run.ask_the_oracle())
            require_agreement(run)

    def _pass(self, run: SmoothedRun, query: Vector, cuts: Cuts) -> Pass:
        return Pass(self._record(run, query, cuts), query, False)

    def _goal(self, run: SmoothedRun) -> float:
        return max(self.atol, self.rtol * abs(run.lowest))

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        name = type(problem).__name__
        if not any(offers(problem, form) for form in ("soft_oracle", "sum_soft_oracle")):
            raise TypeError(
                f"SmoothedLBFGS needs a soft oracle, and {name} defines neither soft_oracle nor "
                "sum_soft_oracle; define one, or use OneSlackCuttingPlane"
            )
        if problem.oracle_quality != "exact":
            raise ValueError(
                f"SmoothedLBFGS needs exact oracles; {name} declares oracle_quality "
                f"{problem.oracle_quality!r}: use OneSlackCuttingPlane or NSlackCuttingPlane"
            )
