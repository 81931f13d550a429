"""The best matchings with each pair, by shortest paths from the best of all."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.matching.data import UNMATCHED


def max_marginals(gains: Vector, best: Indices, unmatched: bool) -> Vector:
    """The sum of gains of the best matching with each pair, less the largest sum.

    A row that takes another column drives away the row that had it, which takes another column,
    and so on, until the first row's column is taken or any item may stay alone: these are shortest
    paths, in a graph with a node for each pair of the best matching, and one for single items.

    Parameters
    ----------
    gains : ndarray of shape (m, n)
    best : ndarray of shape (m,)
        The columns of a matching of the largest sum, UNMATCHED for rows without one.
    unmatched : bool
        Whether items of both sets may stay without a partner.

    Returns
    -------
    ndarray of shape (m, n), or (m, n + 1) where rows may be without a partner
        The last column is then of rows without one.
    """
    (m, n), alone = gains.shape, unmatched or gains.shape[0] > gains.shape[1]
    table = np.zeros((m + 1, n + 1))  # the last row and column are of single items
    table[:m, :n] = gains
    table[:m, n] = 0 if alone else -np.inf
    table[m, :n] = 0 if unmatched or n > m else -np.inf
    rows, columns = np.flatnonzero(best != UNMATCHED), best[best != UNMATCHED]
    # The node of every row and column, 0 for single items.
    of_rows, of_columns = np.zeros(m + 1, dtype=np.intp), np.zeros(n + 1, dtype=np.intp)
    of_rows[rows] = of_columns[columns] = np.arange(1, len(rows) + 1)
    costs = np.append(table[np.arange(m), best], 0)[:, None] - table
    lengths = np.zeros((len(rows) + 1, len(rows) + 1))
    lengths[1:, 1:] = costs[rows[:, None], columns]
    lengths[1:, 0] = costs[rows][:, of_columns == 0].min(axis=1)
    lengths[0, 1:] = costs[of_rows == 0][:, columns].min(axis=0)
    for by in range(len(lengths)):  # Floyd and Warshall
        np.minimum(lengths, lengths[:, by, None] + lengths[by], out=lengths)
    return -(costs + lengths[of_columns[:, None], of_rows].T)[:m, : n + alone]
