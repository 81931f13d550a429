"""The linear constraints on w and the lower bounds of w."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse.linalg
from scipy import sparse
from scipy.optimize import linprog

from structsvm.data.arrays import Indices, Vector
from structsvm.data.sparse_indices import require_indices
from structsvm.exceptions import InfeasibleConstraintsError, ProblemError

#: Rounding error of A w - b, relative to its terms.
ROUNDING = 1e-15
#: Norm of w, relative to the part that constraints have cancelled, below which w may be a rounding
#: error.
CANCELLED = 1e-6

#: Largest relative violation of the problem's constraints at a point that may become the best one.
FEASIBLE = 1e-6


class Constraints:
    """The constraints A w <= b, with each row scaled to norm 1, and w >= lower.

    If there are no linear constraints, A has no rows. If there are no bounds, ``lower`` is None.

    Attributes
    ----------
    A : csr_array of shape (n_constraints, size)
    b : ndarray of shape (n_constraints,)
    norms : ndarray of shape (n_constraints,)
        The norms of the problem's unscaled rows, by which A and b were divided.
    lower : ndarray of shape (size,) or None
        The lower bounds; -inf for weights without a bound.
    free : bool
        Whether the problem has neither constraints nor bounds.
    terms : ndarray of shape (n_constraints,)
        For each entry of b, the sum of the absolute values of the numbers that were added to
        compute the entry.
    """

    def __init__(self, constraints: tuple[Any, Any] | None, size: int, lower: Any = None) -> None:
        if constraints is None:
            A, b, norms = sparse.csr_array((0, size)), np.empty(0), np.empty(0)
        else:
            A, b, norms = _scaled(constraints, size)
        self.A, self.b, self.norms = A, b, norms
        self.lower = None if lower is None else _checked_bounds(lower, size)
        self.free = not len(b) and self.lower is None
        self.terms = np.abs(self.b)
        self._moved: Vector | None = None
        # Most constraints allow w = 0. Only the others need a linear program.
        if len(b) and np.any(self.A @ self.bounded(np.zeros(size)) > self.b):
            self._require_feasible()

    def relative_to(self, point: Vector) -> Constraints:
        """Return the constraints on w - point that are equivalent to these constraints on w."""
        moved, sizes = copy.copy(self), np.abs(point)
        moved.terms = self.terms + abs(self.A) @ sizes
        moved.b = self.b - self.A @ point
        moved.lower = None if self.lower is None else self.lower - point
        moved._moved = sizes if self._moved is None else self._moved + sizes
        return moved

    def bounded(self, v: Vector) -> Vector:
        """Return the vector within the bounds that is nearest to v."""
        return v if self.lower is None else np.maximum(v, self.lower)

    def terms_of_dual(self, v: Vector, multipliers: Vector) -> float:
        """Return the size of the terms that constraints and bounds add to a dual value.

        ``multipliers`` holds the dual variables of the problem's unscaled rows.
        """
        of_rows = float((multipliers * self.norms) @ (self.terms + abs(self.A) @ np.abs(v)))
        if self.lower is None or self._moved is None:  # bounds are exact
            return of_rows
        held = np.flatnonzero(v < self.lower)
        pull = self.lower[held] - v[held]  # the dual variables of the bounds
        return of_rows + float(pull @ (np.abs(self.lower[held]) + 2 * self._moved[held]))

    def violations(self, w: Vector, size: float = 0.0) -> Vector:
        """Return the relative violation of each linear constraint at w.

        The excess of A w over b is divided by the size of b plus the norm of w. If the constraints
        force w to 0, the norm of w is only a rounding error. For this reason, a norm
        of w below 1e-6 times ``size`` is raised to 1e-6 times ``size``. The argument ``size`` is
        the norm of the sum of the oracle's planes.
        """
        excess = np.maximum(self.A @ w - self.b, 0)
        return _relative(excess, self.terms + _size(w, size))

    def largest_violation(self, w: Vector, size: float = 0.0) -> float:
        """Return the largest relative violation of a row or bound (see :meth:`violations`)."""
        largest = float(self.violations(w, size).max(initial=0))
        if self.lower is None:
            return largest
        below = np.flatnonzero(w < self.lower)
        terms = np.abs(self.lower[below]) + _size(w, size)
        return max(largest, float(_relative(self.lower[below] - w[below], terms).max(initial=0)))

    def cost(self, w: Vector, multipliers: Vector) -> float:
        """Return the cost of the violations at w, including the rounding errors of A w - b.

        The cost is the amount by which the minimum of the objective could fall if the constraints
        were relaxed until w is feasible. ``multipliers`` holds the dual variables of the problem's
        unscaled rows.
        """
        terms = self.terms + abs(self.A) @ np.abs(w)
        excess = np.maximum(self.A @ w - self.b, 0) + ROUNDING * terms
        return float((multipliers * self.norms) @ excess)

    def planes(self, index: Indices) -> tuple[Vector, Vector]:
        """Return the rows and offsets of the planes that represent some constraints."""
        return -self.A[index].toarray(), -self.b[index]

    def _require_feasible(self) -> None:
        size = self.A.shape[1]
        lower = np.full(size, -np.inf) if self.lower is None else self.lower
        # The tolerances of the linear program are absolute.
        unit = np.abs(np.append(self.b, lower[np.isfinite(lower)])).max() or 1.0
        bounds = np.column_stack([lower / unit, np.full(size, np.inf)])
        answer = linprog(np.zeros(size), A_ub=self.A, b_ub=self.b / unit, bounds=bounds)
        if answer.status == 2:
            within = "" if self.lower is None else " within the lower bounds"
            raise InfeasibleConstraintsError(
                f"constraints returned A w <= b that no w{within} satisfies; relax b or drop rows"
            )


def _scaled(constraints: tuple[Any, Any], size: int) -> tuple[Any, Vector, Vector]:
    """Return A and b divided by the norms of the rows of A.

    Return these norms, too.
    """
    try:
        A, b = constraints
        if not sparse.issparse(A):
            A = np.asarray(A, dtype=np.float64)
        else:
            require_indices(A, "A")
        A = sparse.csr_array(A, dtype=np.float64) if A.ndim == 2 else A
        b = np.asarray(b, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"constraints must return a pair of arrays (A, b), or None: {error}"
        ) from error
    if A.ndim != 2 or A.shape != (*b.shape, size):
        raise ProblemError(
            f"constraints must return A of shape (n_constraints, {size}) and b of shape "
            f"(n_constraints,); got {A.shape} and {b.shape}"
        )
    if not (np.isfinite(A.data).all() and np.isfinite(b).all()):
        raise ProblemError("constraints returned NaN or infinity")
    # Rows of norm 1 make violations comparable, whatever the scale of the problem's rows.
    norms = scipy.sparse.linalg.norm(A, axis=1)
    norms = np.where(norms > 0, norms, 1.0)
    return sparse.csr_array(sparse.diags(1 / norms) @ A), b / norms, norms


def _size(w: Vector, cancelled: float) -> float:
    return max(float(np.linalg.norm(w)), CANCELLED * cancelled)


def _relative(excess: Vector, terms: Vector) -> Vector:
    return np.divide(excess, terms, out=np.zeros_like(excess), where=terms > 0)


def _checked_bounds(bounds: Any, size: int) -> Vector:
    try:
        lower = np.asarray(bounds, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"constraints: lower must be an array, or None: {error}") from error
    if lower.shape != (size,) or not np.all(lower < np.inf):
        raise ProblemError(
            f"constraints: lower must hold numbers of shape ({size},), or -inf where there is no "
            f"bound; got {lower!r:.80}"
        )
    return lower
