"""For each pair, find the best matching that contains the pair, by shortest paths."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.matching.data import UNMATCHED


def max_marginals(gains: Vector, best: Indices, unmatched: bool) -> Vector:
    """Return, for each pair, the largest sum of gains with this pair, minus the largest sum of all.

    A chain of changes leads from the best matching to a matching that contains the pair: each row
    of the chain takes the column of the next row. The last row of the chain of changes takes the
    column of the first row, or an item of the chain loses its partner. The best chain for a pair is
    a shortest path in a graph with a node for each pair of the best matching, and one node for
    items without a partner.

    Parameters
    ----------
    gains : ndarray of shape (m, n)
        The gain of each pair.
    best : ndarray of shape (m,)
        The columns of a matching with the largest sum; rows without a partner have UNMATCHED.
    unmatched : bool
        Whether an item of either set may stay without a partner.

    Returns
    -------
    ndarray of shape (m, n), or (m, n + 1) if rows may have no partner
        For each pair, the largest sum of gains with the pair, minus the largest sum of all. If
        there are n + 1 columns, the last column is for rows without a partner.
    """
    (m, n), alone = gains.shape, unmatched or gains.shape[0] > gains.shape[1]
    table = np.zeros((m + 1, n + 1))  # the last row and column are for items without a partner
    table[:m, :n] = gains
    table[:m, n] = 0 if alone else -np.inf
    table[m, :n] = 0 if unmatched or n > m else -np.inf
    rows, columns = np.flatnonzero(best != UNMATCHED), best[best != UNMATCHED]
    # The node of every row and column, 0 for items without a partner.
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
