"""Sets of linear constraints, checked and joined in one matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import checked_numbers
from structsvm.data.sparse_indices import require_indices
from structsvm.problems.programs.constraint_objects import are_objects, linear_constraint

#: Largest violation of a constraint, relative to its bound if the bound is above 1, as in HiGHS.
TOLERANCE = 1e-6


class Constraints:
    """Checked linear constraints on v variables, joined in one matrix.

    Parameters
    ----------
    constraint : LinearConstraint
        All constraints; the matrix ``A`` is a CSC array of shape (r, v).
    names : list of str
        The names of the sets of constraints.
    sizes : list of int
        The number of rows of ``constraint.A`` that belong to each set of constraints.
    """

    def __init__(self, constraint: LinearConstraint, names: list[str], sizes: list[int]) -> None:
        self.constraint, self.names, self.sizes = constraint, names, sizes
        self.n_variables = int(constraint.A.shape[1])
        self._least = constraint.lb - slack(constraint.lb)
        self._most = constraint.ub + slack(constraint.ub)

    @classmethod
    def checked(cls, given: Any, v: int | None = None) -> Constraints:
        """Check constraints on v variables, in any form that a ``Program`` accepts.

        If ``v`` is None, the first set of constraints determines the number of variables.

        Raises
        ------
        ValueError
            If a constraint has a wrong form, or does not have a column for each variable.
        """
        matrices, lower, upper, names = [], [], [], []
        for name, one in _named(given):
            A, low, high = _checked(name, one, v)
            v = A.shape[1]
            matrices.append(A)
            lower.append(low)
            upper.append(high)
            names.append(name)
        A = sparse.csc_array(sparse.vstack(matrices)) if names else sparse.csc_array((0, v or 0))
        bounds = (np.concatenate([np.empty(0), *both]) for both in (lower, upper))
        return cls(LinearConstraint(A, *bounds), names, [matrix.shape[0] for matrix in matrices])

    def violations(self, y: Any) -> Indices:
        """Return the indices of the rows that y violates."""
        return np.flatnonzero(self._outside(self.constraint.A @ y))

    def violations_of_flips(self, y: Any) -> Indices:
        """Return, for each variable, how many rows are violated after it is flipped; shape (v,)."""
        A, values = self.constraint.A, self.constraint.A @ y
        columns = np.repeat(np.arange(self.n_variables), np.diff(A.indptr))
        after = values[A.indices] + A.data * (1 - 2 * y)[columns]
        wrong = self._outside(values)
        change = self._outside(after, A.indices).astype(int) - wrong[A.indices]
        return int(wrong.sum()) + np.bincount(columns, change, self.n_variables).astype(np.intp)

    def _outside(self, values: Vector, rows: Any = slice(None)) -> Any:
        return (values < self._least[rows]) | (values > self._most[rows])

    def require_feasible(self, y: Any, name: str, known: Any = None) -> None:
        """Raise a ValueError if y violates a constraint; ``name`` is the name of y in the message.

        With a mask ``known``, the unknown variables may be 0 or 1: a row is violated only if no
        values of the unknown variables satisfy it.
        """
        if known is None or known.all():
            least = most = self.constraint.A @ y
        else:
            A, fixed = self.constraint.A[:, ~known], self.constraint.A[:, known] @ y[known]
            least, most = (fixed + part.sum(axis=1) for part in (A.minimum(0), A.maximum(0)))
        rows = np.flatnonzero((most < self._least) | (least > self._most))
        if not len(rows):
            return
        ends = np.cumsum(self.sizes)
        number = int(np.searchsorted(ends, rows[0], side="right"))
        row = rows[0] - (ends[number] - self.sizes[number])
        values = sorted({float(least[rows[0]]), float(most[rows[0]])})
        low, high = (float(b[rows[0]]) for b in (self.constraint.lb, self.constraint.ub))
        more = f", and {len(rows) - 1} rows more" if len(rows) > 1 else ""
        unknown = ", whatever the unknown variables are" if len(values) > 1 else ""
        raise ValueError(
            f"{name} violates constraint set {self.names[number]!r} in row {row}: A y is "
            f"{' to '.join(f'{value:g}' for value in values)}{unknown}, which must be "
            f"{_range(low, high)}{more}"
        )

    def without(self, names: list[str]) -> Constraints:
        """Return the constraints without the sets whose names are in ``names``."""
        kept = np.array([name not in names for name in self.names], dtype=bool)
        rows, whole = np.repeat(kept, self.sizes), self.constraint
        rest = LinearConstraint(sparse.csc_array(whole.A[rows]), whole.lb[rows], whole.ub[rows])
        chosen = np.flatnonzero(kept)
        return Constraints(rest, [self.names[i] for i in chosen], [self.sizes[i] for i in chosen])


def _named(constraints: Any) -> Iterator[tuple[str, Any]]:
    """Yield the sets of constraints with their names."""
    if isinstance(constraints, Mapping):
        yield from ((str(name), given) for name, given in constraints.items())
    elif isinstance(constraints, list):
        yield from ((f"constraints[{i}]", given) for i, given in enumerate(constraints))
    elif not (isinstance(constraints, tuple) and constraints == ()):
        yield "constraints", constraints


def _parts(name: str, given: Any) -> tuple[Any, Any, Any]:
    """Return A and the lower and upper bounds of a set of constraints, without checks."""
    if isinstance(given, LinearConstraint):
        return given.A, given.lb, given.ub
    if isinstance(given, tuple) and len(given) == 2:
        return given[0], -np.inf, given[1]
    got = f"a tuple of {len(given)}" if isinstance(given, tuple) else type(given).__name__
    raise ValueError(
        f"constraint set {name!r} must be a pair (A, b), which means A y <= b, or a "
        f"scipy.optimize.LinearConstraint(A, low, high); got {got}"
    )


def _matrix(name: str, A: Any) -> Any:
    """Return A as a CSC or dense matrix of finite numbers."""
    if sparse.issparse(A):
        A = A.tocsc(copy=True)
        require_indices(A, f"A of constraint set {name!r}")
        A.sum_duplicates()  # HiGHS refuses them
        numbers = checked_numbers(f"A of constraint set {name!r}", A.data)
    else:
        A = numbers = np.atleast_2d(checked_numbers(f"A of constraint set {name!r}", A))
    if not np.isfinite(numbers).all():
        raise ValueError(f"A of constraint set {name!r} contains NaN or infinity")
    return A


def _checked(name: str, given: Any, v: int | None) -> tuple[Any, Vector, Vector]:
    if are_objects(given):
        given = linear_constraint(name, given, v)
    A, low, high = _parts(name, given)
    A = _matrix(name, A)
    if A.ndim != 2 or A.shape[1] != (v or A.shape[1]):
        raise ValueError(
            f"A of constraint set {name!r} must have a column for each of {v} variables; got shape "
            f"{A.shape}"
        )
    bounds = []
    for bound in (low, high):
        bound = checked_numbers(f"the bounds of constraint set {name!r}", bound)
        if bound.shape not in ((), (1,), A.shape[:1]):
            raise ValueError(
                f"constraint set {name!r} has {A.shape[0]} rows; its bounds must be as many "
                f"numbers; got shape {bound.shape}"
            )
        if np.isnan(bound).any():
            raise ValueError(
                f"a bound of constraint set {name!r} is NaN; give a number, or infinity for none"
            )
        bounds.append(np.broadcast_to(bound, A.shape[:1]))
    return sparse.csc_array(A, dtype=np.float64), bounds[0], bounds[1]


def slack(bounds: Vector, tolerance: float = TOLERANCE) -> Vector:
    """Return the tolerance for violations of each bound; bounds may be infinite."""
    return tolerance * np.maximum(1, np.where(np.isfinite(bounds), np.abs(bounds), 0))


def _range(low: float, high: float) -> str:
    if low == high:
        return f"{low:g}"
    return " and ".join(
        words
        for words, bound in ((f"at least {low:g}", low), (f"at most {high:g}", high))
        if np.isfinite(bound)
    )
