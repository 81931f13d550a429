"""Shortest tours through many cities, by integer programs whose constraints are added as needed."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint
from scipy.sparse.csgraph import connected_components

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.decisions.optimizers.costs import one_by_one
from structsvm.problems.programs.constraints import Constraints
from structsvm.problems.programs.search import RELAXED, UNIT, Domain, solved

#: Distance at which an entry of a relaxed solution counts as 0 or 1.
WHOLE = 1e-9


class Pairs:
    """The pairs of n cities, in the order of ``itertools.combinations``.

    Attributes
    ----------
    ends : ndarray of shape (2, m)
        The two cities of each pair.
    numbers : ndarray of shape (n, n)
        For every two cities, the index of their pair.
    incidence : CSR array of shape (n, m)
        A matrix with 1 if a city belongs to a pair, and 0 otherwise.
    """

    def __init__(self, n: int) -> None:
        self.ends = np.array(np.triu_indices(n, 1))
        m = self.ends.shape[1]
        self.numbers = np.zeros((n, n), dtype=np.intp)
        self.numbers[tuple(self.ends)] = range(m)
        self.numbers += self.numbers.T
        places = self.ends.ravel(), np.tile(np.arange(m), 2)
        self.incidence = sparse.csr_array((np.ones(2 * m), places), shape=(n, m))

    def parts(self, chosen: Vector) -> Indices:
        """Return a 0/1 row for each connected component, or no rows if all cities are connected.

        Of two components only the first is returned, because both would give the same constraint.
        """
        pairs = self.ends[:, chosen > WHOLE]
        graph = sparse.csr_array((np.ones(pairs.shape[1]), tuple(pairs)), self.numbers.shape)
        n_parts, part = connected_components(graph, directed=False)
        numbers = np.arange(n_parts if n_parts > 2 else n_parts - 1)
        return np.asarray(part == numbers[:, None], dtype=np.intp)


class CutSearch:
    """A search by HiGHS for the shortest tour, which adds constraints for disconnected parts.

    Parameters
    ----------
    pairs : Pairs
    """

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs

    def __call__(self, costs: Vector) -> Vector:
        """Return the tours for costs of shape (n, m), as 0/1 vectors of their pairs."""
        return one_by_one(self._shortest, costs)

    def _shortest(self, costs: Vector) -> Vector:
        tour, leaving = self._connected(costs, np.empty((0, len(costs))), RELAXED)
        if np.abs(tour - tour.round()).max() > WHOLE:
            tour, _ = self._connected(costs, leaving, UNIT)
        return np.abs(tour.round())  # no -0

    def _connected(self, costs: Vector, leaving: Vector, domain: Domain) -> tuple[Vector, Vector]:
        """Add constraints until the solution is connected; return the solution and constraints."""
        while True:
            found = solved(self._constraints(leaving), -costs, domain)
            if domain.integrality:
                found = found.round()  # HiGHS tolerates small errors
            parts = self.pairs.parts(found)
            if not len(parts):
                return found, leaving
            first, second = parts[:, self.pairs.ends[0]], parts[:, self.pairs.ends[1]]
            leaving = np.vstack([leaving, first != second])

    def _constraints(self, leaving: Vector) -> Constraints:
        cities = self.pairs.incidence
        A = sparse.csc_array(sparse.vstack([cities, sparse.csr_array(leaving)]))
        sizes = [cities.shape[0], len(leaving)]
        constraint = LinearConstraint(A, np.full(sum(sizes), 2.0), np.repeat([2, np.inf], sizes))
        return Constraints(constraint, ["cities", "parts"], sizes)
