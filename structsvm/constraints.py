"""A problem's own linear constraints on w."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg
from scipy import sparse
from scipy.optimize import linprog

from structsvm.exceptions import InfeasibleConstraintsError, ProblemError
from structsvm.problem import Indices, Vector


class Constraints:
    """A w <= b with every row scaled to norm 1; without any constraints, A has no rows.

    Attributes
    ----------
    A : csr_array of shape (n_constraints, size)
    b : ndarray of shape (n_constraints,)
    norms : ndarray of shape (n_constraints,)
        What the rows and b, as the problem gave them, were divided by.
    """

    def __init__(self, constraints: tuple[Any, Any] | None, size: int) -> None:
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
        norms = scipy.sparse.linalg.norm(A, axis=1)
        self.norms = np.where(norms > 0, norms, 1.0)
        self.A = sparse.csr_array(sparse.diags(1 / self.norms) @ A)
        self.b = b / self.norms
        if np.any(self.b < 0):  # else w = 0 is feasible
            self._require_feasible()

    def violations(self, w: Vector) -> Vector:
        """(A w - b)_+ per row, relative to 1 + abs(b) + norm(w)."""
        if not len(self.b):
            return self.b
        return np.maximum(self.A @ w - self.b, 0) / (1 + np.abs(self.b) + np.linalg.norm(w))

    def planes(self, index: Indices) -> tuple[Vector, Vector]:
        """Some rows as planes: -A_r and -b_r."""
        return -self.A[index].toarray(), -self.b[index]

    def _require_feasible(self) -> None:
        bounds = (None, None)
        answer = linprog(np.zeros(self.A.shape[1]), A_ub=self.A, b_ub=self.b, bounds=bounds)
        if answer.status == 2:
            raise InfeasibleConstraintsError(
                "constraints returned A w <= b that no w satisfies; relax b or drop rows"
            )
