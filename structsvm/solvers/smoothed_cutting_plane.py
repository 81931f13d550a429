"""N-slack cutting planes for an expensive oracle, the restricted problem smoothed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import example_planes
from structsvm.planes.example_planes import StackedPlanes
from structsvm.planes.plane import ROUNDING, Cuts, Source, SupportPlane, no_cuts
from structsvm.planes.working_set import WorkingSet
from structsvm.problem import Vector
from structsvm.solvers.base import Solver
from structsvm.solvers.consistency import require_any_loss, require_unbeaten
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.descent import START, Descent, DualLine, Point, Progress
from structsvm.solvers.loop import Pass, Passes
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.run import Phase
from structsvm.solvers.scaling import rough
from structsvm.solvers.state import ExampleState
from structsvm.status import Status

#: Number of portions of the examples; w moves after each.
PORTIONS = 16
#: Between two portions the restricted problem is solved to this fraction of what the last pass
#: added to the slacks,
LOOSE = 0.1
#: or of the tolerance,
TIGHT = 0.1
#: or for this many steps,
STEPS = 20
#: or, after a pass at one w, which finds more at once, for this many times as many.
DESCENTS = 2
#: The primal is evaluated once the estimated gap is below this multiple of the tolerance,
NEAR = 2.0
#: or after this fraction of the passes so far,
VISIBLE = 0.1
#: at first after this one.
FIRST = 3
#: Planes whose weight has been negligible for more than this many passes are dropped.
IDLE = 5
#: Number of one-slack planes that the dual solution is handed over as, after a stall.
SEEDS = 16


class RestrictedObjective:
    """The smoothed objective with the slacks that some planes imply, for :class:`Descent`.

    Parameters
    ----------
    planes : StackedPlanes
        Their weights follow the dual solution.
    cap : float
        C / n.

    Attributes
    ----------
    dual : DualLine
    """

    def __init__(self, planes: StackedPlanes, cap: float) -> None:
        self.planes, self.cap = planes, cap
        self.dual = DualLine(cap * (planes.weights @ planes.rows), self._linear(planes.weights))
        # Numbered without those that have no plane.
        active, self._example = np.unique(planes.examples, return_inverse=True)
        self._n = len(active)

    def at(self, w: Vector, mu: float) -> Point:
        planes, cap = self.planes, self.cap
        violations = planes.violations(w)
        slacks = np.zeros(self._n)
        np.maximum.at(slacks, self._example, violations)
        # Relative to the slacks, so that no exponential overflows; the true output has exp(0).
        p = np.exp((violations - slacks[self._example]) / mu)
        partition = np.exp(-slacks / mu) + np.bincount(self._example, p)
        p /= partition[self._example]
        soft = slacks + mu * np.log(partition)
        return Point.of(
            w,
            v=cap * (p @ planes.rows),
            linear=self._linear(p),
            slack=cap * float(slacks.sum()),
            soft_slack=cap * float(soft.sum()),
            soft_slacks=soft,
            distribution=p,
        )

    def least_mu(self, w: Vector) -> float:
        return 0.0  # the exponentials are of differences that are known to their own rounding

    def keep(self, point: Point) -> float:
        length = self.dual.move(point)
        self.planes.weights += length * (point.distribution - self.planes.weights)
        return self.dual.value

    def _linear(self, weights: Vector) -> float:
        return self.cap * float(weights @ self.planes.offsets)


class CachedState(ExampleState):
    """The state of a run with a cache of outputs.

    Attributes
    ----------
    planes : StackedPlanes or WorkingSet
        The cache; after a stall the working set that continues.
    descent : Descent
        On the problem restricted to the cache; it is set once there are planes.
    descending : bool
        Whether it has begun, and has not stalled.
    unexplained : float
        What the oracle found in the last pass beyond the slacks that the cache implied, in units
        of the objective.
    """

    planes: StackedPlanes | WorkingSet
    descent: Descent
    descending = False

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        self.planes = StackedPlanes(examples.n, examples.size)
        self.unexplained = math.inf

    @property
    def cache(self) -> StackedPlanes:
        """The planes, before a stall."""
        assert isinstance(self.planes, StackedPlanes)
        return self.planes

    @property
    def gap(self) -> float:
        """The gap, had w stood still during the last pass."""
        return self.unexplained + self.descent.gap

    def query(self, some: Examples, w: Vector) -> tuple[Sequence[Any], Vector, float]:
        """Call the oracle for some examples at w, and keep what is new.

        Returns its outputs, their slacks, and how much of them the cache did not imply, in units of
        the objective.
        """
        cache = self.cache
        known, magnitude = cache.example_slacks(w)[some.index], cache.magnitude(w)
        found = find_violated(some, some.Y, w, known + ROUNDING * (1 + magnitude))
        error = self.examples.n * self.rounding.of_slack(w)
        require_unbeaten(self.examples.problem, known, found.slacks, magnitude, some.index, error)
        new = found.violated
        outputs = [found.outputs[i] for i in new.tolist()]
        cache.add(some.index[new], found.rows, found.losses[new], outputs)
        slacks = np.maximum(found.slacks, known)
        # Rounded, so that the last bits of the data do not change the path.
        return found.outputs, slacks, float(np.float32(self.cap * (slacks - known)[new].sum()))

    def begin(self, w: Vector) -> None:
        """Start the descent on the restricted problem at w."""
        # Without any plane at w0 there is no loss to scale mu by.
        mean_loss = float(self.cache.offsets.mean()) if len(self.cache) else 1.0
        mu = START * mean_loss
        self.descent = Descent(self._restricted(), w, mu, rough(self.rounding.curvature(mu)))
        self.descending = True

    def descend(self, tolerance: float) -> None:
        """Solve the restricted problem to this gap, or for STEPS steps."""
        descent = self.descent
        descent.switch(self._restricted())
        for _ in range(STEPS):
            if descent.gap <= tolerance:
                return
            if descent.needs_lower_mu(tolerance):
                descent.lower_mu(tolerance)
            descent.step()

    def _restricted(self) -> RestrictedObjective:
        return RestrictedObjective(self.cache, self.cap)

    def prune(self) -> None:
        """Drop planes whose weight has long been negligible."""
        self.cache.prune(IDLE)

    def keep_dual(self) -> None:
        """Make the dual solution of the descent that of the run."""
        dual = self._restricted().dual  # recomputed from the weights: steps add rounding
        self.use_weights(self.cache, dual.v, dual.linear)

    def switch_to_one_slack(self) -> None:
        """Put a working set in place of the cache: planes that nearly make the dual solution."""
        cache, n = self.cache, self.examples.n
        chosen = cache.labellings(SEEDS)
        sources, found = [], cache.outputs
        for planes in chosen:
            weights, outputs = np.zeros(n), [self.labels[i] for i in range(n)]
            weights[cache.examples[planes]] = 1 / n
            for j in np.flatnonzero(planes):
                outputs[cache.examples[j]] = found[j]
            sources.append(Source(None, outputs, weights))
        means = sparse.csr_matrix(chosen / n)
        rows = means @ cache.rows
        rows = rows.toarray() if sparse.issparse(rows) else rows
        planes = WorkingSet(self.caps, self.constraints)
        planes.add(rows, means @ cache.offsets, np.zeros(SEEDS, dtype=np.intp), sources)
        planes.spread()
        self.planes = planes
        self.solve_restricted()


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
        if not state.history:
            first = solver._evaluate(state, self.query)
            require_any_loss(self.query, first.any_loss)
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

    def _finish(self, state: CachedState) -> Phase:
        """Hand planes over to one-slack cutting planes."""
        state.descending = False
        state.switch_to_one_slack()
        assert state.best is not None
        return CuttingPlanes(OneSlackCuttingPlane(self.rtol, self.atol), state.best.w)

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
