"""Knapsacks of one or more dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import checked_numbers
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer
from structsvm.problems.decisions.optimizers.program import MixedIntegerProgram
from structsvm.problems.programs.constraints import slack

#: Entries of the sets that fit, at most: with more of them a product takes long.
MOST_ENTRIES = 1_000_000
#: Values of sets that are computed at a time.
BLOCK = 1_000_000
#: Entries of the table of an example, at most: with more of them HiGHS may be as fast.
MOST_CELLS = 100_000
#: Entries of the tables that are made at a time.
CELLS = 10_000_000


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


class SetSearch:
    """The best of given sets, each without its items of negative value.

    Parameters
    ----------
    sets : ndarray of bool of shape (s, m)
    """

    def __init__(self, sets: Vector) -> None:
        self.sets = sets.astype(np.float64)

    def __call__(self, values: Vector) -> Vector:
        """The best sets for values of shape (n, m), as 0/1 vectors."""
        decisions = np.empty(values.shape)
        gains = np.maximum(values, 0.0)
        step = max(1, BLOCK // len(self.sets))
        for start in range(0, len(values), step):
            block = slice(start, start + step)
            chosen = (gains[block] @ self.sets.T).argmax(axis=1)
            decisions[block] = self.sets[chosen] * (values[block] > 0)
        return decisions


def maximal_sets(weights: Vector, capacities: Vector) -> Vector | None:
    """The sets of items that fit and to which no other item can be added; None if there are many.

    Weights are of shape (d, m), capacities of shape (d,); the sets are truth values of shape
    (s, m). The sets that fit are made by their size, from those of an item less.
    """
    limits, items = capacities + slack(capacities), np.arange(weights.shape[1])
    sets, sums = np.zeros((1, len(items)), dtype=bool), np.zeros((1, len(weights)))
    last, n_sets, found = np.array([-1]), 1, []
    while len(sets):
        fits = (sums[:, :, None] + weights <= limits[:, None]).all(axis=1) & ~sets
        found.append(sets[~fits.any(axis=1)])
        rows, last_items = np.nonzero(fits & (items > last[:, None]))
        n_sets += len(rows)
        if n_sets * len(items) > MOST_ENTRIES:
            return None
        sets, sums, last = sets[rows], sums[rows] + weights.T[last_items], last_items
        sets[np.arange(len(rows)), last] = True
    return np.concatenate(found)


class TableSearch:
    """The best items for many values at once, by dynamic programming over the capacity.

    Parameters
    ----------
    weights : ndarray of int of shape (m,)
    capacity : int
    """

    def __init__(self, weights: Indices, capacity: int) -> None:
        self.weights, self.capacity = weights, capacity

    def __call__(self, values: Vector) -> Vector:
        """The best items for values of shape (n, m), as 0/1 vectors."""
        decisions = np.zeros(values.shape)
        step = max(1, CELLS // (len(self.weights) * (self.capacity + 1)))
        for start in range(0, len(values), step):
            block = slice(start, start + step)
            self._trace(self._taken(np.ascontiguousarray(values[block].T)), decisions[block])
        return decisions

    def _taken(self, values: Vector) -> Vector:
        """Whether the best of the items so far include the last, for all capacities.

        ``values`` are of shape (m, n), the truth values of shape (m, capacity + 1, n).
        """
        best = np.zeros((self.capacity + 1, values.shape[1]))
        taken = np.zeros((len(values), *best.shape), dtype=bool)
        for j, weight in enumerate(self.weights.tolist()):
            if weight <= self.capacity:
                gained = best[: self.capacity + 1 - weight] + values[j]
                taken[j, weight:] = gained > best[weight:]
                best[weight:] = np.maximum(best[weight:], gained)
        return taken

    def _trace(self, taken: Vector, decisions: Vector) -> None:
        """Write the items to the decisions, from the last."""
        examples = np.arange(len(decisions))
        free = np.full(len(decisions), self.capacity)
        for j in reversed(range(len(self.weights))):
            decisions[:, j] = taken[j, free, examples]
            free -= self.weights[j] * taken[j, free, examples]


def integers_of(weights: Vector, capacities: Vector) -> tuple[Indices, int] | None:
    """The weights and the capacity as integers; None without such, or if the table is large."""
    capacity = float(np.floor(capacities + slack(capacities))[0])
    small = len(capacities) == 1 and weights.size * (capacity + 1) <= MOST_CELLS
    if not small or (weights % 1).any():
        return None
    # Items that never fit keep doing so, whatever their weights.
    return np.minimum(weights[0], capacity + 1).astype(np.intp), int(capacity)
