"""Shortest tours through few cities, by dynamic programming over many examples together."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.decisions.optimizers.costs import in_blocks

#: Number of sums that are compared at a time.
BLOCK = 500_000


class Step(NamedTuple):
    """A step of the dynamic program, which finds the paths through each of c sets of s cities.

    Attributes
    ----------
    before : ndarray of shape (c, s)
        ``before[i, p]`` is the index of the smaller set that remains if set i loses its p-th city.
    pairs : ndarray of shape (c, s, s - 1)
        For each set and each choice of the last two cities: the index of the pair of these two
        cities.
    """

    before: Indices
    pairs: Indices


class TourSearch:
    """The dynamic program of Held and Karp for shortest tours.

    A path starts in city 0, passes through all cities of a set and ends in one city of the set. A
    shortest path stays a shortest path when its last city is removed.

    Parameters
    ----------
    pairs : ndarray of shape (n_cities, n_cities)
        For every two cities, the index of their pair.
    """

    def __init__(self, pairs: Indices) -> None:
        self.first_pairs, self.n_pairs = pairs[0, 1:], int(pairs.max()) + 1
        others = range(1, len(pairs))
        sizes = [np.array(list(combinations(others, s))) for s in range(1, len(pairs))]
        self.steps = [_step(*sets, pairs) for sets in pairwise(sizes)]
        self.most_sums = max(step.pairs.size for step in self.steps)

    def __call__(self, costs: Vector) -> Vector:
        """Return the shortest tours for costs of shape (n, m), as 0/1 vectors."""
        return in_blocks(self._shortest, costs, BLOCK // self.most_sums)

    def _shortest(self, costs: Vector) -> Vector:
        of_pairs = np.ascontiguousarray(costs.T)
        lengths, choices = of_pairs[self.first_pairs][:, None], []
        for step in self.steps:
            sums = lengths[step.before] + of_pairs[step.pairs]
            choices.append(sums.argmin(axis=2))  # the last city but one, by set and last city
            lengths = sums.min(axis=2)
        return self._traced(choices, (lengths[0] + of_pairs[self.first_pairs]).argmin(axis=0))

    def _traced(self, choices: list[Indices], last: Indices) -> Vector:
        """Trace the tours back from their last cities; return the tours as 0/1 vectors."""
        decisions = np.zeros((len(last), self.n_pairs))
        examples, sets = np.arange(len(last)), np.zeros(len(last), dtype=np.intp)
        decisions[examples, self.first_pairs[last]] = 1
        for step, choice in zip(reversed(self.steps), reversed(choices), strict=True):
            previous = choice[sets, last, examples]
            decisions[examples, step.pairs[sets, last, previous]] = 1
            sets, last = step.before[sets, last], previous
        decisions[examples, self.first_pairs[sets]] = 1
        return decisions


def _step(smaller: Indices, sets: Indices, pairs: Indices) -> Step:
    """Return the step that extends paths through s - 1 cities to paths through s cities."""
    s = sets.shape[1]
    rest = np.stack([np.delete(sets, p, axis=1) for p in range(s)], axis=1)
    number = {tuple(cities): i for i, cities in enumerate(smaller.tolist())}
    found = [number[tuple(cities)] for cities in rest.reshape(-1, s - 1).tolist()]
    return Step(np.array(found).reshape(-1, s), pairs[rest, sets[:, :, None]])
