"""Local search that shortens tours by reversing parts of them, for many examples at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.decisions.optimizers.costs import in_blocks

#: Gain of an exchange that counts as rounding, relative to the largest cost.
ROUNDING = 1e-9
#: Number of exchanges that are compared at a time.
BLOCK = 100_000


class TwoOpt:
    """A search that shortens tours by reversing parts of them: 2-opt [1]_.

    Parameters
    ----------
    pairs : ndarray of shape (n_cities, n_cities)
        For every two cities, the index of their pair.

    References
    ----------
    .. [1] G. A. Croes, "A method for solving traveling-salesman problems", Operations Research
       6(6), 1958.
    """

    def __init__(self, pairs: Indices) -> None:
        self._pairs = pairs
        first, last = np.triu_indices(len(pairs), 2)
        apart = (first > 0) | (last < len(pairs) - 1)  # these two are neighbours, too
        # The parts that may be reversed, by the position before the first city and that of the
        # last.
        self._before, self._last = first[apart], last[apart]

    def __call__(self, costs: Vector, decisions: Vector) -> Vector:
        """Return tours that no reversal shortens, as 0/1 vectors in an array of shape (n, m)."""
        return in_blocks(self._improved, costs, BLOCK // max(1, len(self._before)), decisions)

    def _improved(self, costs: Vector, decisions: Vector) -> Vector:
        places = np.arange(len(self._pairs))
        tours, rows = self._tours(decisions), np.arange(len(costs))
        while len(rows) and len(self._before):
            gains = self._gains(costs[rows], tours[rows])
            best = gains.argmax(axis=1)
            better = gains.max(axis=1) > ROUNDING * np.abs(costs[rows]).max(axis=1)
            rows, best = rows[better], best[better]
            before, last = self._before[best, None], self._last[best, None]
            reversed_part = (places > before) & (places <= last)
            order = np.where(reversed_part, before + 1 + last - places, places)
            tours[rows] = np.take_along_axis(tours[rows], order, axis=1)
        improved = np.zeros(decisions.shape)
        np.put_along_axis(improved, self._pairs[tours, np.roll(tours, -1, axis=1)], 1.0, axis=1)
        return improved

    def _gains(self, costs: Vector, tours: Indices) -> Vector:
        """Return, for each tour and each reversal, how much the reversal shortens the tour."""
        after = np.roll(tours, -1, axis=1)
        a, b = (cities[:, self._before] for cities in (tours, after))
        c, d = (cities[:, self._last] for cities in (tours, after))
        return self._lengths(costs, (a, b), (c, d)) - self._lengths(costs, (a, c), (b, d))

    def _lengths(self, costs: Vector, first: Any, second: Any) -> Vector:
        """Return the summed costs of the pairs of cities ``first`` and ``second``."""
        of_first, of_second = (
            np.take_along_axis(costs, self._pairs[pair], axis=1) for pair in (first, second)
        )
        return of_first + of_second

    def _tours(self, decisions: Vector) -> Indices:
        """Return the cities of each tour in their order, from city 0, shape (n, n_cities)."""
        n, n_cities = len(decisions), len(self._pairs)
        matrices = decisions[:, self._pairs] * (1 - np.eye(n_cities))
        rows, tours = np.arange(n), np.zeros((n, n_cities), dtype=np.intp)
        for place in range(1, n_cities):
            here, before = tours[:, place - 1], tours[:, place - 2]
            matrices[rows, here, before] = 0  # not back
            tours[:, place] = matrices[rows, here].argmax(axis=1)
        return tours
