"""The working set: the planes, their Gram matrix, and the problem restricted to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.objective import dual_value
from structsvm.planes.constraints import Constraints
from structsvm.planes.plane import Cuts, SoftSource, Source, WeightedPlanes, magnitude
from structsvm.planes.rows import Rows
from structsvm.planes.whole import whole
from structsvm.qp import QPSolution, solve_bounded_dual, solve_restricted_dual

#: Violation of A w <= b that is tolerated, relative to the size of its terms.
FEASIBILITY_TOLERANCE = 1e-8


class Restricted(NamedTuple):
    """The optimum of the problem restricted to a working set.

    Attributes
    ----------
    w, v : ndarray of shape (size,)
        v is the sum of the planes' rows, weighted by alpha, and w the nearest point to v within the
        bounds; where rows almost cancel in v, w is computed separately, without their rounding
        errors.
    primal, dual : float
        Its two values, equal up to rounding if the quadratic program was solved.
    violation : float
        The relative violation of the constraints at w.
    size : float
        The norm of the part of v from the oracle's planes, which constraints may cancel.
    rounding : float
        The part of the difference of the two values that is rounding.
    """

    w: Vector
    v: Vector
    primal: float
    dual: float
    violation: float
    size: float
    rounding: float


class WorkingSet:
    """Planes in groups that share a slack, their Gram matrix, and the dual restricted to them.

    Parameters
    ----------
    caps : ndarray of shape (n_groups,)
        C_g of :mod:`structsvm.objective`.
    constraints : Constraints
        Added lazily: only rows that a solution has violated become planes.

    Attributes
    ----------
    rows, offsets, groups, alpha
        a_j, b_j, g_j and the dual variable of every plane. The group of a constraint is n_groups.
    sources : list of Source or SoftSource
        The source of each plane; None for a constraint.
    idle : ndarray of shape (m,)
        Number of solutions in a row in which alpha was 0.
    labels : sequence or None
        The outputs that the planes are made against, where they have changed.
    solution : Restricted
        The last one.
    """

    solution: Restricted

    def __init__(self, caps: Vector, constraints: Constraints) -> None:
        self.caps = np.append(caps, np.inf)  # a constraint allows no slack
        self.constraints = constraints
        size = constraints.A.shape[1]
        self._rows, self._gram = Rows(size), np.empty((0, 0))
        self.offsets: Vector = np.empty(0)
        self.alpha: Vector = np.empty(0)
        self.groups: Indices = np.empty(0, dtype=np.intp)
        self.idle: Indices = np.empty(0, dtype=np.intp)
        self.sources: list[Source | SoftSource | None] = []
        self.labels: Any = None
        self._constraint_index: Indices = np.empty(0, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def rows(self) -> Any:
        return self._rows.matrix

    @property
    def gram(self) -> Vector:
        """The products of the rows with each other, shape (m, m)."""
        known, m = len(self._gram), len(self)
        if known < m:
            # Only products with new rows are computed: all of them would dominate a pass.
            products = dense(self.rows @ self.rows[known:].T)
            gram = np.empty((m, m))
            gram[:known, :known], gram[:, known:] = self._gram, products
            gram[known:, :known] = products[:known].T
            self._gram = gram
        return self._gram

    @property
    def n_groups(self) -> int:
        return len(self.caps) - 1

    @property
    def sourced(self) -> Indices:
        """Index of the planes that an oracle made; the others are constraints."""
        return np.flatnonzero(self.groups < self.n_groups)

    def add(
        self,
        rows: Any,
        offsets: Vector,
        groups: Indices,
        sources: Sequence[Source | SoftSource | None],
    ) -> None:
        """Add planes with alpha = 0, their rows dense or CSR."""
        new = len(offsets)
        # At once: Ctrl-C may come between two statements.
        vars(self).update(
            _rows=self._rows.and_more(rows),
            offsets=np.append(self.offsets, offsets),
            groups=np.append(self.groups, groups).astype(np.intp),
            alpha=np.append(self.alpha, np.zeros(new)),
            idle=np.append(self.idle, np.zeros(new, dtype=np.intp)),
            sources=[*self.sources, *sources],
        )

    def add_solution(self, planes: WeightedPlanes, factor: float) -> None:
        """Add planes with their dual variables times a factor: a start for the program."""
        with whole(self):
            self.add(planes.rows, planes.offsets, planes.groups, planes.sources)
            self.alpha[-len(planes.alpha) :] = factor * planes.alpha

    def add_cuts(self, cuts: Cuts) -> None:
        """Add the planes of a pass."""
        self.add(cuts.rows, cuts.offsets, cuts.groups, cuts.sources)

    def replace(self, planes: Indices, rows: Vector, offsets: Vector, labels: Any) -> None:
        """Replace the rows and offsets of the planes at these indices: their labels are these."""
        others = self.offsets.copy()
        others[planes] = offsets
        made = self._rows.with_others(planes, rows)
        vars(self).update(_rows=made, offsets=others, _gram=np.empty((0, 0)), labels=labels)

    def slacks(self, w: Vector) -> Vector:
        """The mean slack of every group at w that the planes imply, shape (n_groups,)."""
        slacks = np.zeros(self.n_groups + 1)  # the last group holds the constraints
        np.maximum.at(slacks, self.groups, self.offsets - self.rows @ w)
        return slacks[:-1]

    @property
    def any_loss(self) -> bool:
        """Whether any output of the planes has a loss > 0."""
        return bool(self.offsets[self.sourced].any())

    def magnitude(self, w: Vector) -> float:
        """The size of the terms whose difference a slack at w is, for its rounding error."""
        return magnitude(self.offsets, float(self._rows.lengths.max()), w) if len(self) else 0.0

    def solve(self) -> Restricted:
        """Solve the restricted dual, adding constraints until all are satisfied."""
        if self.constraints.free:
            return self._hold(*self._solved())
        with whole(self):
            self.alpha, found = self._solved()
            # Constraints are added lazily: a problem may have many, and few ever bind.
            while self._add_violated_constraints(found.w, found.size):
                self.alpha, found = self._solved()
            return self._hold(self.alpha, found)

    def _hold(self, alpha: Vector, found: Restricted) -> Restricted:
        """Keep a solution, whole or not at all."""
        idle = np.where(alpha > 0, 0, self.idle + 1)
        vars(self).update(alpha=alpha, solution=found, idle=idle)
        return found

    def _solved(self) -> tuple[Vector, Restricted]:
        """The dual variables and the solution for the planes that there are."""
        dual, held = self._solve_dual(), self.constraints
        alpha = dual.alpha
        v = alpha @ self.rows
        bounded = v if held.lower is None else held.bounded(v)
        w = bounded if dual.w is None else dual.w
        # From v and not from the Gram matrix: where planes almost cancel, the squares of their rows
        # are larger than the square of v.
        value = dual_value(v, bounded, float(alpha @ self.offsets))
        size = float(np.linalg.norm(v))
        if len(self._constraint_index):
            planes = self.sourced
            size = float(np.linalg.norm(alpha[planes] @ self.rows[planes]))
        return alpha, Restricted(w, v, dual.primal, value, dual.violation, size, dual.rounding)

    def constraint_terms(self, v: Vector) -> float:
        """The size of the terms of the constraints in the dual value at v."""
        return self.constraints.terms_of_dual(v, self._multipliers())

    def _solve_dual(self) -> QPSolution:
        rest = self.offsets, self.groups, self.caps, self.alpha
        if self.constraints.lower is None:
            return solve_restricted_dual(self.gram, *rest, rows=self.rows)
        return solve_bounded_dual(dense(self.rows), *rest, self.constraints.lower)

    def spread(self) -> None:
        """Divide each group's cap evenly among its planes: a start for the quadratic program.

        Better than 0 if most planes will have a weight in the solution. Requires: no plane is a
        constraint, since the group of constraints has no cap.
        """
        members = np.bincount(self.groups, minlength=len(self.caps))
        self.alpha = (self.caps / np.maximum(members, 1))[self.groups]

    def prune(self, after: int) -> None:
        """Drop planes whose alpha has been 0 for more than ``after`` solutions in a row."""
        self._keep(np.flatnonzero(self.idle <= after))

    def _keep(self, keep: Indices) -> None:
        if len(keep) == len(self):
            return
        known = keep[keep < len(self._gram)]
        kept = np.isin(np.flatnonzero(self.groups == self.n_groups), keep)
        vars(self).update(
            _rows=self._rows.part(keep),
            _gram=self._gram[np.ix_(known, known)],
            _constraint_index=self._constraint_index[kept],
            offsets=self.offsets[keep],
            alpha=self.alpha[keep],
            groups=self.groups[keep],
            idle=self.idle[keep],
            sources=[self.sources[j] for j in keep],
        )

    def multipliers(self) -> Vector:
        """The dual variable mu of every constraint, for the row as the problem gave it."""
        return self._multipliers() / self.constraints.norms

    def _multipliers(self) -> Vector:
        """The dual variable of every constraint, for its row of norm 1."""
        mu = np.zeros(len(self.constraints.b))
        mu[self._constraint_index] = self.alpha[self.groups == self.n_groups]
        return mu

    def _add_violated_constraints(self, w: Vector, size: float) -> bool:
        violated = self.constraints.violations(w, size) > FEASIBILITY_TOLERANCE
        violated[self._constraint_index] = False
        new = np.flatnonzero(violated)
        if not len(new):
            return False
        rows, offsets = self.constraints.planes(new)
        # Undone by :meth:`solve`, should Ctrl-C end it in between.
        self.add(rows, offsets, np.full(len(new), self.n_groups), [None] * len(new))
        self._constraint_index = np.append(self._constraint_index, new)
        return True


def projected(w: Vector, constraints: Constraints) -> Vector:
    """The nearest point to w that satisfies the constraints and bounds."""
    if constraints.largest_violation(w) <= FEASIBILITY_TOLERANCE:
        return w
    # Shifted by w, it is the feasible point of least norm: a solution without planes.
    shift = WorkingSet(np.ones(1), constraints.relative_to(w)).solve().w
    terms, nearest = np.abs(w) + np.abs(shift), w + shift
    # Smaller entries are errors of the solution, and should be 0.
    return np.where(np.abs(nearest) <= FEASIBILITY_TOLERANCE * terms, 0.0, nearest)
