"""Programs: 0/1 variables with features and linear constraints, as given and as solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import checked_numbers, in_floats, require_matrix
from structsvm.data.sparse_indices import require_indices

#: Largest violation of a constraint, relative to its bound if that is above 1, as in HiGHS.
TOLERANCE = 1e-6


class Program(NamedTuple):
    """v variables that are 0 or 1: their features, and linear constraints on them.

    Attributes
    ----------
    features : ndarray or CSR matrix of shape (v, d)
        A row for each variable; a variable that is 1 scores its features times w. They are
        converted to float64, since products with them take less time than any search.
    constraints : constraint, list or dict of constraints, default=()
        A constraint is a pair (A, b) for A y <= b, or a ``scipy.optimize.LinearConstraint``, which
        may have lower bounds and equalities too; A is dense or scipy.sparse, of shape (r, v). Error
        messages call the constraints of a dict by their names.

    Examples
    --------
    Two of three variables at most, and the last of them only with the first:

    >>> import numpy as np
    >>> from structsvm.problems import IntegerProgram, Program
    >>> constraints = {"size": ([[1, 1, 1]], [2]), "order": ([[-1, 0, 1]], [0])}
    >>> x = Program(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), constraints)
    >>> IntegerProgram().decode(x, np.array([1.0, 1.0]))
    array([1, 0, 1])
    """

    features: Any
    constraints: Any = ()


class Compiled:
    """A checked program with its constraints in one matrix.

    Parameters
    ----------
    features : ndarray or CSR matrix of shape (v, d)
    constraint : LinearConstraint
        All constraints, its ``A`` a CSC array of shape (r, v).
    names : list of str
        The names of the sets of constraints.
    sizes : list of int
        The number of rows of each set.
    """

    def __init__(
        self, features: Any, constraint: LinearConstraint, names: list[str], sizes: list[int]
    ) -> None:
        self.features, self.constraint = features, constraint
        self.names, self.sizes = names, sizes
        self.n_variables = int(features.shape[0])
        self._least = constraint.lb - _slack(constraint.lb)
        self._most = constraint.ub + _slack(constraint.ub)

    @classmethod
    def of(cls, program: Any) -> Compiled:
        """Check a program, or raise a ValueError."""
        if not isinstance(program, Program):
            raise ValueError(f"a Program is expected; got {type(program).__name__}")
        try:
            require_matrix(program.features)
        except ValueError as error:
            raise ValueError(f"features, called X here: {error}") from None
        features, v = program.features, program.features.shape[0]
        if v == 0:
            raise ValueError("a program has at least one variable; got features without rows")
        features = in_floats(features).astype(np.float64, copy=False)
        sets = {name: _checked(name, given, v) for name, given in _named(program.constraints)}
        matrices, lower, upper = zip(*sets.values(), strict=True) if sets else ([], [], [])
        A = sparse.csc_array(sparse.vstack(matrices)) if sets else sparse.csc_array((0, v))
        nothing = np.empty(0)
        bounds = (np.concatenate([nothing, *both]) for both in (lower, upper))
        sizes = [matrix.shape[0] for matrix in matrices]
        return cls(features, LinearConstraint(A, *bounds), list(sets), sizes)

    def scores(self, w: Vector) -> Vector:
        """The scores of the variables, shape (v,)."""
        return self.features @ w

    def sum(self, y: Any) -> Any:
        """The sum of y times the features: a sparse row where these are sparse."""
        y = np.asarray(y, dtype=np.float64)
        return (sparse.csr_matrix(y) if sparse.issparse(self.features) else y) @ self.features

    def violations(self, y: Any) -> Indices:
        """The rows of the constraint that y violates."""
        return np.flatnonzero(self._outside(self.constraint.A @ y))

    def violations_of_flips(self, y: Any) -> Indices:
        """The number of rows that are violated where one variable of y is flipped; shape (v,)."""
        A, values = self.constraint.A, self.constraint.A @ y
        columns = np.repeat(np.arange(self.n_variables), np.diff(A.indptr))
        after = values[A.indices] + A.data * (1 - 2 * y)[columns]
        wrong = self._outside(values)
        change = self._outside(after, A.indices).astype(int) - wrong[A.indices]
        return wrong.sum() + np.bincount(columns, change, self.n_variables).astype(np.intp)

    def _outside(self, values: Vector, rows: Any = slice(None)) -> Any:
        return (values < self._least[rows]) | (values > self._most[rows])

    def require_feasible(self, y: Any, name: str) -> None:
        """Raise a ValueError where y, which messages call by a name, violates a constraint."""
        rows = self.violations(y)
        if not len(rows):
            return
        ends = np.cumsum(self.sizes)
        number = int(np.searchsorted(ends, rows[0], side="right"))
        row = rows[0] - (ends[number] - self.sizes[number])
        value = float((self.constraint.A @ y)[rows[0]])
        low, high = (float(b[rows[0]]) for b in (self.constraint.lb, self.constraint.ub))
        more = f", and {len(rows) - 1} rows more" if len(rows) > 1 else ""
        raise ValueError(
            f"{name} violates constraint set {self.names[number]!r} in row {row}: A y is "
            f"{value:g}, which must be {_range(low, high)}{more}"
        )

    def restricted(self, known: Any, values: Any) -> Compiled:
        """The program of the other variables, where these have known values."""
        whole = self.constraint
        fixed = whole.A[:, known] @ values[known]
        rest = LinearConstraint(whole.A[:, ~known], whole.lb - fixed, whole.ub - fixed)
        return Compiled(self.features[~known], rest, self.names, self.sizes)

    def without(self, names: list[str]) -> Compiled:
        """The program without some sets of constraints."""
        kept = np.array([name not in names for name in self.names], dtype=bool)
        rows, whole = np.repeat(kept, self.sizes), self.constraint
        rest = LinearConstraint(sparse.csc_array(whole.A[rows]), whole.lb[rows], whole.ub[rows])
        chosen = np.flatnonzero(kept)
        return Compiled(
            self.features, rest, [self.names[i] for i in chosen], [self.sizes[i] for i in chosen]
        )


def _named(constraints: Any) -> Iterator[tuple[str, Any]]:
    """The sets of constraints with their names."""
    if isinstance(constraints, Mapping):
        yield from ((str(name), given) for name, given in constraints.items())
    elif isinstance(constraints, list):
        yield from ((f"constraints[{i}]", given) for i, given in enumerate(constraints))
    elif not (isinstance(constraints, tuple) and constraints == ()):
        yield "constraints", constraints


def _checked(name: str, given: Any, v: int) -> tuple[Any, Vector, Vector]:
    """A as a sparse array, and the lower and upper bounds of a set of constraints."""
    if isinstance(given, LinearConstraint):
        A, low, high = given.A, given.lb, given.ub
    elif isinstance(given, tuple) and len(given) == 2:
        A, low, high = given[0], -np.inf, given[1]
    else:
        raise ValueError(
            f"constraint set {name!r} must be a pair (A, b) or a scipy.optimize.LinearConstraint; "
            f"got {type(given).__name__}"
        )
    if sparse.issparse(A):
        A = A.tocsc()
        require_indices(A, f"A of constraint set {name!r}")
        numbers = checked_numbers(f"A of constraint set {name!r}", A.data)
    else:
        A = numbers = np.atleast_2d(checked_numbers(f"A of constraint set {name!r}", A))
    if A.ndim != 2 or A.shape[1] != v:
        raise ValueError(
            f"A of constraint set {name!r} must have a column for each of {v} variables; got shape "
            f"{A.shape}"
        )
    if not np.isfinite(numbers).all():
        raise ValueError(f"A of constraint set {name!r} contains NaN or infinity")
    bounds = []
    for bound in (low, high):
        bound = checked_numbers(f"the bounds of constraint set {name!r}", bound)
        if bound.shape not in ((), (1,), A.shape[:1]) or np.isnan(bound).any():
            raise ValueError(
                f"constraint set {name!r} has {A.shape[0]} rows; its bounds must be as many "
                f"numbers, not NaN; got shape {bound.shape}"
            )
        bounds.append(np.broadcast_to(bound, A.shape[:1]))
    return sparse.csc_array(A, dtype=np.float64), bounds[0], bounds[1]


def _slack(bounds: Vector) -> Vector:
    """The largest allowed violation of bounds; bounds may be infinite."""
    return TOLERANCE * np.maximum(1, np.where(np.isfinite(bounds), np.abs(bounds), 0))


def _range(low: float, high: float) -> str:
    if low == high:
        return f"{low:g}"
    return " and ".join(
        words
        for words, bound in ((f"at least {low:g}", low), (f"at most {high:g}", high))
        if np.isfinite(bound)
    )
