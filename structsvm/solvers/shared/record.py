"""The record of a run: the best point, the dual solution, the history."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Vector
from structsvm.objective import group_caps, primal_value
from structsvm.objective.rounding import Rounding, unit_roundoff
from structsvm.oracle.cuts import term_sizes
from structsvm.oracle.examples import Examples
from structsvm.planes.constraints import FEASIBLE
from structsvm.planes.plane import Cuts, Planes, SupportPlane, weight_of
from structsvm.results.status import Iteration

#: Fraction of the tolerance that the errors of an inner problem may take.
SPARE = 0.1


class DualSolution(NamedTuple):
    """A point of the dual.

    Attributes
    ----------
    value : float
        A lower bound of the dual value: less its rounding error.
    rounding : float
        The rounding error. If it exceeded the value, the solution was replaced by 0, and this is
        the error that caused it.
    alpha : ndarray of shape (m,)
        The dual variable of every plane.
    sources : tuple of Source, SoftSource or None
        What the planes were made from; None for one of the problem's constraints.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the constraints.
    size : float
        The norm of the part of v that oracles made, which constraints may cancel.
    labels : sequence or None
        The labels that the planes are made against.
    """

    value: float
    rounding: float
    alpha: Vector
    sources: tuple[Any, ...]
    multipliers: Vector
    size: float
    labels: Any

    @classmethod
    def zero(cls, labels: Any, n_constraints: int, rounding: float = 0.0) -> DualSolution:
        """Return the solution without planes, whose value 0 is a bound for any labels."""
        return cls(0.0, rounding, np.empty(0), (), np.zeros(n_constraints), 0.0, labels)

    @property
    def support(self) -> tuple[SupportPlane, ...]:
        """The planes with alpha > 0, as a result keeps them."""
        return tuple(
            SupportPlane(source, float(alpha))
            for source, alpha in zip(self.sources, self.alpha, strict=True)
            if source is not None and alpha > 0
        )


class Best(NamedTuple):
    """The best point found, relative to the prior, and the dual solution beside it.

    Attributes
    ----------
    w : ndarray of shape (size,)
    primal : float
        An upper bound of P(w): its rounding error is added.
    rounding : float
        The rounding error.
    slacks : ndarray of shape (n_groups,)
    labels : sequence or None
    dual : DualSolution
    """

    w: Vector
    primal: float
    rounding: float
    slacks: Vector
    labels: Any
    dual: DualSolution

    @property
    def gap(self) -> float:
        """The duality gap, rounding errors included."""
        return self.primal - self.dual.value

    @property
    def gap_rounding(self) -> float:
        """The rounding errors in the gap."""
        return self.rounding + self.dual.rounding


class Record:
    """The best point, the dual solution and the history of a run, which algorithms publish to it.

    Parameters
    ----------
    examples : Examples
    C : float
    rtol, atol : float
        The tolerance of the run.
    sizes : ndarray of shape (n_groups,), optional
        Number of examples that share each slack. Default: all share one.

    Attributes
    ----------
    constraints : Constraints
        The problem's own.
    caps : ndarray of shape (n_groups,)
        C_g of :mod:`structsvm.objective`.
    labels : sequence or None
        The outputs that planes are made against: Y, or the labels imputed last.
    planes : Planes
        The planes of the algorithm at work.
    dual : DualSolution
        The current dual solution.
    best : Best or None
        The best point queried so far.
    history : list of Iteration
    loss : float
        The mean loss of the outputs found in the first pass: the scale of the objective.
    qp_seconds : float
        Time spent in quadratic programs.
    qp_rounding : float
        The rounding error of the last quadratic program, in units of the objective.
    rounding : Rounding
        The errors of primal and dual values.
    """

    planes = Planes()

    def __init__(
        self,
        examples: Examples,
        C: float,
        rtol: float = 1e-3,
        atol: float = 0.0,
        sizes: Vector | None = None,
    ) -> None:
        self.examples, self.C, self.rtol, self.atol = examples, C, rtol, atol
        self.constraints = examples.constraints()
        self.sizes = np.array([float(examples.n)]) if sizes is None else sizes
        self.caps = group_caps(C, self.sizes)
        missed = examples.problem.roundoff or 0.0
        self.rounding = Rounding(
            C, examples.size, unit_roundoff(examples.X), missed, examples.prior
        )
        self._measure_at = 1
        self.labels: Any = examples.Y
        self.dual = DualSolution.zero(self.labels, len(self.constraints.b))
        self.best: Best | None = None
        self.history: list[Iteration] = []
        self.loss = 0.0
        self.qp_seconds = self.qp_rounding = 0.0
        self.started = time.perf_counter()

    def continue_from(self, other: Record) -> None:
        """Take over the history of an earlier part of the run, and the time that it took."""
        self.history, self.qp_seconds = other.history, self.qp_seconds + other.qp_seconds
        self.started = other.started

    def __getstate__(self) -> dict[str, Any]:
        """The attributes, with the time that the run has taken in place of its start."""
        return {**vars(self), "started": -self.seconds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "started": time.perf_counter() + state["started"]})

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return time.perf_counter() - self.started

    # ------------------------------------------------------------------ the tolerance

    def allowed(self, value: float) -> float:
        """The gap that the tolerance allows at this value of the objective."""
        return max(self.atol, self.rtol * abs(value)) if math.isfinite(value) else self.atol

    @property
    def tolerance(self) -> float:
        """The gap that is small enough for the best point."""
        return self.allowed(self.found.primal)

    @property
    def is_small(self) -> bool:
        """Whether the gap is within the tolerance, or consists of rounding errors."""
        best = self.found
        # Either dual solution may become better: the lesser error decides.
        error = best.rounding + min(best.dual.rounding, self.dual.rounding)
        return best.gap <= max(self.tolerance, 2 * error)

    # ------------------------------------------------------------------ the dual solution

    def publish(
        self,
        value: float,
        v: Vector,
        alpha: Vector,
        sources: tuple[Any, ...],
        multipliers: Vector | None = None,
        size: float = 0.0,
        constraint_terms: float = 0.0,
    ) -> None:
        """Publish a dual solution, of this value at v, as the current one.

        ``size`` and ``constraint_terms`` are sizes of terms (:class:`DualSolution`,
        :class:`structsvm.objective.rounding.Rounding`); without ``multipliers`` there are no
        constraints.
        """
        multipliers = np.zeros(0) if multipliers is None else multipliers
        weight = weight_of(zip(sources, alpha.tolist(), strict=True), self.rounding)
        error = self.rounding.of_dual(v, weight, constraint_terms)
        if value > error:
            rest = alpha, sources, multipliers, size, self.labels
            self.dual = DualSolution(value - error, error, *rest)
        else:  # no plane at all is a better bound
            self.dual = DualSolution.zero(self.labels, len(multipliers), error)

    # ------------------------------------------------------------------ rounding errors

    def magnitude(self, w: Vector, planes: float = 0.0) -> float:
        """The size of the terms of a slack at w; ``planes`` is their size in the planes kept."""
        return max(planes, self.rounding.terms.at(w))

    def error_of_one(self, some: Examples, outputs: Any, w: Vector) -> float:
        """The rounding error of the slack of one of some examples, whose outputs these are."""
        # In the first pass nothing is measured yet, and the products with a prior may cancel.
        unknown = self.best is None and some.prior is not None
        terms = term_sizes(some, some.Y, outputs) if unknown else None
        return self.examples.n * self.rounding.of_largest_slack(w, terms)

    def measure_terms(self, cuts: Cuts) -> None:
        """Measure the terms of the slacks at a pass; the best point's error may grow by that.

        Raises a ValueError where they are too large.
        """
        number = len(self.history) + 1
        if cuts.outputs is None or number < self._measure_at:
            return
        # At passes 1, 2, 4, ...: the terms change little, and measuring them is half a pass.
        self._measure_at = 2 * number
        first = self.best is None  # the joint features of the true outputs do not change
        self.rounding.observe(term_sizes(self.examples, cuts.labels, cuts.outputs, whole=first))
        if self.best is not None and math.isfinite(self.best.primal):
            w, _, _, slacks, labels, dual = self.best
            self.best = self._point(w, slacks, labels, dual)

    def _point(self, w: Vector, slacks: Vector, labels: Any, dual: DualSolution) -> Best:
        primal, error = self._primal(w, slacks, dual)
        return Best(w, primal, error, slacks, labels, dual)

    def _primal(self, w: Vector, slacks: Vector, dual: DualSolution) -> tuple[float, float]:
        """P at a point with its error, and that error.

        Infinite where the point violates the constraints, or a slack is unknown.
        """
        # What P(w) may be too low by, against the lowest value at a feasible point.
        error = self.rounding.of_primal(w)
        if not self.constraints.free:
            error += self.constraints.cost(w, dual.multipliers)
        if np.isinf(slacks).any() or not self.is_feasible(w, dual):
            return math.inf, error
        return primal_value(w, self.caps, slacks) + error, error

    # ------------------------------------------------------------------ the best point

    @property
    def found(self) -> Best:
        """The best point; there is one once a pass was made."""
        assert self.best is not None
        return self.best

    def hold(self, w: Vector, slacks: Vector) -> None:
        """Make w, with its slacks against the current labels, the best point for these labels."""
        self.best = self._point(w, slacks, self.labels, self.dual)

    def forget_dual(self) -> None:
        """Give the best point the dual solution 0, which fits any labels."""
        zero = DualSolution.zero(self.found.labels, len(self.constraints.b))
        self.best = self.found._replace(dual=zero)

    def relabel(self, labels: Any) -> None:
        """Hold other labels, without a dual solution for them yet."""
        self.labels, self.dual = labels, DualSolution.zero(labels, len(self.constraints.b))

    def reevaluate(self) -> None:
        """Let the best point's objective count as unknown until it is evaluated again."""
        self.best = self.found._replace(primal=math.inf)

    def is_feasible(self, w: Vector, dual: DualSolution) -> bool:
        """Whether w satisfies the constraints, as far as this dual solution was rounded."""
        free = self.constraints.free
        return free or self.constraints.largest_violation(w, dual.size) <= FEASIBLE

    def consider(self, query: Vector, cuts: Cuts) -> float:
        """Let a queried point compete for the best; return its objective."""
        if self.best is None:
            self.best = self._point(query, cuts.slacks, cuts.labels, self.dual)
            return self.best.primal
        best = self._reconsidered(self.best, cuts)
        # A dual value bounds P for its own labels only: after relabelling, a lower one replaces it.
        if best.dual.labels is not self.dual.labels or best.dual.value < self.dual.value:
            best = best._replace(dual=self.dual)
            if len(self.constraints.b):  # the error depends on their multipliers
                best = self._point(best.w, best.slacks, best.labels, best.dual)
        queried = self._point(query, cuts.slacks, cuts.labels, best.dual)
        self.best = queried if queried.primal < best.primal else best
        return queried.primal

    def return_to(self, w: Vector, cuts: Cuts) -> None:
        """Make w the best point, whatever the objective; the cuts come from a pass there."""
        here = self._point(w, cuts.slacks, cuts.labels, self.found.dual)
        self.best = self._reconsidered(here, cuts)

    def _reconsidered(self, best: Best, cuts: Cuts) -> Best:
        """The best point with its slacks raised to what planes found since imply.

        For an undergenerating oracle: else the point at which it missed most would stay the best.
        Planes against other labels imply nothing.
        """
        same_labels = best.labels is self.labels and cuts.labels is self.labels
        if not (oracle_may_miss(self.examples.problem) and same_labels):
            return best
        slacks = np.maximum(best.slacks, self.planes.slacks(best.w))
        np.maximum.at(slacks, cuts.groups, cuts.offsets - cuts.rows @ best.w)
        return best._replace(primal=self.objective(best.w, slacks), slacks=slacks)

    def objective(self, query: Vector, slacks: Vector) -> float:
        """P at a point with its error: an upper bound, infinite if unknown."""
        return self._primal(query, slacks, self.dual)[0]

    def add_pass(self, query: Vector, cuts: Cuts) -> Iteration:
        """Consider a queried point, and add a pass to the history."""
        self.measure_terms(cuts)
        primal, best = self.consider(query, cuts), self.found
        iteration = Iteration(
            iteration=len(self.history) + 1,
            primal=primal,
            best_primal=best.primal,
            dual=best.dual.value,
            gap=best.gap,
            n_planes=len(self.planes),
            oracle_calls=self.examples.tally.calls,
            seconds=self.seconds,
        )
        self.history.append(iteration)
        return iteration
