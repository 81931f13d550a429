"""Linear constraints and lower bounds on w, as a problem states them."""

from __future__ import annotations

from typing import Any, NamedTuple

from structsvm.data.arrays import Vector


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
    """The constraints of an initialized problem, empty ones where it has none."""
    found = None if problem.constraints is None else problem.constraints()
    return found if isinstance(found, WeightConstraints) else WeightConstraints(*(found or ()))
