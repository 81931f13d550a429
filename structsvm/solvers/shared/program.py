"""The convex program of a run, with values and rounding errors of points and dual solutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Vector
from structsvm.objective import group_caps, primal_value
from structsvm.objective.rounding import NEGLIGIBLE, Rounding, unit_roundoff
from structsvm.oracle.cuts import term_sizes
from structsvm.oracle.examples import Examples
from structsvm.planes.constraints import FEASIBLE
from structsvm.planes.plane import Cuts, Planes, weight_of
from structsvm.solvers.shared.bounds import Bounds, DualSolution, Step

#: Largest error of an inner problem, as a fraction of the tolerance.
SPARE = 0.1


class Program:
    """The objective for some examples (see :mod:`structsvm.objective`), and the allowed gap.

    A program does not store w. Algorithms find vectors w, and Bounds keep the best w.

    Parameters
    ----------
    examples : Examples
    C : float
    rtol, atol : float
        The tolerance of the run.
    sizes : ndarray of shape (n_groups,), optional
        Number of examples that share each slack. Default: all examples share one slack.

    Attributes
    ----------
    constraints : Constraints
        The constraints of the problem.
    caps : ndarray of shape (n_groups,)
        C_g of :mod:`structsvm.objective`.
    rounding : Rounding
        The rounding errors of primal and dual values, estimated from joint features and losses.
    may_miss : bool
        Whether the oracle undergenerates, and may miss violated outputs.
    loss : float
        The mean loss of the outputs found in the first pass; 0 before the first pass.
    """

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
        self.may_miss = oracle_may_miss(examples.problem)
        self._measure_at = 1
        self.loss = 0.0
        examples.tally.seconds.setdefault("qp", 0.0)

    def first_bounds(self) -> Bounds:
        """Return the Bounds of a run before its first pass, with the dual value 0."""
        zero = self.zero_dual(self.examples.Y)
        return Bounds(zero, zero)

    # ------------------------------------------------------------------ the tolerance

    def allowed(self, value: float) -> float:
        """Return the largest gap within the tolerance if the objective is `value`.

        If a prior fits the examples, the objective is near 0, and ``rtol`` times the objective may
        be smaller than the rounding errors. With a prior, a gap that is tiny relative to C times
        the largest loss is always allowed.
        """
        least = self.atol
        if self.examples.prior is not None:  # the scores of a huge prior must not hide the losses
            whole = min(self.rounding.terms.offset, self.examples.problem.max_loss or 1.0)
            least = max(least, NEGLIGIBLE * self.C * whole)
        return max(least, self.rtol * abs(value)) if math.isfinite(value) else least

    def is_small(self, bounds: Bounds) -> bool:
        """Whether the gap is within the tolerance, or is only due to rounding errors."""
        # Either of the dual solutions may become the better one, so the smaller error decides.
        error = bounds.rounding + min(bounds.dual.rounding, bounds.latest.rounding)
        return bounds.gap <= max(self.allowed(bounds.primal), 2 * error)

    def needs_double(self, bounds: Bounds) -> bool:
        """Whether rounding errors in single precision take more than half of the tolerance.

        The rounding error of the objective counts twice, to allow for a similar error of the dual
        value.
        """
        return self.examples.may_double and 4 * bounds.rounding > self.allowed(bounds.primal)

    # ------------------------------------------------------------------ the dual

    def zero_dual(self, labels: Any, rounding: float = 0.0) -> DualSolution:
        """Return the dual solution without planes, which has the value 0."""
        multipliers = np.zeros(len(self.constraints.b))
        return DualSolution(0.0, rounding, np.empty(0), (), multipliers, 0.0, labels)

    def dual_solution(
        self,
        labels: Any,
        value: float,
        v: Vector,
        alpha: Vector,
        sources: tuple[Any, ...],
        multipliers: Vector | None = None,
        size: float = 0.0,
        constraint_terms: float = 0.0,
    ) -> DualSolution:
        """Return a dual solution. The value of the dual solution is reduced by the rounding error.

        ``v`` is the sum of the rows of planes and constraints, weighted by their dual variables.
        ``size`` is described in :class:`DualSolution`, and ``constraint_terms`` in
        :class:`structsvm.objective.rounding.Rounding`. Leave out ``multipliers`` if there are no
        constraints.
        """
        multipliers = np.zeros(0) if multipliers is None else multipliers
        weight = weight_of(zip(sources, alpha.tolist(), strict=True), self.rounding)
        error = self.rounding.of_dual(v, weight, constraint_terms)
        if value > error:
            return DualSolution(value - error, error, alpha, sources, multipliers, size, labels)
        return self.zero_dual(labels, error)  # the dual solution without planes is a better bound

    # ------------------------------------------------------------------ rounding errors

    def magnitude(self, w: Vector, planes: Planes) -> float:
        """Return the magnitude of the losses and the products with w that make up the slacks."""
        return max(planes.magnitude(w), self.rounding.terms.at(w))

    def error_of_one(self, some: Examples, outputs: Any, w: Vector) -> float:
        """Return a bound on the rounding error of an example's slack, given its outputs."""
        # Before the first pass is measured, products with a prior may cancel.
        unknown = self._measure_at == 1 and some.prior is not None
        terms = term_sizes(some, some.Y, outputs) if unknown else None
        return self.examples.n * self.rounding.of_largest_slack(w, terms)

    def measured(self, bounds: Bounds, cuts: Cuts) -> Bounds:
        """Update the rounding errors after a pass, and return `bounds` with the new error of P(w).

        Raises a ValueError if joint features are so large that squares of w may overflow.
        """
        number = len(bounds.history) + 1
        if cuts.outputs is None or number < self._measure_at:
            return bounds
        # Measure whenever the passes have doubled: terms change little, and measuring takes half a
        # pass.
        self._measure_at = 2 * number
        first = bounds.w is None  # joint features of true outputs do not change later
        self.rounding.observe(term_sizes(self.examples, cuts.labels, cuts.outputs, whole=first))
        if not math.isfinite(bounds.primal):
            return bounds
        return self.bounds_at(bounds.w, bounds.slacks, bounds.labels, bounds.dual, bounds)

    def objective(self, w: Vector, slacks: Vector, dual: DualSolution) -> tuple[float, float]:
        """Return an upper bound of P(w), and the rounding error that the bound includes.

        The upper bound is infinite if a slack is unknown, or if w violates a constraint by more
        than the rounding errors of `dual`.
        """
        # P(w) may be too low by this error, compared with the lowest value at a feasible point.
        error, free = self.rounding.of_primal(w), self.constraints.free
        if not free:
            error += self.constraints.cost(w, dual.multipliers)
        if np.isinf(slacks).any() or not (free or self.is_feasible(w, dual)):
            return math.inf, error
        return primal_value(w, self.caps, slacks) + error, error

    def is_feasible(self, w: Vector, dual: DualSolution) -> bool:
        """Whether w satisfies the constraints, up to the rounding errors of `dual`."""
        free = self.constraints.free
        return free or self.constraints.largest_violation(w, dual.size) <= FEASIBLE

    # ------------------------------------------------------------------ the bounds

    def bounds_at(
        self, w: Vector, slacks: Vector, labels: Any, dual: DualSolution, bounds: Bounds
    ) -> Bounds:
        """Return bounds with w as the best point, and with `slacks`, `labels` and `dual`."""
        primal, error = self.objective(w, slacks, dual)
        return Bounds(dual, bounds.latest, w, primal, error, slacks, labels, bounds.history)

    def considered(self, bounds: Bounds, step: Step) -> tuple[Bounds, float]:
        """Return the bounds after a step, and the objective at the point of the step."""
        cuts, latest = step.cuts, step.dual
        bounds = bounds._replace(latest=latest)
        if bounds.w is None:
            bounds = self.bounds_at(step.point, cuts.slacks, cuts.labels, latest, bounds)
            return bounds, bounds.primal
        best = self._reconsidered(bounds, step) if self.may_miss else bounds
        # A dual value bounds P only for the labels it was computed with, so after relabelling even
        # a lower value replaces it.
        if best.dual.labels is not latest.labels or best.dual.value < latest.value:
            best = best._replace(dual=latest)
            if len(self.constraints.b):  # the error depends on the multipliers
                best = self.bounds_at(best.w, best.slacks, best.labels, latest, best)
        queried = self.bounds_at(step.point, cuts.slacks, cuts.labels, best.dual, best)
        return (queried if queried.primal < best.primal else best), queried.primal

    def returned_to(self, bounds: Bounds, step: Step) -> Bounds:
        """Return bounds with `step.point` as the best w, even if an earlier w is better."""
        cuts = step.cuts
        here = self.bounds_at(step.point, cuts.slacks, cuts.labels, bounds.dual, bounds)
        return self._reconsidered(here, step) if self.may_miss else here

    def _reconsidered(self, bounds: Bounds, step: Step) -> Bounds:
        """Raise the slacks of the best w to the slacks that the planes of `step` imply.

        If an undergenerating oracle misses violated outputs, the objective at the best w seems too
        low. If the slacks and the planes were computed from different labels, `bounds` is returned
        unchanged.
        """
        cuts, w = step.cuts, bounds.w
        if not (bounds.labels is step.labels and cuts.labels is step.labels):
            return bounds
        slacks = np.maximum(bounds.slacks, step.planes.slacks(w))
        np.maximum.at(slacks, cuts.groups, cuts.offsets - cuts.rows @ w)
        return bounds._replace(primal=self.objective(w, slacks, step.dual)[0], slacks=slacks)
