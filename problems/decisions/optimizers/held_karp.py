"""Shortest tours of few cities, by dynamic programming for many costs at once."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: Sums that are compared at a time.
BLOCK = 500_000


class Step(NamedTuple):
    """The ways to visit the cities of a set, by their number s; there are c such sets.

    Attributes
    ----------
    before : ndarray of shape (c, s)
        For each set and last city the number of the set without it, among those of s - 1 cities.
    pairs : ndarray of shape (c, s, s - 1)
        For each set, last city and last city but one the number of their pair.
    """

    before: Indices
    pairs: Indices


class TourSearch:
    """The dynamic program of Held and Karp.

    From city 0 a path visits the cities of a set and ends in one of them. The shortest such path
    extends the shortest to the city before.

    Parameters
    ----------
    pairs : ndarray of shape (n_cities, n_cities)
        The numbers of the pairs of cities.
    """

    def __init__(self, pairs: Indices) -> None:
        self.first_pairs = pairs[0, 1:]
        others = range(1, len(pairs))
        sizes = [np.array(list(combinations(others, s))) for s in range(1, len(pairs))]
        self.steps = [_step(*sets, pairs) for sets in pairwise(sizes)]
        self.most_sums = max(step.pairs.size for step in self.steps)

    def __call__(self, costs: Vector) -> Vector:
        """The tours for costs of shape (n, m), as 0/1 vectors of their pairs."""
        decisions = np.zeros(costs.shape)
        size = max(1, BLOCK // self.most_sums)
        for start in range(0, len(costs), size):
            block = slice(start, start + size)
            self._trace(*self._paths(np.ascontiguousarray(costs[block].T)), decisions[block])
        return decisions

    def _paths(self, costs: Vector) -> tuple[list[Indices], Indices]:
        """The last cities but one of the shortest paths, and the last city of the tours.

        ``costs`` are of shape (m, n). The cities but one have the shape (c, s, n) for each step.
        """
        lengths, choices = costs[self.first_pairs][:, None], []
        for step in self.steps:
            sums = lengths[step.before] + costs[step.pairs]
            choices.append(sums.argmin(axis=2))
            lengths = sums.min(axis=2)
        return choices, (lengths[0] + costs[self.first_pairs]).argmin(axis=0)

    def _trace(self, choices: list[Indices], last: Indices, decisions: Vector) -> None:
        """Write the tours to the decisions, from their last cities."""
        examples, sets = np.arange(len(last)), np.zeros(len(last), dtype=np.intp)
        decisions[examples, self.first_pairs[last]] = 1
        for step, choice in zip(reversed(self.steps), reversed(choices), strict=True):
            previous = choice[sets, last, examples]
            decisions[examples, step.pairs[sets, last, previous]] = 1
            sets, last = step.before[sets, last], previous
        decisions[examples, self.first_pairs[sets]] = 1


def _step(smaller: Indices, sets: Indices, pairs: Indices) -> Step:
    """The step from sets of cities to those of one city more."""
    s = sets.shape[1]
    rest = np.stack([np.delete(sets, p, axis=1) for p in range(s)], axis=1)
    number = {tuple(cities): i for i, cities in enumerate(smaller.tolist())}
    found = [number[tuple(cities)] for cities in rest.reshape(-1, s - 1).tolist()]
    return Step(np.array(found).reshape(-1, s), pairs[rest, sets[:, :, None]])
