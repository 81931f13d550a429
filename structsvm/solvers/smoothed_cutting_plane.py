"""N-slack cutting planes for an expensive oracle, the restricted problem smoothed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import example_planes
from structsvm.planes.plane import Cuts, SupportPlane, no_cuts
from structsvm.results.status import Status
from structsvm.solvers.base import Solver
from structsvm.solvers.cached_state import CachedState
from structsvm.solvers.consistency import require_any_loss
from structsvm.solvers.descent import Progress
from structsvm.solvers.handover import to_one_slack
from structsvm.solvers.loop import Pass, Passes
from structsvm.solvers.run import Phase

#: Number of portions of the examples; w moves after each.
PORTIONS = 16
#: Between two portions the restricted problem is solved to this fraction of what the last pass
#: added to the slacks,
LOOSE = 0.1
#: or of the tolerance,
TIGHT = 0.1
#: Number of descents after a pass at one w, which finds more at once.
DESCENTS = 2
#: The primal is evaluated once the estimated gap is below this multiple of the tolerance,
NEAR = 2.0
#: or after this fraction of the passes so far,
VISIBLE = 0.1
#: at first after this one.
FIRST = 3


class Portions:
    """Passes that query the examples in portions and descend between them.

    Attributes
    ----------
    solver : SmoothedCuttingPlane
    query : ndarray of shape (size,)
        The point of the first pass.
    progress : Progress
    due : float
        The number of passes after which P is evaluated next.
    """

    def __init__(self, solver: SmoothedCuttingPlane, query: Vector) -> None:
        self.solver, self.query = solver, query
        self.progress, self.due = Progress(), float(FIRST)

    def passes(self, state: CachedState) -> Passes:
        solver, portions = self.solver, _portions(state.examples)
        if state.best is None:
            first = solver._evaluate(state, self.query)
            require_any_loss(state, self.query, first.any_loss)
            yield Pass(state.record(self.query, first), self.query, False)
            state.begin(self.query)
            solver._descend(state)
        while not self.progress.stalled:
            yield None
            yield solver._query_portions(state, portions)
            self.progress.note(state.gap)
            small = state.gap <= NEAR * solver._goal(state)
            if small or len(state.history) >= self.due or self.progress.stalled:
                w = state.descent.point.w
                yield solver._certified(state, solver._evaluate(state, w))
                self.progress.note(state.gap)
                self.due = (1 + VISIBLE) * len(state.history)
                solver._descend(state)
        return solver._finish(state)


def _portions(examples: Examples) -> list[Examples]:
    """The examples in PORTIONS parts.

    At random, as the order of data often has a meaning; always the same, to be reproducible.
    """
    order = np.random.default_rng(0).permutation(examples.n)
    parts = np.array_split(order, min(PORTIONS, len(order)))
    return [examples.subset(np.sort(places)) for places in parts]


class SmoothedCuttingPlane(Solver):
    """N-slack cutting planes for an expensive oracle; the restricted problem is smoothed.

    Every output that the oracle finds is kept for its example. The oracle is called for a
    sixteenth of the examples at a time, and in between w moves to where the problem restricted to
    the outputs found is nearly solved, by L-BFGS on its smoothed objective. That takes few passes
    of the oracle, and more time between them than other solvers do. The objective is evaluated by a
    pass over all examples at one w, after every tenth of the passes so far and when the gap seems
    small enough. In ``history`` the primal value of the passes between is infinite.

    Where the descent stalls, :class:`OneSlackCuttingPlane` continues from the best w, with planes
    that nearly make the dual solution reached. Margin rescaling, and problems without constraints
    or bounds on w. The outputs kept take memory that grows with n and with the number of passes,
    until all that are left have weight in the solution.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`.
    max_iter : int, default=10000
        Largest number of passes over the data.

    References
    ----------
    The cache of outputs is that of Shah, Kolmogorov & Lampert, A multi-plane block-coordinate
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

    keeps_constraints = False
    _state_type = CachedState

    def _use_planes(
        self, state: CachedState, support: Sequence[SupportPlane], factor: float
    ) -> None:
        for planes in example_planes(state.examples, state.labels, support):
            outputs = [source.outputs[0] for source in planes.sources]
            state.cache.add(planes.groups, planes.rows, planes.offsets, outputs)
            state.cache.weights[-len(outputs) :] = factor * planes.alpha / state.cap
        if len(state.cache):
            state.keep_dual()

    def _first_phase(self, state: CachedState, query: Vector) -> Portions:
        return Portions(self, query)

    def _finish(self, state: CachedState) -> Phase | Status:
        """Hand planes over to one-slack cutting planes."""
        following = to_one_slack(self, state)
        state.descending = isinstance(following, Status)
        return following

    def _descend(self, state: CachedState) -> None:
        """Use the outputs found at one w."""
        for _ in range(DESCENTS):
            state.descend(self._looseness(state))

    def _query_portions(self, state: CachedState, portions: list[Examples]) -> Pass:
        """A pass with w moving on after each portion."""
        tolerance, unexplained = self._looseness(state), 0.0
        for some in portions:
            w = state.descent.point.w
            _, _, more = state.query(some, w)
            unexplained += more
            state.descend(tolerance)
        state.unexplained = unexplained
        state.prune()
        state.keep_dual()
        unknown = no_cuts(state.labels, state.examples.size)
        return Pass(state.record(w, unknown), w, False)

    def _certified(self, state: CachedState, cuts: Cuts) -> Pass:
        """The pass that evaluated P at the current point; it may be the last."""
        w = state.descent.point.w
        state.keep_dual()
        iteration = state.record(w, cuts)
        return Pass(iteration, w, self._is_small(state))

    def _close(self, state: CachedState, status: Status) -> None:
        if state.descending and status is not Status.CONVERGED:
            w = state.descent.point.w
            cuts = self._evaluate(state, w)
            state.keep_dual()
            state.consider(w, cuts)

    def _evaluate(self, state: CachedState, w: Vector) -> Cuts:
        """P at w by a pass over all examples; the outputs found there are kept too."""
        outputs, slacks, state.unexplained = state.query(state.examples, w)
        mean, any_loss = slacks.mean(keepdims=True), bool(state.cache.offsets.any())
        return no_cuts(state.labels, state.examples.size, mean, any_loss, outputs)

    def _looseness(self, state: CachedState) -> float:
        """The gap to which the restricted problem is solved between queries."""
        return max(LOOSE * state.unexplained, TIGHT * self._goal(state))

    def _goal(self, state: CachedState) -> float:
        return max(self.atol, self.rtol * abs(state.descent.estimate))
