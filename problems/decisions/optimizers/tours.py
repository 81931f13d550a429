"""Shortest tours through all cities."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint
from scipy.sparse.csgraph import connected_components

from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import require_integer
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer, one_by_one
from structsvm.problems.programs.constraints import Constraints
from structsvm.problems.programs.search import RELAXED, UNIT, Domain, solved

#: Cities, at most: more would not be solved in any time.
MOST = 1_000
#: A number of a relaxed solution is 0 or 1 if it is this close.
WHOLE = 1e-9


class Tours(CheckedOptimizer):
    """The shortest tour that visits each city once: the symmetric travelling salesman problem.

    The decision is 1 for the pairs of cities that follow each other and 0 for the others, in the
    order of ``itertools.combinations(range(n_cities), 2)``. Costs may be negative.

    HiGHS chooses two pairs for each city. Where the chosen pairs fall into several tours, a
    constraint for each of them says that two pairs leave it, and HiGHS solves again [1]_: first the
    relaxation, then the integer program, if the relaxation is not a tour yet. Up to some twenty
    cities it takes some milliseconds.

    Parameters
    ----------
    n_cities : int
        At least 3.

    References
    ----------
    .. [1] G. Dantzig, R. Fulkerson and S. Johnson, "Solution of a large-scale traveling-salesman
       problem", Operations Research 2(4), 1954.

    Examples
    --------
    The sides of a square cost 1, its diagonals, the second and the fifth of the pairs, 1.4:

    >>> from structsvm.problems.decisions.optimizers import Tours
    >>> Tours(4)([1.0, 1.4, 1.0, 1.0, 1.4, 1.0])
    array([1., 0., 1., 1., 0., 1.])
    """

    def __init__(self, n_cities: int) -> None:
        require_integer("n_cities", n_cities, 3, MOST)
        self.n_cities = n_cities
        self._ends = np.array(np.triu_indices(n_cities, 1))
        self.n_costs = m = self._ends.shape[1]
        place = self._ends.ravel(), np.tile(np.arange(m), 2)
        self._cities = sparse.csr_array((np.ones(2 * m), place), shape=(n_cities, m))

    def decisions(self) -> Iterable[Vector]:
        """Return all tours."""
        number = np.zeros((self.n_cities, self.n_cities), dtype=int)
        number[tuple(self._ends)] = range(self.n_costs)
        number += number.T
        for cities in permutations(range(1, self.n_cities)):
            if cities[0] < cities[-1]:  # the other direction is the same tour
                tour = np.zeros(self.n_costs)
                tour[number[(0, *cities), (*cities, 0)]] = 1
                yield tour

    def require_feasible(self, decision: Vector) -> None:
        """Raise a ValueError unless the decision is one tour through all cities."""
        values = np.asarray(decision)
        if values.shape != (self.n_costs,) or not np.isin(values, (0, 1)).all():
            raise ValueError(
                f"the decision must be 0 or 1 for each of {self.n_costs} pairs of cities; got "
                f"{decision!r:.60}"
            )
        visits = self._cities @ values
        if (visits != 2).any():
            city = int(np.flatnonzero(visits != 2)[0])
            raise ValueError(
                f"a tour has two pairs with each city; the decision has {visits[city]:g} with "
                f"city {city}"
            )
        if len(self._parts(values)):
            raise ValueError("the decision is several tours; it must be one through all cities")

    def _solve(self, costs: Vector) -> Vector:
        return one_by_one(self._shortest, costs)

    def _shortest(self, costs: Vector) -> Vector:
        tour, leaving = self._connected(costs, np.empty((0, self.n_costs)), RELAXED)
        if np.abs(tour - tour.round()).max() > WHOLE:
            tour, _ = self._connected(costs, leaving, UNIT)
        return np.abs(tour.round())  # no -0

    def _connected(self, costs: Vector, leaving: Vector, domain: Domain) -> tuple[Vector, Vector]:
        """The best connected solution, and the rows of the pairs that leave parts of others."""
        while True:
            found = solved(self._constraints(leaving), -costs, domain)
            if domain.integrality:
                found = found.round()  # a part may be left by what HiGHS tolerates
            parts = self._parts(found)
            if not len(parts):
                return found, leaving
            first, second = parts[:, self._ends[0]], parts[:, self._ends[1]]
            leaving = np.vstack([leaving, first != second])

    def _constraints(self, leaving: Vector) -> Constraints:
        A = sparse.csc_array(sparse.vstack([self._cities, sparse.csr_array(leaving)]))
        most = np.repeat([2, np.inf], [self.n_cities, len(leaving)])
        constraint = LinearConstraint(A, np.full(len(most), 2.0), most)
        return Constraints(constraint, ["cities", "parts"], [self.n_cities, len(leaving)])

    def _parts(self, chosen: Vector) -> Indices:
        """The parts into which the chosen pairs fall, as rows of 0 and 1; none if it is one.

        Of two parts only the first is returned: the same pairs leave both.
        """
        pairs = self._ends[:, chosen > WHOLE]
        shape = self.n_cities, self.n_cities
        graph = sparse.csr_array((np.ones(pairs.shape[1]), tuple(pairs)), shape=shape)
        n_parts, part = connected_components(graph, directed=False)
        numbers = np.arange(n_parts if n_parts > 2 else n_parts - 1)
        return (part == numbers[:, None]).astype(np.intp)
