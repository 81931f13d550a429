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
        Finite. A row that w violates during training is kept as a dense plane, so thousands of such
        rows are slow; put bounds into ``lower``.
    b : array of shape (n_constraints,), optional
        Finite.
    lower : array of shape (size_joint_feature,), optional
        -inf where a weight has no bound; zeros make all weights nonnegative. The time does not
        depend on the number of bounds.
    """

    A: Any = None
    b: Any = None
    lower: Vector | None = None

    @property
    def rows(self) -> tuple[Any, Any] | None:
        """The pair (A, b); None without."""
        return None if self.A is None and self.b is None else (self.A, self.b)


def constraints_of(problem: Any) -> WeightConstraints:
    """The constraints of an initialized problem, empty ones where it has none.

    Raises a ProblemError where its method returns something else.
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
