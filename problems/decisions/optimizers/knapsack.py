"""Knapsacks with capacities in one or more dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import checked_numbers
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer, in_blocks
from structsvm.problems.decisions.optimizers.program import MixedIntegerProgram
from structsvm.problems.programs.constraints import slack

#: Largest number of entries of the listed sets: with more of them a product takes long.
MOST_ENTRIES = 1_000_000
#: Largest number of entries of an example's table: with more of them HiGHS may be as fast.
MOST_CELLS = 100_000
#: Number of values that are computed at a time.
BLOCK = 1_000_000


class Knapsack(CheckedOptimizer):
    """The most valuable items that fit into a knapsack; each item is packed at most once.

    The value is maximised: ``sense`` is 'max'. The decision is 1 for the packed items and 0 for all
    other items. Items of negative value are not packed.

    Parameters
    ----------
    weights : array-like of shape (d, m) or (m,)
        The weights >= 0 of m items, in one or in d dimensions.
    capacities : array-like of shape (d,) or float
        The capacities >= 0: the largest allowed sum of the weights in each dimension.

    Raises
    ------
    ValueError
        If weights or capacities are negative or not finite, or have wrong shapes.

    Notes
    -----
    If few sets of items fit, all of these sets are listed, and one matrix product solves all
    examples. If many sets fit, knapsacks with integer weights in one dimension are solved by
    dynamic programming over the capacity, unless the capacity is large. If many sets fit and
    dynamic programming is impossible or slow, HiGHS solves one example after the other. Listing,
    dynamic programming and HiGHS are exact. A sum of weights may exceed its capacity c by 1e-6
    max(1, c), the tolerance of HiGHS, since sums of decimal fractions are rounded.

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
        self._sets = _maximal_sets(rows, limits)
        self._integers = _integers_of(rows, limits) if self._sets is None else None
        few = self._sets is not None or self._integers is not None
        self.oracle_cost = "cheap" if few else "expensive"

    def decisions(self) -> Iterable[Vector]:
        """Return all sets of items that fit."""
        return self._program.decisions()

    def require_feasible(self, decision: Any) -> None:
        """Raise a ValueError unless the decision is a set of items that fits."""
        self._program.require_feasible(decision)

    def improve(self, costs: Vector, decisions: Vector) -> Vector:
        return self._program.improve(costs, decisions)

    def _solve(self, costs: Vector) -> Vector:
        if self._sets is not None:
            sets = self._sets
            return in_blocks(lambda values: _best_set(sets, values), costs, BLOCK // len(sets))
        if self._integers is not None:
            weights, capacity = self._integers
            size = BLOCK // (len(weights) * (capacity + 1))
            return in_blocks(lambda values: _by_table(weights, capacity, values), costs, size)
        return self._program.batch(costs)


def _checked(weights: Any, capacities: Any) -> tuple[Vector, Vector]:
    """Return the weights in shape (d, m), and the capacities in shape (d,)."""
    rows = np.atleast_2d(checked_numbers("weights", weights))
    limits = np.atleast_1d(checked_numbers("capacities", capacities))
    if rows.ndim != 2 or not rows.size or limits.shape != rows.shape[:1]:
        raise ValueError(
            "weights must be of shape (d, m), a row for each dimension and a column for each item, "
            f"and capacities of shape (d,); got shapes {rows.shape} and {limits.shape}"
        )
    for name, numbers in (("weights", rows), ("capacities", limits)):
        wrong = ~((numbers >= 0) & np.isfinite(numbers))
        if wrong.any():
            raise ValueError(f"{name} must be finite and >= 0; got {numbers[wrong][0]:g}")
    return rows, limits


def _maximal_sets(weights: Vector, capacities: Vector) -> Vector | None:
    """Return the maximal sets of items that fit, as 0/1 vectors, or None if too many sets fit."""
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
    return np.concatenate(found).astype(np.float64)


def _best_set(sets: Vector, values: Vector) -> Vector:
    """Return the best of the maximal sets for each example; items of negative value are removed."""
    return np.asarray(sets[(np.maximum(values, 0.0) @ sets.T).argmax(axis=1)] * (values > 0))


def _integers_of(weights: Vector, capacities: Vector) -> tuple[Indices, int] | None:
    """Return weights and capacity as integers, or None if they are fractional or too large."""
    capacity = float(np.floor(capacities + slack(capacities))[0])
    small = len(capacities) == 1 and weights.size * (capacity + 1) <= MOST_CELLS
    if not small or (weights % 1).any():
        return None
    # An item that never fits may have any weight above the capacity.
    return np.minimum(weights[0], capacity + 1).astype(np.intp), int(capacity)


def _by_table(weights: Indices, capacity: int, values: Vector) -> Vector:
    """Return the best items, by dynamic programming over the items and the capacity."""
    best = np.zeros((capacity + 1, len(values)))
    # Whether the best choice from the first items takes the last of them, for each capacity.
    taken = np.zeros((len(weights), *best.shape), dtype=bool)
    for j, weight in enumerate(weights.tolist()):
        gained = best[: capacity + 1 - weight] + values[:, j]
        taken[j, weight:] = gained > best[weight:]
        best[weight:] = np.maximum(best[weight:], gained)
    decisions, examples = np.zeros(values.shape), np.arange(len(values))
    free = np.full(len(values), capacity)
    for j in reversed(range(len(weights))):
        decisions[:, j] = taken[j, free, examples]
        free -= weights[j] * taken[j, free, examples]
    return decisions
