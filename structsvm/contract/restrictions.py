"""Optional methods of a problem: bounds and linear constraints on w."""

from __future__ import annotations

from typing import Any

from structsvm.data.arrays import Vector


class Restrictions:
    """Linear constraints and lower bounds on w.

    :class:`structsvm.OneSlackCuttingPlane`, :class:`structsvm.NSlackCuttingPlane` and
    :class:`structsvm.CCCP` keep them, and call the oracles only with a w that satisfies them. The
    other solvers refuse a problem with constraints or bounds.
    """

    def constraints(self) -> tuple[Any, Any] | None:
        """Return linear constraints on w as a pair (A, b) with A w <= b, or None.

        Requires: ``initialize`` has run.
        Ensures: A of shape (n_constraints, size_joint_feature), dense or scipy.sparse, and b of
        shape (n_constraints,), both finite. A row that w violates during training is kept as a
        dense plane, so thousands of such rows are slow; put bounds into :meth:`lower_bounds`.
        """
        return None

    def lower_bounds(self) -> Vector | None:
        """Return lower bounds on w, or None; zeros make all weights nonnegative.

        Requires: ``initialize`` has run.
        Ensures: shape (size_joint_feature,), -inf where a weight has no bound. The time does not
        depend on the number of bounds.
        """
        return None
