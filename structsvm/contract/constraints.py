"""Linear constraints and lower bounds on w, as a problem states them."""

from __future__ import annotations

from typing import Any, NamedTuple

from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError


class WeightConstraints(NamedTuple):
    """The constraints A w <= b and w >= lower.

    Attributes
    ----------
    A : array or scipy.sparse matrix of shape (n_constraints, size_joint_feature), optional
        Finite coefficients. Training is slow if w violates thousands of rows of A, because each
        violated row is stored as a dense vector. Put bounds into ``lower``.
    b : array of shape (n_constraints,), optional
        Finite right-hand sides.
    lower : array of shape (size_joint_feature,), optional
        Lower bounds on the weights; -inf for a weight without a bound. Bounds of zero make all
        weights nonnegative. The training time does not depend on the number of bounds.
    """

    A: Any = None
    b: Any = None
    lower: Vector | None = None

    @property
    def rows(self) -> tuple[Any, Any] | None:
        """The pair (A, b); None if there are no constraints."""
        return None if self.A is None and self.b is None else (self.A, self.b)


def constraints_of(problem: Any) -> WeightConstraints:
    """Return the constraints of an initialized problem; empty if the problem has no constraints.

    Raises a ProblemError if the problem's method ``constraints`` returns a wrong value.
    """
    found = None if problem.constraints is None else problem.constraints()
    if isinstance(found, WeightConstraints):
        return found
    if found is None:
        return WeightConstraints()
    if not (isinstance(found, (tuple, list)) and len(found) == 2):
        raise ProblemError(
            f"{type(problem).__name__}.constraints must return a pair of arrays (A, b), a "
            f"structsvm.WeightConstraints or None; it returned {found!r:.80}"
        )
    return WeightConstraints(*found)
