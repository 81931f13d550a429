"""Smoothing: L-BFGS on the objective with soft slacks."""

from __future__ import annotations

import logging
import math
from collections.abc import Generator

import numpy as np

from structsvm.contract.capabilities import offers, offers_soft_oracle, oracle_is_exact
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.minibatches import Part
from structsvm.results.status import Status
from structsvm.solvers.base import Solver
from structsvm.solvers.consistency import require_agreement, require_any_loss
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.descent import START, Descent, Progress
from structsvm.solvers.loop import Pass, Passes
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.run import Phase
from structsvm.solvers.smoothed_state import SmoothedState
from structsvm.solvers.soft_objective import SoftObjective
from structsvm.solvers.starts import Ascending, stochastic

logger = logging.getLogger(__name__)

#: Steps after which frozen distributions are computed again.
ROUND = 15
#: Rounds that may hardly lower the gap: with most examples frozen, they are cheap.
PATIENCE = 20
#: A first descent is on this fraction of the examples,
SAMPLE = 0.1
#: to this relative gap,
SAMPLE_RTOL = 0.3
#: or for this many steps at most,
SAMPLE_STEPS = 150
#: where n times the length of w is at least this number: a step on all is expensive then.
MANY = 2_000_000
#: mu is so low at the start that the smoothing adds no more than this fraction of the mean loss.
SMOOTHED = 0.12
#: Rounding error of the dual, as a fraction of the tolerance, that is too large after a stall.
UNCERTAIN = 0.1
#: Fewest mini-batches that are worth steps of their own.
FEWEST_PARTS = 10
#: What an ascent of the dual on them needs.
ASCENDING = ("score_outputs", "sum_expected_difference", "outputs")


class FirstPass:
    """The first pass, at a point given; then an ascent of the dual or the opening of the descent.

    Attributes
    ----------
    solver : SmoothedLBFGS
    query : ndarray of shape (size,)
    """

    def __init__(self, solver: SmoothedLBFGS, query: Vector) -> None:
        self.solver, self.query = solver, query

    def passes(self, state: SmoothedState) -> Passes:
        query = self.query
        cuts = one_slack_cut(state.examples, state.labels, query)
        require_any_loss(state, query, cuts.any_loss)
        yield Pass(state.record(query, cuts), query, False)
        loss, problem = float(cuts.offsets[0]), state.examples.problem
        many = bool(self.solver._parts(state, query))
        if many and all(offers(problem, method) for method in ASCENDING):
            return Ascent(self.solver, loss)
        return Opening(self.solver, query, loss, many)


class Ascent:
    """An ascent of the dual while that is fast, perhaps to the tolerance.

    Attributes
    ----------
    solver : SmoothedLBFGS
    loss : float
        The mean loss of the first pass.
    ascending : Ascending
    """

    def __init__(self, solver: SmoothedLBFGS, loss: float) -> None:
        self.solver, self.loss, self.ascending = solver, loss, Ascending()

    def passes(self, state: SmoothedState) -> Passes:
        parts = state.examples.parts()
        yield from self.ascending.passes(state, parts, self.solver._tolerance)
        return Opening(self.solver, self.ascending.start(state), self.loss, minibatches=False)


class Opening:
    """The first steps of the descent, on some of the examples at a time where these are many.

    Attributes
    ----------
    solver : SmoothedLBFGS
    query : ndarray of shape (size,)
        Where it starts.
    loss : float
        The mean loss of the first pass.
    minibatches : bool
        Whether these steps are on the problem's mini-batches.
    """

    def __init__(
        self, solver: SmoothedLBFGS, query: Vector, loss: float, minibatches: bool
    ) -> None:
        self.solver, self.query, self.loss, self.minibatches = solver, query, loss, minibatches

    def passes(self, state: SmoothedState) -> Passes:
        yield None
        parts = state.examples.parts() if self.minibatches else []
        yield from self.solver._begin(state, self.query, self.loss, parts)
        return Rounds(self.solver)


class Rounds:
    """The descent, round after round; after a stall one slack goes on.

    Attributes
    ----------
    solver : SmoothedLBFGS
    progress : Progress
    """

    def __init__(self, solver: SmoothedLBFGS) -> None:
        self.solver, self.progress = solver, Progress(PATIENCE)

    def passes(self, state: SmoothedState) -> Passes:
        # A gap of rounding errors is no reason to end: those of other planes are smaller.
        while not (self.progress.stalled or self.solver._is_small(state)):
            yield None
            yield from self.solver._round(state)
            self.progress.note(state.gap)
        yield self.solver._evaluate(state)
        if state.examples.may_double:
            return Status.STALLED
        logger.debug("the descent stalled at a gap of %.3g; one slack goes on", state.gap)
        return self.solver._finish(state)


class SmoothedLBFGS(Solver):
    """L-BFGS on the smoothed objective, for problems with a soft oracle.

    The maximum in each slack becomes mu log sum exp(. / mu), the log-partition function of a
    conditional random field, and mu falls as far as the requested gap requires
    (``structsvm.solvers.descent``). Every evaluation is a point of the dual too, so the gap is
    known at each; the dual solution is the best among the planes of some points passed. Examples
    whose true output is almost certain keep their distributions for some steps. Where n times the
    length of w is two million or more, the first steps are on the problem's mini-batches: an ascent
    of the dual (``structsvm.solvers.dual_ascent``), where ``score_outputs``,
    ``sum_expected_difference`` and ``outputs`` are offered, as long as that is fast, else AdaGrad;
    both take one mini-batch after the other, whatever ``n_jobs``.
    Without mini-batches they use a tenth of the examples, and with a w0 there are no such steps.
    Where the problem offers ``sum_soft_curvature``, the coordinates are scaled by the diagonal of
    the Hessian, along the axes that ``curvature_axes`` returns. The objective at the w returned is
    evaluated by the separation oracle.

    Until then ``history`` has upper bounds of the objective, those of the soft slacks. With inputs
    in single precision w is rounded to single precision too, and so are the planes kept, which
    halves the memory.

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
        Largest number of steps; nearly every step is one pass over the data, as is an epoch of
        AdaGrad.

    References
    ----------
    The smoothing is that of Nesterov, Smooth minimization of non-smooth functions, Mathematical
    Programming 103, 2005. It differs in that mu is not set beforehand. The ascent of the dual is
    that of Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss
    minimization, JMLR 14, 2013, by mini-batches with a line search.

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

    def _first_phase(self, state: SmoothedState, query: Vector) -> FirstPass:
        return FirstPass(self, query)

    def _parts(self, state: SmoothedState, query: Vector) -> list[Part]:
        """The mini-batches, where there are enough of them and steps on all are expensive."""
        parts = state.examples.parts() if _is_large(state) and not query.any() else []
        return parts if len(parts) >= FEWEST_PARTS else []

    def _begin(
        self, state: SmoothedState, query: Vector, loss: float, parts: list[Part]
    ) -> Generator[Pass, None, None]:
        """Start the descent, where there are many examples from steps on some of them at a time."""
        examples, objective = state.examples, state.whole
        if _is_large(state) and not (offers(examples.problem, "minibatches") or query.any()):
            size = max(1, int(SAMPLE * examples.n))
            places = np.random.default_rng(0).choice(examples.n, size, replace=False)
            objective = state.whole.of_sample(np.sort(places))
        assert state.best is not None
        # A start may have no loss, and then the objective gives the scale.
        loss = loss or state.best.primal / objective.C
        mu = self._first_mu(objective, query, loss)
        start = (yield from stochastic(state, parts, mu)) if parts else query
        # At w = 0 and so low a temperature only outputs of the largest loss have a probability, and
        # with two classes there is no variance: that of a higher temperature takes its place.
        scaling = objective.scaling(start, mu, mu if start.any() else loss)
        descent = Descent(objective, start, mu, scaling)
        if parts and not descent.point.value <= state.best.primal:  # the steps led astray
            descent = Descent(objective, query, mu, objective.scaling(query, mu, loss))
        state.descent, state.descending = descent, True
        if objective is not state.whole:
            yield from self._descend_sample(state, objective)
            descent.switch(state.whole)

    def _first_mu(self, objective: SoftObjective, query: Vector, loss: float) -> float:
        """The temperature to begin with: relative to the mean loss, and low where outputs are many.

        There smoothing would add more than that to the objective.
        """
        mu = START * loss
        point = objective.at(query, mu)
        added = (point.value - point.expected) / objective.C
        return min(mu, mu * SMOOTHED * loss / added) if added > 0 else mu

    def _descend_sample(
        self, state: SmoothedState, sample: SoftObjective
    ) -> Generator[Pass, None, None]:
        """Descend on the objective of a sample, roughly."""
        descent = state.descent
        for _ in range(SAMPLE_STEPS):
            if descent.gap <= (goal := SAMPLE_RTOL * descent.estimate):
                break
            descent.step()
            descent.dual = sample.planes.solve()
            yield self._step(state)
            if descent.needs_lower_mu(goal):
                state.lower_mu(goal)

    def _round(self, state: SmoothedState) -> Generator[Pass, None, None]:
        """Take up to ROUND steps; near the tolerance, solve the dual and evaluate the primal."""
        descent = state.descent
        for _ in range(ROUND):
            descent.step()
            state.solve_dual_where_due(self._goal(state))
            yield self._step(state)
            if state.gap <= self._goal(state):
                break
            if descent.needs_lower_mu(self._goal(state)):
                # Where the soft oracle does not return P, the estimate may be what is too large.
                if not math.isfinite(descent.point.primal) and descent.objective is state.whole:
                    yield self._evaluate(state)
                if descent.needs_lower_mu(self._goal(state)):
                    state.lower_mu(self._goal(state))
        if descent.objective is not state.whole:
            # Frozen examples may have become uncertain, and only all together give the gap.
            descent.switch(state.whole)
            yield self._step(state)
        state.solve_dual_where_due(self._goal(state))
        if state.gap <= self._goal(state):
            yield self._evaluate(state)
        state.freeze_certain()

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

    def _finish(self, state: SmoothedState) -> Phase:
        """Hand the planes over to one-slack cutting planes."""
        assert state.best is not None
        state.descending = False
        # At a low mu the soft oracle's planes may be too rough to be part of the certificate.
        # The objective may fall as far as the dual value, and the tolerance with it.
        least = max(self.atol, self.rtol * abs(state.dual.value))
        rough = state.dual.rounding > UNCERTAIN * least
        state.switch_to_one_slack(soft=not rough)
        return CuttingPlanes(OneSlackCuttingPlane(self.rtol, self.atol), state.best.w)

    def _close(self, state: SmoothedState, status: Status) -> None:
        if not state.descending or status is Status.CONVERGED:
            return
        w = state.point_to_evaluate()
        self._certify(state, w)
        assert state.best is not None
        if state.best.w is not w:  # its value may be that of the soft slacks
            self._certify(state, state.best.w)

    def _certify(self, state: SmoothedState, w: Vector) -> None:
        """Evaluate P at a point outside of the passes."""
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


def _is_large(state: SmoothedState) -> bool:
    return state.examples.n * state.examples.size >= MANY
