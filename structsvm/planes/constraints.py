"""A problem's own linear constraints and bounds on w."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg
from scipy import sparse
from scipy.optimize import linprog

from structsvm.exceptions import InfeasibleConstraintsError, ProblemError
from structsvm.problem import Indices, Vector


class Constraints:
    """A w <= b with every row scaled to norm 1, and w >= lower.

    Without any constraints A has no rows; without any bounds ``lower`` is None.

    Attributes
    ----------
    A : csr_array of shape (n_constraints, size)
    b : ndarray of shape (n_constraints,)
    norms : ndarray of shape (n_constraints,)
        The norms of the problem's own rows, by which A and b were divided.
    lower : ndarray of shape (size,) or None
        -inf where a weight has no bound.
    """

    def __init__(
        self, constraints: tuple[Any, Any] | None, size: int, lower_bounds: Any = None
    ) -> None:
        try:
            A, b = (np.empty((0, size)), np.empty(0)) if constraints is None else constraints
            if not sparse.issparse(A):
                A = np.asarray(A, dtype=np.float64)
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
        self.norms = np.where(norms > 0, norms, 1.0)
        self.A = sparse.csr_array(sparse.diags(1 / self.norms) @ A)
        self.b = b / self.norms
        self.lower = None if lower_bounds is None else _checked_bounds(lower_bounds, size)
        # Most constraints admit w = 0; only others need a linear program to tell.
        if np.any(self.A @ self.bounded(np.zeros(size)) > self.b):
            self._require_feasible()

    def bounded(self, v: Vector) -> Vector:
        """The nearest point to v that is within the bounds."""
        return v if self.lower is None else np.maximum(v, self.lower)

    def violations(self, w: Vector) -> Vector:
        """(A w - b)_+ per row, relative to 1 + abs(b) + norm(w)."""
        if not len(self.b):
            return self.b
        return np.maximum(self.A @ w - self.b, 0) / (1 + np.abs(self.b) + np.linalg.norm(w))

    def largest_violation(self, w: Vector) -> float:
        """The largest violation of a row or bound, relative as in :meth:`violations`."""
        largest = float(self.violations(w).max(initial=0))
        if self.lower is None:
            return largest
        below = np.flatnonzero(w < self.lower)
        size = 1 + np.abs(self.lower[below]) + np.linalg.norm(w)
        return max(largest, float(((self.lower[below] - w[below]) / size).max(initial=0)))

    def planes(self, index: Indices) -> tuple[Vector, Vector]:
        """Some rows as planes: -A_r and -b_r."""
        return -self.A[index].toarray(), -self.b[index]

    def _require_feasible(self) -> None:
        size = self.A.shape[1]
        lower = np.full(size, -np.inf) if self.lower is None else self.lower
        bounds = np.column_stack([lower, np.full(size, np.inf)])
        answer = linprog(np.zeros(size), A_ub=self.A, b_ub=self.b, bounds=bounds)
        if answer.status == 2:
            within = "" if self.lower is None else " within the lower bounds"
            raise InfeasibleConstraintsError(
                f"constraints returned A w <= b that no w{within} satisfies; relax b or drop rows"
            )


def _checked_bounds(lower_bounds: Any, size: int) -> Vector:
    try:
        lower = np.asarray(lower_bounds, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"lower_bounds must return an array, or None: {error}") from error
    if lower.shape != (size,) or not np.all(lower < np.inf):
        raise ProblemError(
            f"lower_bounds must return numbers of shape ({size},), or -inf where there is no "
            f"bound; got {lower!r:.80}"
        )
    return lower
