"""Calls of the oracle on mini-batches, and descent on the planes between the calls."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.objective import example_cap
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import example_planes
from structsvm.planes.plane import Cuts, no_cuts
from structsvm.results.status import Status
from structsvm.solvers.cached_planes.cache import Cache
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.scaling import rough
from structsvm.solvers.lbfgs.soft_objective import START
from structsvm.solvers.restricted import RestrictedObjective
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_any_loss
from structsvm.solvers.shared.program import SPARE, Program
from structsvm.solvers.shared.schedule import Schedule
from structsvm.solvers.shared.stall import Stall

logger = logging.getLogger(__name__)

#: Number of mini-batches that the examples are divided into. After each of them w may move.
MINIBATCHES = 16
#: Number of mini-batches if outputs are pooled and calls are expensive: the time between calls then
#: matters less, and examples try the outputs found for others.
POOLED_MINIBATCHES = 32
#: Largest number of steps of a descent on the restricted problem.
STEPS = 20
#: Largest number of searches of the pool between two queries of the oracle. Outputs are refined
#: once.
ROUNDS = 10
#: Planes whose weight has been negligible for more than this many passes are dropped.
IDLE = 5
#: The first pass throughout which w does not move, so that P is known.
FIRST = 10


class Visit:
    """The slacks at one w of the examples that were queried so far.

    After a query of all examples, the objective at ``w`` is known.

    Attributes
    ----------
    w : ndarray of shape (size,)
        The weights.
    slacks : ndarray of shape (n,)
        The slack of every example; 0 for examples that were not queried.
    unexplained : float
        C/n times the sum, over the queried examples, of the slack minus the slack that the cached
        planes imply.
    """

    def __init__(self, w: Vector, n: int) -> None:
        self.w, self.slacks, self.unexplained = w, np.zeros(n), 0.0
        self._queried = np.zeros(n, dtype=bool)

    def add(self, places: Indices, slacks: Vector, more: float) -> None:
        """Record the slacks of some examples, and by how much they exceed the cache's slacks."""
        self.slacks[places] = slacks
        self.unexplained += more
        self._queried[places] = True

    @property
    def is_complete(self) -> bool:
        """Whether the oracle was called at ``w`` for every example."""
        return bool(self._queried.all())


class CachedPlanes(Algorithm):
    """The algorithm that queries the oracle on mini-batches, and descends between the queries.

    The algorithm changes w when the examples queried so far suggest that the gap is above the
    tolerance. The objective at w is known once all examples were queried at w.

    Parameters
    ----------
    program : Program
    start : Start

    Attributes
    ----------
    cache : Cache
        The outputs that the oracle found, and the planes of these outputs.
    descent : Descent or None
        The descent on the problem restricted to the cached planes. None before the first pass.
    """

    remade = frozenset({"_minibatches"})
    _minibatches: Sequence[Examples] = ()
    descent: Descent[RestrictedObjective] = None  # type: ignore[assignment]

    def __init__(self, program: Program, start: Start) -> None:
        super().__init__(program, start)
        examples = program.examples
        self._cap = example_cap(program.C, examples.n)
        self._visit = Visit(self.point, examples.n)
        self.cache = Cache(program)
        self.planes = self.cache.planes
        many = self.cache.cheap.pool and examples.problem.oracle_cost == "expensive"
        self._n_minibatches = min(POOLED_MINIBATCHES if many else MINIBATCHES, examples.n)
        self._found: list[float] = []  # how much the last mini-batches added to the slacks
        self._next = 0
        self._stall, self._schedule = Stall(), Schedule(FIRST)
        self._add_start(start)

    def _add_start(self, start: Start) -> None:
        """Add the planes of the dual solution from which the run starts."""
        for planes in example_planes(self.program.examples, self.labels, start.support):
            self.cache.planes.add_solution(planes, start.factor / self._cap)
        if len(self.cache.planes):
            self._publish()

    # ------------------------------------------------------------------ the passes

    def step(self, bounds: Bounds) -> Step | Status:
        """Call the oracle for one mini-batch after another; w may change between two calls."""
        passes = len(bounds.history)
        stands = self._stands(passes)
        if stands is None:
            logger.debug("the descent stalled at a gap of %.3g", bounds.gap)
            return Status.STALLED
        if self._visit.is_complete:
            self._move()
        minibatches = self._minibatches = self._minibatches or self._divided()
        for _ in minibatches:
            if not stands and self._is_beyond_tolerance:
                self._move()
            some = self._following(minibatches)
            self._note(some, *self.cache.query(some, self._visit.w))
            if self._visit.is_complete:
                break
        self.cache.planes.prune(IDLE)
        self._publish()
        w, cuts = self._visit.w, self._cuts()
        require_any_loss(self.program.examples, self.labels, w, cuts.any_loss)
        if self._visit.is_complete:
            self._schedule.done(passes + 1)
        return self.found(w, cuts)

    def _stands(self, passes: int) -> bool | None:
        """Return whether w stays the same in the next pass, or None if the descent has stalled."""
        if self.descent is not None:
            self._stall.note(self._gap)
        elif self.cache.cheap.pool:
            self.cache.search_cheaply(self._visit.w)
            self.descent = self._begin()
        elif self._visit.is_complete:
            self.descent = self._begin()
        else:
            return True
        if self._stall.is_reached:
            return None if self._visit.is_complete else True
        return self._schedule.is_overdue(passes)

    def _divided(self) -> list[Examples]:
        """Divide the examples into mini-batches.

        The examples are shuffled, because the order of the data often has a meaning. A fixed seed
        makes the mini-batches reproducible.
        """
        examples = self.program.examples
        order = np.random.default_rng(0).permutation(examples.n)
        minibatches = np.array_split(order, self._n_minibatches)
        return [examples.subset(np.sort(places)) for places in minibatches]

    def _following(self, minibatches: Sequence[Examples]) -> Examples:
        """Return the mini-batch to query next."""
        return minibatches[self._next % len(minibatches)]

    def _note(self, some: Examples, slacks: Vector, more: float) -> None:
        """Record the slacks of a mini-batch, and by how much they exceed the cache's slacks."""
        self._visit.add(some.index, slacks, more)
        self._found = [*self._found, more][-self._n_minibatches :]
        self._next += 1

    def _cuts(self) -> Cuts:
        """Return Cuts without planes, but with the mean slack if all slacks are known."""
        size, known = self.program.examples.size, self._visit.slacks.mean(keepdims=True)
        slacks = known if self._visit.is_complete else None
        any_loss = bool(self.cache.planes.offsets.any())
        return no_cuts(self.labels, size, slacks, any_loss, self.cache.outputs)

    # ------------------------------------------------------------------ the restricted problem

    def _restricted(self) -> RestrictedObjective:
        return RestrictedObjective(self.cache.planes, self._cap)

    def _begin(self) -> Descent[RestrictedObjective]:
        """Start the descent on the restricted problem."""
        # Without planes there is no loss to scale mu by.
        planes = self.cache.planes
        losses = self.program.examples.task.losses_of(planes.offsets, planes.rows)
        mean_loss = float(losses.mean()) if len(planes) else 0.0
        mu = START * (mean_loss or 1.0)
        restricted = self._restricted()
        scaling = rough(self.program.rounding.curvature(mu))
        return Descent(restricted, restricted.at(self._visit.w, mu), mu, scaling)

    def _move(self) -> None:
        """Alternate descents over the stored planes with searches that do not call the oracle."""
        descent = self.descent
        self._descend(descent)
        for _ in range(ROUNDS if self.cache.cheap.pool else 1):
            if self.cache.search_cheaply(descent.point.w) <= self._looseness:
                break
            self._descend(descent)
        self._visit = Visit(descent.point.w, self.program.examples.n)

    def _descend(self, descent: Descent[RestrictedObjective]) -> None:
        """Take steps on the restricted problem until its gap is small enough."""
        gap = self._looseness
        descent.switch(self._restricted())
        for _ in range(STEPS):
            if descent.gap <= gap:
                return
            if descent.needs_lower_mu(gap):
                descent.lower_mu(gap)
            descent.step()

    # ------------------------------------------------------------------ how good it is

    @property
    def _is_beyond_tolerance(self) -> bool:
        """Whether the examples queried so far at the point prove a gap above the tolerance."""
        return self._visit.unexplained + self.descent.gap > self._goal

    @property
    def _unexplained(self) -> float:
        """The sum of the slacks in the last pass, minus the slacks that the cache implies."""
        return sum(self._found)

    @property
    def _gap(self) -> float:
        """The gap that the last pass would have shown if w had not moved."""
        return self._unexplained + self.descent.gap

    @property
    def _looseness(self) -> float:
        """The gap to which the restricted problem is solved between queries."""
        return SPARE * max(self._unexplained, self._goal)

    @property
    def _goal(self) -> float:
        return self.program.allowed(self.descent.estimate)

    # ------------------------------------------------------------------ the certificate

    def _publish(self) -> None:
        """Store the dual solution with the current weights of the planes."""
        dual = self._restricted().dual  # recomputed from the weights: steps add rounding
        alpha = self._cap * self.cache.planes.alpha
        self.publish(dual.value, dual.v, alpha, tuple(self.cache.planes.sources))

    def complete(self, bounds: Bounds) -> Bounds:
        if self.descent is None or self._visit.is_complete:
            return bounds
        minibatches = self._divided()
        while not self._visit.is_complete:
            some = self._following(minibatches)
            self._note(some, *self.cache.query(some, self._visit.w))
        self._publish()
        return self.program.considered(bounds, self.found(self._visit.w, self._cuts()))[0]

    def handover(self, bounds: Bounds) -> Start:
        return Start(bounds.w, planes=self.cache.planes.shared(self.labels, self.program.C))
