"""The working set: the planes, their Gram matrix, and the problem restricted to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.objective import lagrangian
from structsvm.planes.constraints import Constraints
from structsvm.planes.store import Store, row_lengths, whole
from structsvm.qp import solve_bounded_dual, solve_restricted_dual

#: Tolerated violation of A w <= b, relative to the size of its terms.
FEASIBILITY_TOLERANCE = 1e-8


class Restricted(NamedTuple):
    """The optimum of the problem restricted to a working set.

    Attributes
    ----------
    w, v : ndarray of shape (size,)
        v is the sum of the planes' rows, weighted by alpha, and w is the nearest point to v within
        the bounds. If rows almost cancel in v, w is computed separately, without their rounding
        errors.
    primal, dual : float
        The primal and the dual value, equal up to rounding if the quadratic program was solved.
    violation : float
        The relative violation of the constraints at w.
    size : float
        The norm of the oracle's part of v, which constraints may cancel.
    rounding : float
        The part of the difference of the two values that is a rounding error.
    """

    w: Vector
    v: Vector
    primal: float
    dual: float
    violation: float
    size: float
    rounding: float


class WorkingSet(Store):
    """A store of planes whose groups share a slack, with their Gram matrix and restricted dual.

    Parameters
    ----------
    caps : ndarray of shape (n_groups,)
        The weights C_g of :mod:`structsvm.objective`.
    constraints : Constraints
        The constraints of the problem. Only rows that a solution has violated become planes.

    Attributes
    ----------
    rows, offsets, groups, alpha
        The row a_j, offset b_j, group g_j and dual variable of every plane. The group of a
        constraint is n_groups.
    sources : list of Source or SoftSource
        The source of each plane; None for a constraint.
    idle : ndarray of shape (m,)
        Number of consecutive solutions in which alpha was 0.
    labels : sequence or None
        The true outputs of the planes, if they have changed.
    solution : Restricted
        The last solution.
    """

    solution: Restricted

    def __init__(self, caps: Vector, constraints: Constraints) -> None:
        super().__init__(constraints.A.shape[1])
        self.n_groups, self.constraints = len(caps), constraints
        self.caps = np.append(caps, np.inf)  # a constraint allows no slack
        self.labels: Any = None
        self._gram = np.empty((0, 0))
        self._constraint_index: Indices = np.empty(0, dtype=np.intp)

    @property
    def gram(self) -> Vector:
        """The products of all rows with each other, shape (m, m)."""
        known = len(self._gram)
        if known < len(self):
            # Only products with new rows are computed: all of them would dominate a pass.
            products = dense(self.rows @ self.rows[known:].T)
            left = np.concatenate([self._gram, products[:known].T])
            self._gram = np.concatenate([left, products], axis=1)
        return self._gram

    @property
    def sourced(self) -> Indices:
        """The indices of the planes that an oracle made; the other planes are constraints."""
        return np.flatnonzero(self.groups < self.n_groups)

    def replace(self, planes: Indices, rows: Vector, offsets: Vector, labels: Any) -> None:
        """Replace the rows and offsets of some planes, whose true outputs become ``labels``."""
        with whole(self):
            self.rows, self.offsets = self.rows.copy(), self.offsets.copy()
            self.lengths, self._room = self.lengths.copy(), self.rows
            self.rows[planes], self.offsets[planes] = rows, offsets
            self.lengths[planes] = row_lengths(rows)
            self._gram, self.labels = np.empty((0, 0)), labels

    def slacks(self, w: Vector) -> Vector:
        """Return the mean slack of every group at w that the planes imply, shape (n_groups,)."""
        slacks = np.zeros(len(self.caps))  # the last group holds the constraints
        np.maximum.at(slacks, self.groups, self.offsets - self.rows @ w)
        return slacks[:-1]

    @property
    def any_loss(self) -> bool:
        """Whether any output of the planes has a loss > 0."""
        return bool(self.offsets[self.sourced].any())

    def solve(self) -> Restricted:
        """Solve the restricted dual, adding constraints until all constraints are satisfied."""
        with whole(self):
            self.alpha, found = self._solved()
            # Constraints are added only when violated: a problem may have many, of which few ever
            # bind.
            while not self.constraints.free and self._add_violated(found.w, found.size):
                self.alpha, found = self._solved()
            self.solution, self.idle = found, np.where(self.alpha > 0, 0, self.idle + 1)
        return found

    def _solved(self) -> tuple[Vector, Restricted]:
        """Return the dual variables and the solution for the current planes."""
        program, lower = (self.offsets, self.groups, self.caps, self.alpha), self.constraints.lower
        if lower is None:
            dual = solve_restricted_dual(self.gram, *program, rows=self.rows)
            bounded = v = dual.alpha @ self.rows
        else:
            dual = solve_bounded_dual(dense(self.rows), *program, lower)
            v = dual.alpha @ self.rows
            bounded = self.constraints.bounded(v)
        alpha, w = dual.alpha, bounded if dual.w is None else dual.w
        # Compute the value from v instead of the Gram matrix: if planes almost cancel, the squares
        # of their rows are larger than the square of v.
        value = lagrangian(bounded, v, float(alpha @ self.offsets))
        size = float(np.linalg.norm(v))
        if len(self._constraint_index):
            planes = self.sourced
            size = float(np.linalg.norm(alpha[planes] @ self.rows[planes]))
        return alpha, Restricted(w, v, dual.primal, value, dual.violation, size, dual.rounding)

    def prune(self, after: int) -> None:
        """Drop planes whose alpha has been 0 for more than ``after`` consecutive solutions."""
        keep = self.idle <= after
        if not keep.all():
            known, held = keep[: len(self._gram)], keep[self.groups == self.n_groups]
            gram, index = self._gram[np.ix_(known, known)], self._constraint_index[held]
            self.keep(keep, _gram=gram, _constraint_index=index)

    def multipliers(self) -> Vector:
        """Return the dual variable mu of every constraint, for the unscaled rows of the problem."""
        mu = np.zeros(len(self.constraints.b))
        mu[self._constraint_index] = self.alpha[self.groups == self.n_groups]
        return mu / self.constraints.norms

    def _add_violated(self, w: Vector, size: float) -> bool:
        """Add the constraints that w violates; :meth:`solve` undoes this after Ctrl-C."""
        violated = self.constraints.violations(w, size) > FEASIBILITY_TOLERANCE
        violated[self._constraint_index] = False
        new = np.flatnonzero(violated)
        rows, offsets = self.constraints.planes(new)
        self.add(rows, offsets, np.full(len(new), self.n_groups), [None] * len(new))
        self._constraint_index = np.append(self._constraint_index, new)
        return len(new) > 0


def projected(w: Vector, constraints: Constraints) -> Vector:
    """Return the nearest point to w that satisfies the constraints and bounds."""
    if constraints.largest_violation(w) <= FEASIBILITY_TOLERANCE:
        return w
    # Relative to w, the nearest point is the feasible point of least norm: a solution without
    # planes.
    shift = WorkingSet(np.ones(1), constraints.relative_to(w)).solve().w
    terms, nearest = np.abs(w) + np.abs(shift), w + shift
    # Smaller entries are errors of the solution and should be 0.
    return np.where(np.abs(nearest) <= FEASIBILITY_TOLERANCE * terms, 0.0, nearest)
