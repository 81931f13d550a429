"""Constraints as objects with coefficients, a relation and a value, like constraints of ilpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint


def are_objects(given: Any) -> bool:
    """Whether the value holds constraints of ilpy; ilpy need not be installed."""
    return type(given).__module__.partition(".")[0] == "ilpy" and hasattr(given, "__iter__")


def linear_constraint(name: str, given: Any, v: int | None) -> LinearConstraint:
    """Return one ``LinearConstraint`` on v variables, with a row for each constraint object.

    Raises
    ------
    ValueError
        If a constraint is quadratic or has a variable that does not exist, or if v is None.
    """
    if v is None:
        raise ValueError(f"{name!r} does not say how many variables there are: give their number")
    entries, lower, upper = [], [], []
    for row, constraint in enumerate(given):
        if constraint.get_quadratic_coefficients():
            raise ValueError(
                f"constraint {row} of {name!r} is quadratic; integer programs have linear ones only"
            )
        entries += [(row, i, value) for i, value in constraint.get_coefficients().items()]
        relation, bound = constraint.get_relation().name, constraint.get_value()
        lower.append(-np.inf if relation == "LessEqual" else bound)
        upper.append(np.inf if relation == "GreaterEqual" else bound)
    rows, columns, values = np.array(entries, dtype=np.float64).reshape(-1, 3).T
    rows, columns = rows.astype(np.intp), columns.astype(np.intp)
    if len(columns) and not 0 <= columns.min() <= columns.max() < v:
        row = int(rows[(columns < 0) | (columns >= v)][0])
        raise ValueError(
            f"constraint {row} of {name!r} has a variable that does not exist: the program has "
            f"{v} variables, numbered from 0, and the constraints go to {columns.max()}"
        )
    A = sparse.coo_array((values, (rows, columns)), (len(lower), v))
    return LinearConstraint(A.tocsc(), np.array(lower), np.array(upper))
