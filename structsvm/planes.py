"""The working set: the planes kept, their Gram matrix, and the problem restricted to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse.linalg
from scipy import sparse
from scipy.optimize import linprog

from structsvm.exceptions import InfeasibleConstraintsError, ProblemError
from structsvm.problem import Indices, Vector
from structsvm.qp import solve_restricted_dual
from structsvm.separation import Source

#: Violation of A w <= b that is let pass.
FEASIBILITY_TOLERANCE = 1e-8


class Restricted(NamedTuple):
    """The optimum of the problem restricted to a working set.

    ``primal`` and ``dual`` are its two values; ``certified`` says whether they agree.
    """

    w: Vector
    primal: float
    dual: float
    certified: bool


class Constraints:
    """The problem's own A w <= b; without any, A has no rows."""

    def __init__(self, constraints: tuple[Any, Any] | None, size: int) -> None:
        try:
            A, b = (np.empty((0, size)), np.empty(0)) if constraints is None else constraints
            if not sparse.issparse(A):
                A = np.asarray(A, dtype=np.float64)
            self.A: Any = sparse.csr_array(A) if A.ndim == 2 else A
            self.b = np.asarray(b, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ProblemError(
                f"constraints must return a pair of arrays (A, b), or None: {error}"
            ) from error
        if self.A.ndim != 2 or self.A.shape != (*self.b.shape, size):
            raise ProblemError(
                f"constraints must return A of shape (n_constraints, {size}) and b of shape "
                f"(n_constraints,); got {self.A.shape} and {self.b.shape}"
            )
        if not (np.isfinite(self.A.data).all() and np.isfinite(self.b).all()):
            raise ProblemError("constraints returned NaN or infinity")
        self._norms = scipy.sparse.linalg.norm(self.A, axis=1)
        if np.any(self.b < 0):  # else w = 0 is feasible
            self._require_feasible()

    def violations(self, w: Vector) -> Vector:
        """(A w - b)_+ per row, relative to 1 + abs(b) + norm(A) norm(w) of the row."""
        if not len(self.b):
            return self.b
        scale = 1 + np.abs(self.b) + self._norms * np.linalg.norm(w)
        return np.maximum(self.A @ w - self.b, 0) / scale

    def rows(self, index: Indices) -> tuple[Vector, Vector]:
        """The planes -A_r, -b_r of some rows."""
        return -self.A[index].toarray(), -self.b[index]

    def _require_feasible(self) -> None:
        bounds = (None, None)
        answer = linprog(np.zeros(self.A.shape[1]), A_ub=self.A, b_ub=self.b, bounds=bounds)
        if answer.status == 2:
            raise InfeasibleConstraintsError(
                "constraints returned A w <= b that no w satisfies; relax b or drop rows"
            )


class WorkingSet:
    """Planes in groups that share a slack, and the dual restricted to them.

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
    sources : list of Source
        The oracle outputs that each plane was made from; None for a constraint.
    """

    def __init__(self, caps: Vector, constraints: Constraints) -> None:
        self.caps = np.append(caps, np.inf)
        self.constraints = constraints
        size = constraints.A.shape[1]
        self._rows, self._gram = np.empty((8, size)), np.empty((8, 8))
        self.offsets: Vector = np.empty(0)
        self.alpha: Vector = np.empty(0)
        self.groups: Indices = np.empty(0, dtype=np.intp)
        self.idle: Indices = np.empty(0, dtype=np.intp)
        self.sources: list[Source | None] = []
        self._constraint_index: Indices = np.empty(0, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def rows(self) -> Vector:
        return self._rows[: len(self)]

    @property
    def gram(self) -> Vector:
        return self._gram[: len(self), : len(self)]

    @property
    def n_groups(self) -> int:
        return len(self.caps) - 1

    @property
    def w(self) -> Vector:
        return self.alpha @ self.rows

    @property
    def sourced(self) -> Indices:
        """Index of the planes that an oracle made; the others are constraints."""
        return np.flatnonzero(self.groups < self.n_groups)

    def add(
        self, rows: Vector, offsets: Vector, groups: Indices, sources: Sequence[Source | None]
    ) -> None:
        """Add planes with alpha = 0."""
        old, new = len(self), len(offsets)
        self._reserve(old + new)
        self._rows[old : old + new] = rows
        products = self._rows[: old + new] @ rows.T
        self._gram[: old + new, old : old + new] = products
        self._gram[old : old + new, :old] = products[:old].T
        self.offsets = np.append(self.offsets, offsets)
        self.groups = np.append(self.groups, groups).astype(np.intp)
        self.alpha = np.append(self.alpha, np.zeros(new))
        self.idle = np.append(self.idle, np.zeros(new, dtype=np.intp))
        self.sources.extend(sources)

    def replace(self, planes: Indices, rows: Vector, offsets: Vector) -> None:
        """Give some planes, chosen by index, new rows and offsets (their labels changed)."""
        self._rows[planes] = rows
        self.offsets[planes] = offsets
        products = self.rows @ rows.T
        self._gram[: len(self), planes] = products
        self._gram[planes, : len(self)] = products.T

    def slacks(self, w: Vector) -> Vector:
        """Each group's mean slack at w as far as the planes kept can tell, shape (n_groups,)."""
        slacks = np.zeros(self.n_groups + 1)
        np.maximum.at(slacks, self.groups, self.offsets - self.rows @ w)
        return slacks[:-1]

    def solve(self) -> Restricted:
        """Solve the restricted dual, adding constraints until none is violated."""
        while True:
            solution = solve_restricted_dual(
                self.gram, self.offsets, self.groups, self.caps, self.alpha
            )
            self.alpha = solution.alpha
            w = self.w
            if not self._add_violated_constraints(w):
                self.idle = np.where(self.alpha > 0, 0, self.idle + 1)
                return Restricted(w, solution.primal, solution.dual, solution.certified)

    def prune(self, after: int) -> None:
        """Drop planes whose alpha has been 0 for more than ``after`` solutions in a row."""
        keep = np.flatnonzero(self.idle <= after)
        if len(keep) == len(self):
            return
        m = len(keep)
        self._rows[:m] = self._rows[keep]
        self._gram[:m, :m] = self._gram[np.ix_(keep, keep)]
        self._constraint_index = self._constraint_index[
            np.isin(np.flatnonzero(self.groups == self.n_groups), keep)
        ]
        self.offsets, self.alpha = self.offsets[keep], self.alpha[keep]
        self.groups, self.idle = self.groups[keep], self.idle[keep]
        self.sources = [self.sources[j] for j in keep]

    def multipliers(self) -> Vector:
        """The dual variable mu of every constraint row."""
        mu = np.zeros(len(self.constraints.b))
        mu[self._constraint_index] = self.alpha[self.groups == self.n_groups]
        return mu

    def _add_violated_constraints(self, w: Vector) -> bool:
        violated = self.constraints.violations(w) > FEASIBILITY_TOLERANCE
        violated[self._constraint_index] = False
        new = np.flatnonzero(violated)
        if not len(new):
            return False
        rows, offsets = self.constraints.rows(new)
        self.add(rows, offsets, np.full(len(new), self.n_groups), [None] * len(new))
        self._constraint_index = np.append(self._constraint_index, new)
        return True

    def _reserve(self, m: int) -> None:
        capacity = len(self._rows)
        if m <= capacity:
            return
        capacity = max(m, 2 * capacity)
        rows, gram = self.rows, self.gram
        self._rows = np.empty((capacity, rows.shape[1]))
        self._rows[: len(rows)] = rows
        self._gram = np.empty((capacity, capacity))
        self._gram[: len(gram), : len(gram)] = gram
