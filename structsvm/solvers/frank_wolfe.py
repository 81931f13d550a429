"""The block-coordinate Frank-Wolfe method, with a cache of planes for every example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import checked_generator, require_integer
from structsvm.objective import unbounded_dual_value
from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import example_planes
from structsvm.planes.example_planes import ListedPlanes, OwnPlanes, Row
from structsvm.planes.plane import (
    ROUNDING,
    Cuts,
    SupportPlane,
    WeightedPlanes,
    longest_row,
    magnitude,
    no_cuts,
)
from structsvm.planes.working_set import WorkingSet
from structsvm.results.status import Status
from structsvm.solvers.averaged_point import AveragedPoint
from structsvm.solvers.base import Solver
from structsvm.solvers.consistency import require_any_loss, require_unbeaten
from structsvm.solvers.descent import Progress
from structsvm.solvers.handover import to_one_slack
from structsvm.solvers.loop import Pass, Passes
from structsvm.solvers.state import ExampleState

#: Largest number of passes over the cache after a pass of the oracle.
CACHE_PASSES = 30
#: They end where one raises the dual by less than this fraction of what the oracle's pass did.
WORTHWHILE = 0.03
#: The primal is evaluated once the sum of the examples' gaps is below this multiple of the
#: tolerance: the gaps are as of each example's last visit, so they only estimate the gap.
NEAR = 1.5
#: The steps end where this many passes have hardly lowered the sum of the examples' gaps.
PATIENCE = 100
#: A plane is dropped after a pass where its weight is below this fraction of the largest.
NEGLIGIBLE = 1e-8


class FrankWolfeState(ExampleState):
    """The state of a run of block-coordinate Frank-Wolfe steps.

    Attributes
    ----------
    planes : ListedPlanes or WorkingSet
        The cache; after a stall the working set that continues.
    path : AveragedPoint
        The w of the dual solution, and the weighted average of the points passed.
    linear : float
        The linear term of the dual.
    gaps : ndarray of shape (n,)
        The gap of every example when it was last visited; infinite before.
    longest : float
        The norm of the longest row found.
    """

    planes: ListedPlanes | WorkingSet

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        self.planes = ListedPlanes(examples.n)
        self.path, self.linear = AveragedPoint(examples.size), 0.0
        self.gaps: Vector = np.full(examples.n, np.inf)
        self.longest = 0.0

    @property
    def cache(self) -> ListedPlanes:
        """The planes, before a stall."""
        assert isinstance(self.planes, ListedPlanes)
        return self.planes

    @property
    def value(self) -> float:
        """The dual."""
        return unbounded_dual_value(self.path.w, self.linear)

    def query(self, some: Examples, w: Vector) -> tuple[list[Row], Vector]:
        """Call the oracle for some examples at w.

        Returns their planes, and their slacks as far as these and earlier planes imply.
        """
        own = [self.cache[i] for i in some.index.tolist()]
        known = np.array([planes.most_violated(w)[1] for planes in own])
        found = find_violated(some, some.Y, w, np.full(some.n, -np.inf))
        self.longest = max(self.longest, longest_row(found.rows))
        size = magnitude(found.losses, self.longest, w)
        error = self.examples.n * self.rounding.of_largest_slack(w)
        require_unbeaten(some, some.Y, w, known, found.slacks, size, error)
        rows = [
            Row.of(found.rows, k, float(found.losses[k]), found.outputs[k]) for k in range(some.n)
        ]
        return rows, np.maximum(found.slacks, known)

    def use(self, planes: WeightedPlanes, weights: Vector) -> None:
        """Add planes of single examples with these weights."""
        for k, (i, source) in enumerate(zip(planes.groups.tolist(), planes.sources, strict=True)):
            own, loss = self.cache[i], float(planes.offsets[k])
            place = own.add(Row.of(planes.rows, k, loss, source.outputs[0]))
            own.weights[place] = weights[k]

    def visit(self, i: int, row: Row | None) -> None:
        """A step of example i towards its most violated plane; a new one may be among them."""
        planes, w = self.cache[i], self.path.w
        best, violation = planes.most_violated(w)
        if row is not None:
            found = row.violation(w)
            if found > violation + ROUNDING * (row.loss + abs(row.loss - found)):
                best, violation = planes.add(row), found
        # The example's term of the duality gap: its slack less what its dual variables attain.
        gap = self.cap * (violation - planes.mean_violation(w))
        if row is not None:
            self.gaps[i] = max(gap, 0.0)
        if gap > 0:
            self._move(planes, best, violation)

    def _move(self, planes: OwnPlanes, best: int, violation: float) -> None:
        """Move weight from the least violated plane that has some to the most violated one."""
        worst, least = planes.least_violated(self.path.w)
        # A place of -1 is that of the true output, whose plane is 0.
        moved = [(place, sign) for place, sign in ((best, 1.0), (worst, -1.0)) if place >= 0]
        direction = [(planes.rows[place], sign) for place, sign in moved]
        # The dual is quadratic on the way, so the best step has a closed form.
        curvature = self.cap * self.path.squared_norm(direction)
        most = planes.weights[worst] if worst >= 0 else max(0.0, 1 - float(planes.weights.sum()))
        length = min(most, (violation - least) / curvature) if curvature else most
        for place, sign in moved:
            planes.weights[place] += sign * length
        self.path.step(direction, self.cap * length)
        self.linear += self.cap * length * sum(sign * row.loss for row, sign in direction)

    def renew(self) -> None:
        """Drop planes of negligible weight, and recompute the dual solution: steps add rounding."""
        v, linear = np.zeros(self.examples.size), 0.0
        negligible = NEGLIGIBLE * self.cache.weights.max(initial=0.0)
        for i in range(self.examples.n):
            self.cache[i].prune(negligible)
            linear += self.cache[i].add_sums(v)
        self.path.w, self.linear = self.cap * v, self.cap * linear

    def keep_dual(self) -> None:
        """Make the dual solution of the planes that of the run."""
        self.renew()
        self.use_weights(self.cache, self.path.w, self.linear)


class Visits:
    """Passes that visit the examples in turn; P is evaluated where the gap may be small.

    Attributes
    ----------
    solver : BlockCoordinateFrankWolfe
    query : ndarray of shape (size,)
        The point of the first pass.
    rng : numpy.random.Generator
        Draws the order of the examples.
    idle : int
        Passes in a row that did not raise the dual; one may be bad luck of the order.
    progress : Progress
    """

    def __init__(self, solver: BlockCoordinateFrankWolfe, query: Vector) -> None:
        self.solver, self.query = solver, query
        self.rng = checked_generator(solver.random_state)
        self.idle, self.progress = 0, Progress(PATIENCE)

    def passes(self, state: FrankWolfeState) -> Passes:
        solver = self.solver
        if state.best is None:
            first = solver._evaluate(state, self.query)
            require_any_loss(state, self.query, first.any_loss)
            yield Pass(state.record(self.query, first), self.query, False)
        while self.idle < 2 and not self.progress.stalled:
            yield None
            before = state.value
            solver._visit_all(state, self.rng)
            state.keep_dual()
            unknown = no_cuts(state.labels, state.examples.size)
            w = state.path.average
            yield Pass(state.record(w, unknown), w, False)
            self.idle = self.idle + 1 if state.value <= before else 0
            self.progress.note(float(state.gaps.sum()))
            goal = max(solver.atol, solver.rtol * abs(state.value))
            if state.gaps.sum() <= NEAR * goal or self.idle:
                # Where steps no longer rise, the dual solution's own w is the better of the two.
                w = state.path.w.copy() if self.idle else state.path.average
                cuts = solver._evaluate(state, w)
                state.keep_dual()
                yield Pass(state.record(w, cuts), w, solver._is_small(state))
        return to_one_slack(solver, state)


class BlockCoordinateFrankWolfe(Solver):
    """The block-coordinate Frank-Wolfe method, one example at a time.

    The oracle is called for one example at the current w. Among the example's outputs dual weight
    moves from the least violated to the most violated one, by exact line search (a pairwise step).
    A pass of the oracle is followed by passes over the outputs that were found before, as long as
    they raise the dual. The point returned is the
    average over the steps, later ones weighing more; the objective is evaluated there, by a pass
    over all examples, once the gap seems small enough. Where the steps no longer lower the gap, as
    at a large C, :class:`OneSlackCuttingPlane` continues from the best w, with planes that nearly
    make the dual solution reached. With a w0 the first pass is made there; the dual starts at 0
    all the same. Margin rescaling, and problems without constraints or bounds
    on w. A step takes the time of the entries of two sparse joint-feature differences, whatever
    the length of w; a call of the oracle takes a few sums as long as w.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`.
    max_iter : int, default=10000
        Largest number of passes over the data.
    batch_size : int, default=1
        Number of examples for which the oracle is called at one w, >= 1: more make use of the
        problem's batch forms, and take fewer sums as long as w, but the later ones move towards
        slightly outdated outputs. On text, 20 save most of the time of a pass.
    sampling : {'permutation', 'gap'}, default='permutation'
        'gap' visits examples, in every other pass, in proportion to the gap that each had when it
        was last visited.
    random_state : int or numpy.random.Generator, default=0
        Seeds the order of the examples.

    References
    ----------
    Lacoste-Julien, Jaggi, Schmidt & Pletscher, Block-coordinate Frank-Wolfe optimization for
    structural SVMs, ICML 2013. The cache is that of Shah, Kolmogorov & Lampert, CVPR 2015, with
    another rule for its passes; sampling by gaps and pairwise steps are those of Osokin et al.,
    Minding the gaps for block Frank-Wolfe optimization of structured SVMs, ICML 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import BlockCoordinateFrankWolfe
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = BlockCoordinateFrankWolfe().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    keeps_constraints = False
    _state_type = FrankWolfeState

    def __init__(
        self,
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        batch_size: int = 1,
        sampling: str = "permutation",
        random_state: Any = 0,
    ) -> None:
        super().__init__(rtol, atol, max_iter, time_limit)
        self.batch_size = batch_size
        self.sampling = sampling
        self.random_state = random_state

    def _use_planes(
        self, state: FrankWolfeState, support: Sequence[SupportPlane], factor: float
    ) -> None:
        for planes in example_planes(state.examples, state.labels, support):
            state.use(planes, factor * planes.alpha / state.cap)
        if len(state.planes):
            state.keep_dual()

    def _first_phase(self, state: FrankWolfeState, query: Vector) -> Visits:
        return Visits(self, query)

    def _visit_all(self, state: FrankWolfeState, rng: np.random.Generator) -> None:
        """A pass of the oracle, some examples at a time, then passes over the cache."""
        before = state.value
        order = self._order(state, rng)
        for start in range(0, len(order), self.batch_size):
            some = state.examples.subset(np.sort(order[start : start + self.batch_size]))
            rows, _ = state.query(some, state.path.w)
            for i, row in zip(some.index.tolist(), rows, strict=True):
                state.visit(i, row)
        gained = state.value - before
        for _ in range(CACHE_PASSES):
            before = state.value
            for i in rng.permutation(state.examples.n).tolist():
                state.visit(i, None)
            if state.value - before < WORTHWHILE * gained:
                break

    def _order(self, state: FrankWolfeState, rng: np.random.Generator) -> Indices:
        """The examples of the next pass; every other one visits all, so that no gap is outdated."""
        n = state.examples.n
        fraction = state.gaps / max(state.gaps.sum(), np.finfo(float).tiny)
        every = self.sampling == "permutation" or len(state.history) % 2 or fraction.sum() < 0.5
        if every:
            return rng.permutation(n)
        return rng.choice(n, n, p=fraction / fraction.sum())

    def _close(self, state: FrankWolfeState, status: Status) -> None:
        visiting = isinstance(state.planes, ListedPlanes) and state.path.steps
        if visiting and status is not Status.CONVERGED:
            w = state.path.average
            cuts = self._evaluate(state, w)
            state.keep_dual()
            state.consider(w, cuts)

    def _evaluate(self, state: FrankWolfeState, w: Vector) -> Cuts:
        """P at w by a pass over all examples; the outputs found there are used too."""
        rows, slacks = state.query(state.examples, w)
        mean, any_loss = slacks.mean(keepdims=True), any(row.loss > 0 for row in rows)
        outputs = [row.output for row in rows]
        cuts = no_cuts(state.labels, state.examples.size, mean, any_loss, outputs)
        state.measure_terms(cuts)  # before steps, whose squares may overflow
        for i, row in enumerate(rows):
            state.visit(i, row)
        return cuts

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        require_integer("batch_size", self.batch_size, least=1)
        if self.sampling not in ("permutation", "gap"):
            raise ValueError(f"sampling must be 'permutation' or 'gap'; got {self.sampling!r}")
