"""The state of one training."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.constraints import Constraints
from structsvm.objective import group_caps, primal_value
from structsvm.oracle import BoundProblem
from structsvm.outcome import Iteration
from structsvm.planes import Restricted, WorkingSet
from structsvm.problem import Vector
from structsvm.result import SupportPlane
from structsvm.separation import Cuts


class DualSide(NamedTuple):
    """A dual solution: its value, the dual variables of planes and constraints, and the labels."""

    value: float
    alpha: Vector
    sources: tuple[Any, ...]
    multipliers: Vector
    labels: Any

    @property
    def support(self) -> tuple[SupportPlane, ...]:
        """The planes that it is made of, as the result keeps them."""
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
    dual: DualSide


class Run:
    """The state of one training.

    Attributes
    ----------
    labels : sequence
        What the planes are made against: Y, or the labels imputed last.
    restricted : Restricted
        The optimum of the problem restricted to the working set.
    w : ndarray
        Where that optimum is.
    dual : DualSide
        The dual solution there.
    best : Best or None
        The best point queried so far.
    outputs : sequence or None
        What was found last for every example.
    searching : bool
        Whether labels are imputed at every query (CCCP's first phase).
    """

    def __init__(self, bound: BoundProblem, C: float, sizes: Vector) -> None:
        self.bound, self.C, self.labels = bound, C, bound.Y
        constraints = Constraints(bound.constraints(), bound.size, bound.lower_bounds())
        self.working_set = WorkingSet(group_caps(C, sizes), constraints)
        self.best: Best | None = None
        self.outputs: Sequence[Any] | None = None
        self.history: list[Iteration] = []
        self.searching = False
        self.qp_seconds = 0.0
        self.started = time.perf_counter()
        self.solve()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    @property
    def n_planes(self) -> int:
        """How many planes are kept."""
        return len(self.working_set)

    def known_slacks(self, w: Vector) -> Vector:
        """Each group's mean slack at w as far as the planes kept can tell."""
        return self.working_set.slacks(w)

    def magnitude(self, w: Vector) -> float:
        """The size of the terms whose difference a slack at w is, for rounding."""
        return self.working_set.magnitude(w)

    def solve(self) -> Restricted:
        """Solve the restricted problem; moves ``restricted``, ``w`` and ``dual``."""
        start = time.perf_counter()
        planes = self.working_set
        self.restricted = planes.solve()
        self.w = self.restricted.w
        self.dual = self._dual_side(self.restricted.dual)
        self.qp_seconds += time.perf_counter() - start
        return self.restricted

    def _dual_side(self, value: float) -> DualSide:
        planes = self.working_set
        return DualSide(
            value, planes.alpha, tuple(planes.sources), planes.multipliers(), self.labels
        )

    def set_dual(self, value: float, alpha: Vector, sources: tuple[Any, ...]) -> None:
        """Let ``dual`` be a solution that was found outside the working set."""
        none = np.zeros_like(self.dual.multipliers)
        self.dual = DualSide(value, alpha, sources, none, self.labels)

    def planes_against(self, labels: Any) -> tuple[Vector, Vector]:
        """Rows and offsets of all planes, made against other labels."""
        planes = self.working_set
        made = planes.sourced
        previous = (self.labels, planes.rows[made], planes.offsets[made])
        return self.made_against(labels, [planes.sources[j] for j in made], previous)

    def made_against(
        self, labels: Any, sources: Sequence[Any], previous: Any = None
    ) -> tuple[Vector, Vector]:
        """The planes that some sources make against labels."""
        if not len(sources):
            return np.empty((0, self.bound.size)), np.empty(0)
        passes = [source.outputs for source in sources]
        weights = np.array([source.weights for source in sources])
        return self.bound.relabelled_planes(labels, passes, weights, previous)

    def accept(self, labels: Any, rows: Vector, offsets: Vector) -> None:
        """Go over to these labels, and to the planes made against them."""
        self.working_set.replace(self.working_set.sourced, rows, offsets)
        self.labels = labels

    def hold(self, labels: Any, w: Vector, slacks: Vector) -> None:
        """Go over to labels, and make w, with its slacks against them, the best point for them."""
        self.accept(labels, *self.planes_against(labels))
        self.solve()
        if self._may_miss:
            slacks = np.maximum(slacks, self.known_slacks(w))
        self.best = Best(w, self.objective(w, slacks), slacks, labels, self.dual)

    def consider(self, query: Vector, cuts: Cuts) -> float:
        """Let a point that was queried compete for the best; returns its objective."""
        primal = self.objective(query, cuts.slacks)
        if self.best is None:
            self.best = Best(query, primal, cuts.slacks, cuts.labels, self.dual)
            return primal
        best = self._reconsidered(self.best, cuts) if self._may_miss else self.best
        if primal < best.primal:
            best = Best(query, primal, cuts.slacks, cuts.labels, best.dual)
        if best.dual.labels is not self.dual.labels or best.dual.value < self.dual.value:
            best = best._replace(dual=self.dual)
        self.best = best
        return primal

    @property
    def _may_miss(self) -> bool:
        return self.bound.problem.oracle_quality == "undergenerating"

    def _reconsidered(self, best: Best, cuts: Cuts) -> Best:
        """The best point with its slacks raised to what has been found since.

        Else the point at which the oracle missed most would stay the best.
        """
        if self.searching:  # the planes are made against other labels than the best point's
            return best
        slacks = np.maximum(best.slacks, self.known_slacks(best.w))
        np.maximum.at(slacks, cuts.groups, cuts.offsets - cuts.rows @ best.w)
        return best._replace(primal=self.objective(best.w, slacks), slacks=slacks)

    def objective(self, query: Vector, slacks: Vector) -> float:
        """P at a query point; infinite where it breaks the problem's constraints."""
        if np.isinf(slacks).any():
            return math.inf
        if self.working_set.constraints.largest_violation(query) > 1e-6:
            return math.inf
        return primal_value(query, self.working_set.caps[:-1], slacks)
