"""Linear inequalities that all labels satisfy, but that a relaxed matrix may violate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector

#: Approximate number of pairs times middle rows in a search; with more rows both are drawn.
SEARCHED = 10_000_000
#: Largest number of middle rows in a search.
MIDDLE = 250
#: Violation above which an inequality is returned.
VIOLATED = 0.01
#: The items of the terms of an inequality.
TERMS = np.array([[0, 1], [1, 2], [0, 2]])


class Cuts(NamedTuple):
    """Inequalities a Z_ij + b Z_jk + c Z_ik >= -bound for three items i, j and k.

    Attributes
    ----------
    items : ndarray of shape (m, 3)
        The items i, j and k of each inequality.
    signs : ndarray of shape (m, 3)
        The coefficients a, b and c, each -1, 0 or 1.
    bounds : ndarray of shape (m,)
        The bounds, > 0.
    """

    items: Indices
    signs: Vector
    bounds: Vector

    def take(self, chosen: Indices) -> Cuts:
        """Return the inequalities that an index array or a mask selects."""
        return Cuts(self.items[chosen], self.signs[chosen], self.bounds[chosen])

    def joined(self, others: Cuts) -> Cuts:
        """Return the inequalities of ``self`` and ``others`` in order, without duplicates."""
        both = Cuts(*(np.concatenate(parts) for parts in zip(self, others, strict=True)))
        # An inequality with equal signs is symmetric in its three items.
        equal = both.signs.min(axis=1) == both.signs.max(axis=1)
        items = np.where(equal[:, None], np.sort(both.items, axis=1), both.items)
        _, first = np.unique(np.column_stack([items, both.signs]), axis=0, return_index=True)
        return both.take(np.sort(first))


NO_CUTS = Cuts(np.empty((0, 3), dtype=np.intp), np.empty((0, 3)), np.empty(0))


class Pairs:
    """The pairs of nodes that occur in inequalities, with the inequalities as sparse rows.

    Parameters
    ----------
    cuts : Cuts
        The inequalities.
    n_nodes : int
        Number of nodes.
    """

    def __init__(self, cuts: Cuts, n_nodes: int) -> None:
        self.cuts = cuts
        cut, term = np.nonzero(cuts.signs)
        ends = np.sort(cuts.items[:, TERMS][cut, term], axis=1)
        numbers, place = np.unique(ends @ (n_nodes, 1), return_inverse=True)
        self.first, self.second = np.divmod(numbers, n_nodes)
        shape = len(cuts.bounds), len(numbers)
        self.rows = sparse.csr_matrix((cuts.signs[cut, term], (cut, place)), shape=shape)
        self.columns = self.rows.T.tocsr()
        halves = np.append(self.first, self.second), np.append(self.second, self.first)
        # Entries 1, 2, ... show where the sparse matrix stores each entry of the two halves.
        places = np.arange(1.0, 2 * len(numbers) + 1)
        self.pattern = sparse.csr_matrix((places, halves), shape=(n_nodes, n_nodes))
        self.order = self.pattern.data.astype(np.intp) - 1

    def excess(self, V: Vector) -> Vector:
        """Return how far V V' violates each inequality, or minus the slack if it is satisfied."""
        products = np.einsum("ij,ij->i", V[self.first], V[self.second])
        return np.asarray(-self.cuts.bounds - self.rows @ products)

    def matrix(self, t: Vector) -> sparse.csr_matrix:
        """Return the sum of the coefficient matrices of all inequalities, weighted by ``t``."""
        self.pattern.data = np.tile(self.columns @ t, 2)[self.order]
        return self.pattern


def violated(V: Vector, n_clusters: int, most: int, rng: np.random.Generator) -> Cuts:
    """Find the inequalities that the matrix V V' violates most.

    An inequality says that two nodes share a cluster if each shares a cluster with a third node.
    For two clusters, an inequality says that at least two of any three nodes share a cluster. For k
    > 2 clusters, an inequality says that an entry of the matrix V V' is at least -1 / (k - 1). If
    there are many nodes, only a random sample of the triples of nodes is searched.

    Parameters
    ----------
    V : ndarray of shape (n_nodes, r)
        Rows of norm 1.
    n_clusters : int
        Number of clusters.
    most : int
        Largest number of inequalities to return.
    rng : Generator
    """
    n = len(V)
    middle = rng.choice(n, min(n, MIDDLE), replace=False)
    i, k = _pairs(n, SEARCHED // len(middle), rng)
    products = np.einsum("ij,ij->i", V[i], V[k])
    ends = (V[i] + V[k]) @ V[middle].T
    rows = np.arange(len(i))
    found = []
    if n_clusters == 2:
        j = ends.argmin(axis=1)
        found.append((-1 - ends[rows, j] - products, middle[j], (1.0, 1.0, 1.0), 1.0))
    else:
        bound = 1 / (n_clusters - 1)
        found.append((-bound - products, i, (0.0, 0.0, 1.0), bound))
    j = ends.argmax(axis=1)
    found.append((-1 + ends[rows, j] - products, middle[j], (-1.0, -1.0, 1.0), 1.0))
    # A triangle in which two nodes are the same says nothing, and its violation is 0.
    excess = np.concatenate([one[0] for one in found])
    chosen = np.argsort(-excess, kind="stable")[:most]
    chosen = chosen[excess[chosen] > VIOLATED]
    items = np.concatenate([np.column_stack([i, one[1], k]) for one in found])
    signs = np.concatenate([np.tile(one[2], (len(i), 1)) for one in found])
    bounds = np.concatenate([np.full(len(i), one[3]) for one in found])
    return Cuts(items, signs, bounds).take(chosen)


def _pairs(n: int, most: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Return all pairs i < k or, if there are more than ``most``, about ``most`` random pairs."""
    if n * (n - 1) // 2 <= most:
        return np.triu_indices(n, 1)
    i, k = rng.integers(0, n, (2, most))
    different = i != k
    return np.minimum(i, k)[different], np.maximum(i, k)[different]
