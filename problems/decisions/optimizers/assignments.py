"""Cheapest assignments of rows to columns."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from structsvm.contract.problem import OracleCost
from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer
from structsvm.problems.decisions.optimizers.costs import CHEAP, CheckedOptimizer, one_by_one

#: Largest number of rows or columns: more would not fit in memory.
MOST = 10_000


class Assignments(CheckedOptimizer):
    """The cheapest assignment of rows to columns, one to one.

    Every row is assigned a column if there are enough columns; otherwise every column is assigned a
    row. The decision is a matrix of shape (n_rows, n_columns), flattened row by row, with 1 for the
    assigned pairs and 0 elsewhere. Costs may be negative.

    Parameters
    ----------
    n_rows : int
    n_columns : int, optional
        The number of columns, by default the number of rows.

    Examples
    --------
    >>> from structsvm.problems.decisions.optimizers import Assignments
    >>> costs = [[1.0, 2.0, 5.0], [1.0, 5.0, 6.0]]
    >>> Assignments(2, 3)(sum(costs, [])).reshape(2, 3)
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """

    def __init__(self, n_rows: int, n_columns: int | None = None) -> None:
        n_columns = n_rows if n_columns is None else n_columns
        require_integer("n_rows", n_rows, 1, MOST)
        require_integer("n_columns", n_columns, 1, MOST)
        self.n_rows = n_rows
        self.n_columns = n_columns
        self.n_costs = n_rows * n_columns
        self.oracle_cost: OracleCost = "cheap" if self.n_costs <= CHEAP else "expensive"

    def _solve(self, costs: Vector) -> Vector:
        return one_by_one(self._best, costs)

    def _best(self, costs: Vector) -> Vector:
        matrix = np.zeros((self.n_rows, self.n_columns))
        matrix[linear_sum_assignment(costs.reshape(matrix.shape))] = 1
        return matrix.ravel()
