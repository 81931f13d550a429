"""Programs of 0/1 variables with features and linear constraints, and their compiled form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint

from structsvm.data.arrays import Vector
from structsvm.data.matrices import in_floats, require_matrix
from structsvm.exceptions import InputError
from structsvm.problems.programs.constraints import Constraints


class Program(NamedTuple):
    """An integer program: the features of v variables that are 0 or 1, and linear constraints.

    Attributes
    ----------
    features : ndarray or CSR matrix of shape (v, d)
        A row of features for each variable. The score of a variable that is 1 is the product of its
        row and w. The features are converted to float64.
    constraints : constraint, list or dict of constraints, default=()
        A constraint is a pair (A, b) for A y <= b, or a ``scipy.optimize.LinearConstraint``, which
        may also have lower bounds and equalities. A is dense or scipy.sparse, of shape (r, v).
        Error messages name the constraints of a dict by their keys.

    Examples
    --------
    A program that chooses at most two of three variables, and the third only together with the
    first:

    >>> import numpy as np
    >>> from structsvm.problems import IntegerProgram, Program
    >>> constraints = {"size": ([[1, 1, 1]], [2]), "order": ([[-1, 0, 1]], [0])}
    >>> x = Program(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), constraints)
    >>> IntegerProgram().decode(x, np.array([1.0, 1.0]))
    array([1, 0, 1])
    """

    features: Any
    constraints: Any = ()


class Compiled(Constraints):
    """A checked program with its constraints in one matrix.

    Parameters
    ----------
    features : ndarray or CSR matrix of shape (v, d)
    constraints : Constraints
        Constraints on v variables.
    """

    def __init__(self, features: Any, constraints: Constraints) -> None:
        super().__init__(constraints.constraint, constraints.names, constraints.sizes)
        self.features = features

    @classmethod
    def of(cls, program: Any) -> Compiled:
        """Compile a program; raise a ValueError if it is invalid."""
        if isinstance(program, Compiled):
            return program
        if not isinstance(program, Program):
            raise InputError(f"a Program is expected; got {type(program).__name__}")
        if hasattr(program.constraints, "shape"):
            raise InputError("constraints are no array: write Program(features, constraints)")
        try:
            require_matrix(program.features)
        except ValueError as error:
            raise InputError(f"its features, called X here: {error}") from None
        features, v = program.features, program.features.shape[0]
        if v == 0:
            raise InputError("a program has at least one variable; got features without rows")
        features = in_floats(features).astype(np.float64, copy=False)
        return cls(features, Constraints.checked(program.constraints, v))

    def scores(self, w: Vector) -> Vector:
        """Return the scores of the variables, shape (v,)."""
        return np.asarray(self.features @ w)

    def sum(self, y: Any) -> Any:
        """Return the sum of the features, weighted by y; for sparse features, a sparse row."""
        y = np.asarray(y, dtype=np.float64)
        return (sparse.csr_matrix(y) if sparse.issparse(self.features) else y) @ self.features

    def restricted(self, known: Any, values: Any) -> Compiled:
        """Return the program of only the unknown variables, with the known variables fixed."""
        whole = self.constraint
        fixed = whole.A[:, known] @ values[known]
        rest = LinearConstraint(whole.A[:, ~known], whole.lb - fixed, whole.ub - fixed)
        return Compiled(self.features[~known], Constraints(rest, self.names, self.sizes))
