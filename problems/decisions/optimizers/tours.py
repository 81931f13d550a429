"""Shortest tours through all cities."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer
from structsvm.problems.decisions.optimizers.held_karp import TourSearch
from structsvm.problems.decisions.optimizers.tour_cuts import CutSearch, Pairs
from structsvm.problems.decisions.optimizers.two_opt import TwoOpt

#: Largest number of cities: more could not be solved in a reasonable time.
MOST = 1_000
#: Largest number of cities for dynamic programming over all sets of cities.
FEW = 12


class Tours(CheckedOptimizer):
    """The shortest tour that visits each city once: the symmetric travelling salesman problem.

    The decision is 1 for the pairs of cities that follow each other and 0 for all other pairs, in
    the order of ``itertools.combinations(range(n_cities), 2)``. Costs may be negative.

    For up to 12 cities, dynamic programming [1]_ finds the tours of all examples together. For more
    than 12 cities, HiGHS chooses pairs of cities, with each city in two pairs [2]_. If the solution
    has several parts, a constraint for each part requires that at least two pairs leave the part,
    and HiGHS solves again. HiGHS first solves the relaxation. If the optimum of the relaxation is
    not a tour, HiGHS solves the integer program.

    The method :meth:`improve` applies 2-opt: sections of a tour are reversed until no reversal
    makes the tour shorter.

    Parameters
    ----------
    n_cities : int
        Number of cities, at least 3.

    References
    ----------
    .. [1] M. Held and R. M. Karp, "A dynamic programming approach to sequencing problems", Journal
       of the SIAM 10(1), 1962.
    .. [2] G. Dantzig, R. Fulkerson and S. Johnson, "Solution of a large-scale traveling-salesman
       problem", Operations Research 2(4), 1954.

    Examples
    --------
    A tour through the corners of a square whose sides cost 1 and whose diagonals cost 1.4:

    >>> from structsvm.problems.decisions.optimizers import Tours
    >>> Tours(4)([1.0, 1.4, 1.0, 1.0, 1.4, 1.0])
    array([1., 0., 1., 1., 0., 1.])
    """

    def __init__(self, n_cities: int) -> None:
        require_integer("n_cities", n_cities, 3, MOST)
        self.n_cities = n_cities
        self.n_costs = n_cities * (n_cities - 1) // 2
        self._pairs = Pairs(n_cities)
        self._two_opt = TwoOpt(self._pairs.numbers)
        few = n_cities <= FEW
        self.oracle_cost = "cheap" if few else "expensive"
        self._search = TourSearch(self._pairs.numbers) if few else CutSearch(self._pairs)

    def require_feasible(self, decision: Vector) -> None:
        """Raise a ValueError unless the decision is one tour through all cities."""
        values = np.asarray(decision)
        if values.shape != (self.n_costs,) or not np.isin(values, (0, 1)).all():
            raise ValueError(
                f"the decision must be 0 or 1 for each of {self.n_costs} pairs of cities; got "
                f"{decision!r:.60}"
            )
        if (self._pairs.incidence @ values != 2).any() or len(self._pairs.parts(values)):
            raise ValueError(
                "the decision must be one tour through all cities, with two pairs of each"
            )

    def improve(self, costs: Vector, decisions: Vector) -> Vector:
        return self._two_opt(costs, decisions)
