"""The working set: planes, their Gram matrix, and the problem restricted to these planes."""

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
        The vector v is the sum of the planes' rows, weighted by alpha. The vector w is the nearest
        vector to v that satisfies the lower bounds of the weights. If the weighted rows almost
        cancel in v, the solver of the quadratic program computes a more accurate w.
    primal, dual : float
        The primal and the dual value, which are equal up to rounding if the quadratic program was
        solved.
    violation : float
        The relative violation of the constraints at w.
    size : float
        The norm of the weighted sum of the oracle's planes, without the planes of the constraints.
        If the planes of the constraints cancel most of the oracle's planes, ``size`` is much larger
        than the norm of the sum of all planes.
    rounding : float
        The part of the difference between primal and dual value that is a rounding error.
    """

    w: Vector
    v: Vector
    primal: float
    dual: float
    violation: float
    size: float
    rounding: float


class WorkingSet(Store):
    """A store of planes whose groups share a slack, with Gram matrix and restricted dual.

    Parameters
    ----------
    caps : ndarray of shape (n_groups,)
        The weight of each group's mean slack in the objective: C, multiplied by the group's share
        of the examples.
    constraints : Constraints
        The linear constraints of the problem. A constraint becomes a plane when a solution violates
        the constraint.

    Attributes
    ----------
    rows, offsets, groups, alpha
        The row a_j, offset b_j, group g_j and dual variable of each plane. Planes that are
        constraints have the group n_groups.
    sources : list of Source or SoftSource
        The source of each plane; None for a plane that is a constraint.
    idle : ndarray of shape (m,)
        Number of consecutive solutions in which alpha was 0.
    labels : sequence or None
        The true outputs for which the planes are computed, if the true outputs have changed.
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
        """The inner products of all pairs of rows, shape (m, m)."""
        known = len(self._gram)
        if known < len(self):
            # Only products with new rows are computed: all of them would dominate a pass.
            products = dense(self.rows @ self.rows[known:].T)
            left = np.concatenate([self._gram, products[:known].T])
            self._gram = np.concatenate([left, products], axis=1)
        return self._gram

    @property
    def sourced(self) -> Indices:
        """The indices of the planes from an oracle."""
        return np.flatnonzero(self.groups < self.n_groups)

    def replace(self, planes: Indices, rows: Vector, offsets: Vector, labels: Any) -> None:
        """Replace rows and offsets of some planes, with ``labels`` as their new true outputs."""
        with whole(self):
            self.rows, self.offsets = self.rows.copy(), self.offsets.copy()
            self.lengths, self._room = self.lengths.copy(), self.rows
            self.rows[planes], self.offsets[planes] = rows, offsets
            self.lengths[planes] = row_lengths(rows)
            self._gram, self.labels = np.empty((0, 0)), labels

    def slacks(self, w: Vector) -> Vector:
        """Return lower bounds of all groups' mean slacks at w, computed from the planes."""
        slacks = np.zeros(len(self.caps))  # the last group holds the constraints
        np.maximum.at(slacks, self.groups, self.offsets - self.rows @ w)
        return slacks[:-1]

    @property
    def any_loss(self) -> bool:
        """Whether any output in the planes has a loss > 0."""
        return bool(self.offsets[self.sourced].any())

    def solve(self) -> Restricted:
        """Solve the restricted dual, and add constraints until all constraints are satisfied."""
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
        """Drop planes if their alpha has been 0 for more than ``after`` consecutive solutions."""
        keep = self.idle <= after
        if not keep.all():
            known, held = keep[: len(self._gram)], keep[self.groups == self.n_groups]
            gram, index = self._gram[np.ix_(known, known)], self._constraint_index[held]
            self.keep(keep, _gram=gram, _constraint_index=index)

    def multipliers(self) -> Vector:
        """Return the dual variable mu of every constraint, for the problem's unscaled rows."""
        mu = np.zeros(len(self.constraints.b))
        mu[self._constraint_index] = self.alpha[self.groups == self.n_groups]
        return mu / self.constraints.norms

    def _add_violated(self, w: Vector, size: float) -> bool:
        """Add the constraints that w violates.

        If Ctrl-C interrupts the run, :meth:`solve` undoes the addition.
        """
        violated = self.constraints.violations(w, size) > FEASIBILITY_TOLERANCE
        violated[self._constraint_index] = False
        new = np.flatnonzero(violated)
        rows, offsets = self.constraints.planes(new)
        self.add(rows, offsets, np.full(len(new), self.n_groups), [None] * len(new))
        self._constraint_index = np.append(self._constraint_index, new)
        return len(new) > 0


def projected(w: Vector, constraints: Constraints) -> Vector:
    """Return the vector nearest to w that satisfies the constraints and bounds."""
    if constraints.largest_violation(w) <= FEASIBILITY_TOLERANCE:
        return w
    # Relative to w, the nearest point is the feasible point of least norm: a solution without
    # planes.
    shift = WorkingSet(np.ones(1), constraints.relative_to(w)).solve().w
    terms, nearest = np.abs(w) + np.abs(shift), w + shift
    # Smaller entries are errors of the solution and should be 0.
    return np.where(np.abs(nearest) <= FEASIBILITY_TOLERANCE * terms, 0.0, nearest)
