"""Knapsacks of one or more dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer
from structsvm.problems.decisions.optimizers.knapsack_sets import SetSearch, maximal_sets
from structsvm.problems.decisions.optimizers.knapsack_table import TableSearch, integers_of
from structsvm.problems.decisions.optimizers.program import MixedIntegerProgram


class Knapsack(CheckedOptimizer):
    """The most valuable items that fit into a knapsack, each taken once or not at all.

    It maximises: ``sense`` is 'max'. The decision is 1 for the items taken and 0 for the others.
    Items of negative value are not taken.

    Parameters
    ----------
    weights : array-like of shape (d, m) or (m,)
        The weights >= 0 of m items in d dimensions, or in one.
    capacities : array-like of shape (d,) or float
        The largest sums of the weights, >= 0, in each dimension.

    Raises
    ------
    ValueError
        Weights or capacities are negative, not finite, or of other shapes.

    Notes
    -----
    Where few sets of items fit, they are listed, and all examples are solved by one product; else,
    with integer weights in one dimension, by dynamic programming over the capacity; else by HiGHS,
    one example after the other. All are exact. A sum may exceed its capacity c by the tolerance of
    HiGHS, 1e-6 max(1, c), as sums of decimal fractions do.

    Examples
    --------
    >>> from structsvm.problems.decisions.optimizers import Knapsack
    >>> Knapsack([6.0, 5.0, 4.0], 10.0)([4.0, 3.0, 1.0])
    array([1., 0., 1.])
    """

    sense = "max"

    def __init__(self, weights: Any, capacities: Any) -> None:
        self.weights = weights
        self.capacities = capacities
        rows, limits = _checked(weights, capacities)
        self.n_costs = rows.shape[1]
        self._program = MixedIntegerProgram({"capacities": (rows, limits)}, sense="max")
        self._search = _fast_search(rows, limits)
        self.oracle_cost = "expensive" if self._search is None else "cheap"

    def decisions(self) -> Iterable[Vector]:
        """Return all sets of items that fit."""
        return self._program.decisions()

    def require_feasible(self, decision: Any) -> None:
        """Raise a ValueError unless the decision is a set of items that fits."""
        self._program.require_feasible(decision)

    def improve(self, costs: Vector, decisions: Vector) -> Vector:
        return self._program.improve(costs, decisions)

    def _solve(self, costs: Vector) -> Vector:
        return self._program.batch(costs) if self._search is None else self._search(costs)


def _fast_search(weights: Vector, capacities: Vector) -> SetSearch | TableSearch | None:
    """A search of many examples at once; None where there would be too many sets or sums."""
    sets = maximal_sets(weights, capacities)
    if sets is not None:
        return SetSearch(sets)
    integers = integers_of(weights, capacities)
    return None if integers is None else TableSearch(*integers)


def _checked(weights: Any, capacities: Any) -> tuple[Vector, Vector]:
    """The weights in shape (d, m), and the capacities in shape (d,)."""
    rows = np.atleast_2d(checked_numbers("weights", weights))
    limits = np.atleast_1d(checked_numbers("capacities", capacities))
    if rows.ndim != 2 or not rows.size:
        raise ValueError(
            "weights must be of shape (d, m), a row for each dimension and a column for each item; "
            f"got shape {rows.shape}"
        )
    if limits.shape != rows.shape[:1]:
        raise ValueError(
            f"capacities must have a number for each of {len(rows)} rows of weights; got shape "
            f"{limits.shape}"
        )
    for name, numbers in (("weights", rows), ("capacities", limits)):
        wrong = ~((numbers >= 0) & np.isfinite(numbers))
        if wrong.any():
            raise ValueError(f"{name} must be finite and >= 0; got {numbers[wrong][0]:g}")
    return rows, limits
