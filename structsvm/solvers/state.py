"""The state of a run, whatever the solver: the best point, the dual solution, the history."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from structsvm.capabilities import oracle_may_miss
from structsvm.objective import example_cap, group_caps, primal_value
from structsvm.oracle.examples import Examples
from structsvm.planes.constraints import Constraints
from structsvm.planes.example_planes import ExamplePlanes
from structsvm.planes.plane import Cuts, Planes, SupportPlane
from structsvm.planes.working_set import WorkingSet
from structsvm.problem import Vector
from structsvm.status import Iteration

#: Largest relative violation of the problem's constraints at a point that may be the best.
FEASIBLE = 1e-6


class DualSolution(NamedTuple):
    """A point of the dual.

    Attributes
    ----------
    value : float
    alpha : ndarray of shape (m,)
        The dual variable of every plane.
    sources : tuple of Source, SoftSource or None
        What the planes were made from; None for one of the problem's constraints.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the constraints.
    labels : sequence or None
        The labels that the planes are made against.
    """

    value: float
    alpha: Vector
    sources: tuple[Any, ...]
    multipliers: Vector
    labels: Any

    @classmethod
    def zero(cls, labels: Any, n_constraints: int) -> DualSolution:
        """No plane at all: the value 0 is a lower bound for any labels."""
        return cls(0.0, np.empty(0), (), np.zeros(n_constraints), labels)

    @property
    def support(self) -> tuple[SupportPlane, ...]:
        """The planes with alpha > 0, as a result keeps them."""
        return tuple(
            SupportPlane(source, float(alpha))
            for source, alpha in zip(self.sources, self.alpha, strict=True)
            if source is not None and alpha > 0
        )


class Best(NamedTuple):
    """The best point found: its objective, slacks and labels, and the dual solution beside it."""

    w: Vector
    primal: float
    slacks: Vector
    labels: Any
    dual: DualSolution


class State:
    """The state of a run.

    Attributes
    ----------
    examples : Examples
    C : float
    constraints : Constraints
        The problem's own.
    caps : ndarray of shape (n_groups,)
        C_g of :mod:`structsvm.objective`.
    planes : Planes
        The solver's store of planes.
    dual : DualSolution
        The current one.
    best : Best or None
        The best point queried so far.
    history : list of Iteration
    qp_seconds : float
        Time spent in quadratic programs.
    """

    planes: Planes

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        self.examples, self.C = examples, C
        self.constraints = Constraints(
            examples.constraints(), examples.size, examples.lower_bounds()
        )
        self.caps = group_caps(C, sizes)
        self.dual = DualSolution.zero(self.labels, len(self.constraints.b))
        self.best: Best | None = None
        self.history: list[Iteration] = []
        self.qp_seconds = 0.0
        self.started = time.perf_counter()

    @property
    def labels(self) -> Any:
        """The outputs that planes are made against: Y, but where a solver imputes them."""
        return self.examples.Y

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return time.perf_counter() - self.started

    # ------------------------------------------------------------------ the working set

    @property
    def working_set(self) -> WorkingSet:
        """The planes of a solver that solves quadratic programs."""
        assert isinstance(self.planes, WorkingSet)
        return self.planes

    def solve_restricted(self) -> None:
        """Solve the problem restricted to the working set; its dual solution becomes current."""
        start = time.perf_counter()
        planes = self.working_set
        value = planes.solve().dual
        self.dual = DualSolution(
            value, planes.alpha, tuple(planes.sources), planes.multipliers(), self.labels
        )
        self.qp_seconds += time.perf_counter() - start

    # ------------------------------------------------------------------ the best point

    def consider(self, query: Vector, cuts: Cuts) -> float:
        """Let a queried point compete for the best; return its objective."""
        primal = self.objective(query, cuts.slacks)
        if self.best is None:
            self.best = Best(query, primal, cuts.slacks, cuts.labels, self.dual)
            return primal
        best = self.reconsidered(self.best, cuts)
        if primal < best.primal:
            best = Best(query, primal, cuts.slacks, cuts.labels, best.dual)
        # A dual value bounds P for its own labels only: after relabelling, a lower one replaces it.
        if best.dual.labels is not self.dual.labels or best.dual.value < self.dual.value:
            best = best._replace(dual=self.dual)
        self.best = best
        return primal

    def reconsidered(self, best: Best, cuts: Cuts) -> Best:
        """The best point with its slacks raised to what planes found since imply.

        For an undergenerating oracle: else the point at which it missed most would stay the best.
        """
        if not oracle_may_miss(self.examples.problem):
            return best
        slacks = np.maximum(best.slacks, self.planes.slacks(best.w))
        np.maximum.at(slacks, cuts.groups, cuts.offsets - cuts.rows @ best.w)
        return best._replace(primal=self.objective(best.w, slacks), slacks=slacks)

    def objective(self, query: Vector, slacks: Vector) -> float:
        """P at a point; infinite where it violates the constraints, or a slack is unknown."""
        if np.isinf(slacks).any() or self.constraints.largest_violation(query) > FEASIBLE:
            return math.inf
        return primal_value(query, self.caps, slacks)

    def record(self, query: Vector, cuts: Cuts) -> Iteration:
        """Consider a queried point, and add a pass to the history."""
        primal = self.consider(query, cuts)
        assert self.best is not None
        iteration = Iteration(
            iteration=len(self.history) + 1,
            primal=primal,
            best_primal=self.best.primal,
            dual=self.best.dual.value,
            gap=self.best.primal - self.best.dual.value,
            n_planes=len(self.planes),
            oracle_calls=self.examples.tally.calls,
            seconds=self.seconds,
        )
        self.history.append(iteration)
        return iteration


class CuttingPlaneState(State):
    """The state of a run with a working set, which is solved once before the first pass."""

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        self.planes = WorkingSet(self.caps, self.constraints)
        self.solve_restricted()


class ExampleState(State):
    """The state of a run whose planes are kept by example.

    Attributes
    ----------
    cap : float
        C / n, the unit of the planes' weights.
    """

    def __init__(self, examples: Examples, C: float, sizes: Vector) -> None:
        super().__init__(examples, C, sizes)
        self.cap = example_cap(C, examples.n)

    def use_weights(self, planes: ExamplePlanes, value: float) -> None:
        """Make the dual solution of the planes' weights, of this value, the current one."""
        # Solvers that keep planes by example take no constraints, so there are no multipliers.
        self.dual = DualSolution(
            value, self.cap * planes.weights, planes.sources(), np.zeros(0), self.labels
        )
