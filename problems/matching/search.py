"""For each pair, find the best matching that contains the pair, by shortest paths."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.matching.data import UNMATCHED


def max_marginals(gains: Vector, best: Indices, unmatched: bool) -> Vector:
    """For each pair, compare the best matching with the best matching that contains the pair.

    If a pair is added to the best matching, the former partners of the two items need new partners.
    The matching that contains the pair and has the largest total gain is found by shortest paths in
    a graph. The graph has a node for each pair of the best matching, and one node for items without
    a partner.

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
        For each pair, the largest sum of gains of a matching with the pair, minus the largest sum
        of gains of any matching. If there are n + 1 columns, the last column is for rows without a
        partner.
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
