"""Triangle inequalities for M, in which M_ij is +1 if i and j share a cluster, otherwise -1.

For items i, j and k and a sign s, the triangle inequality for the matrix M is s M_ij + s M_jk +
M_ik >= -1. If the sign s is -1, the triangle inequality says that i and k share a cluster if both
share a cluster with j. The triangle inequality M_ij + M_jk + M_ik >= -1 says that at least two of
three items share a cluster, which excludes more than two clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector


class Triangles(NamedTuple):
    """A selection of m triangle inequalities.

    Attributes
    ----------
    items : ndarray of shape (m, 3)
        The items i, j and k of each inequality, with i < k.
    signs : ndarray of shape (m,)
        The sign s of each inequality, +1 or -1.
    """

    items: Indices
    signs: Vector

    def rows(self, n: int) -> sparse.csr_matrix:
        """Return the left sides of inequalities as sparse rows with a column per pair."""
        i, j, k = self.items.T
        columns = np.column_stack([number_of(i, j, n), number_of(j, k, n), number_of(i, k, n)])
        values = np.column_stack([self.signs, self.signs, np.ones(len(self.signs))])
        starts = np.arange(0, columns.size + 1, 3)
        return sparse.csr_matrix(
            (values.ravel(), columns.ravel(), starts), shape=(len(values), n * (n - 1) // 2)
        )

    def names(self, n: int) -> Indices:
        """Return a key for each inequality, shape (m,); equal inequalities have equal keys."""
        ordered = np.sort(self.items, axis=1)
        # With s = +1 the inequality is symmetric in its three items.
        middle = np.where(self.signs > 0, n, self.items[:, 1])
        # The items are digits in base n. The middle item is the last digit, in base n + 1.
        return ((ordered[:, 0] * n + ordered[:, 1]) * n + ordered[:, 2]) * (n + 1) + middle

    def take(self, chosen: Any) -> Triangles:
        """Return the inequalities that an index array, a slice or a mask selects."""
        return Triangles(self.items[chosen], self.signs[chosen])

    def joined(self, others: Triangles) -> Triangles:
        return Triangles(*(np.concatenate(parts) for parts in zip(self, others, strict=True)))


#: The empty selection.
NO_TRIANGLES = Triangles(np.empty((0, 3), dtype=np.intp), np.empty(0))


def number_of(i: Indices, j: Indices, n: int) -> Indices:
    """Return the position of each pair (i, j) or (j, i) in ``np.triu_indices(n, 1)``."""
    low, high = np.minimum(i, j), np.maximum(i, j)
    # low n - low (low + 1) / 2 pairs come before the first pair of item ``low``.
    return np.asarray(low * n - low * (low + 1) // 2 + high - low - 1)


def violated_triangles(M: Vector, signs: Sequence[float], tol: float) -> tuple[Triangles, Vector]:
    """Find the inequalities that M violates by more than ``tol``, most violated first.

    For each sign s and each pair of items i < k, the function returns only one inequality, with the
    item j of the largest violation. The results are the inequalities and their violations. The
    search takes O(n^3) time.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        A symmetric matrix.
    signs : sequence of +1 and -1
        The signs of the inequalities to check.
    tol : float
        Smallest violation to return.
    """
    ends = np.triu_indices(len(M), 1)
    found, excess = NO_TRIANGLES, np.empty(0)
    for s in signs:
        worst, middle = _most_violated(M, s)
        chosen = np.flatnonzero(worst[ends] > tol)
        i, k = ends[0][chosen], ends[1][chosen]
        items = np.column_stack([i, middle[i, k], k])
        found = found.joined(Triangles(items, np.full(len(i), float(s))))
        excess = np.concatenate([excess, worst[i, k]])
    order = np.argsort(-excess, kind="stable")
    return found.take(order), excess[order]


def _most_violated(M: Vector, s: float) -> tuple[Vector, Indices]:
    """For all i and k, return the largest violation over items j, and the j that attains it."""
    n = len(M)
    worst, middle = np.full((n, n), -np.inf), np.zeros((n, n), dtype=np.intp)
    # One j at a time: memory n^2 instead of n^3.
    for j in range(n):
        excess = -1 - s * (M[j][:, None] + M[j]) - M
        excess[j] = excess[:, j] = -np.inf
        larger = excess > worst
        worst[larger] = excess[larger]
        middle[larger] = j
    return worst, middle
