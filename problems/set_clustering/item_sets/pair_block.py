"""A block of records in which only the pairs that a table lists have features."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.item_sets.pairs import ItemPairs
from structsvm.problems.set_clustering.similarities import PairSimilarity

#: The meanings of pairs that are not listed.
Unlisted = Literal["impossible", "learned"]
UNLISTED = get_args(Unlisted)


class BlockPartition(NamedTuple):
    """A partition of a block, or a relaxed one.

    Attributes
    ----------
    labels : ndarray of shape (m,), or CSR matrix of shape (m, m)
        Labels, or to what extent two records are together, 0 to 1.
    together : ndarray of shape (n_pairs,)
        To what extent each listed pair is together.
    n_together : float
        The sum of the extents of all pairs, listed or not.
    """

    labels: Any
    together: Any
    n_together: float

    @property
    def ndim(self) -> int:
        """1 for labels, 2 for a matrix."""
        return int(self.labels.ndim)

    @property
    def only_listed(self) -> bool:
        """Whether all pairs inside clusters are listed."""
        return bool(self.n_together == self.together.sum())


class PairBlock(ItemSet):
    """An item set in which only listed pairs have features, count in the loss and are stored.

    Other pairs are impossible, or have one more feature, the last: -1, with a weight >= 0.
    """

    _pairs: ItemPairs
    pairs: tuple[Indices, Indices, Any]

    def __init__(
        self, rows: Indices, cols: Indices, features: Any, items: Sequence[Any], unlisted: str
    ) -> None:
        super().__init__(pairs=(rows, cols, features), n_items=len(items))
        self.items = items
        self.unlisted = unlisted
        if unlisted == "learned":
            self.n_pair_features += 1
            self.n_features += 1

    @property
    def n_pairs(self) -> int:
        return len(self._pairs.rows)

    @property
    def constant(self) -> int:
        """The place of the constant feature, the last of listed pairs."""
        return int(self._pairs.features.shape[1]) - 1

    @cached_property
    def _pattern(self) -> tuple[Indices, sparse.csr_matrix]:
        """The places of the values of a symmetric matrix, given for pairs and then the diagonal."""
        rows, cols, _ = self._pairs[:3]
        here = np.arange(self.n_items)
        numbers = np.arange(self.n_pairs)
        order = np.concatenate([numbers, numbers, self.n_pairs + here])
        ends = np.concatenate([rows, cols, here]), np.concatenate([cols, rows, here])
        # One more, so that no place is a zero, which scipy would drop.
        places = sparse.csr_matrix((order + 1, ends), shape=(self.n_items, self.n_items))
        return places.data - 1, places

    def matrix(self, values: Vector, diagonal: Any = 0.0) -> sparse.csr_matrix:
        """A symmetric CSR matrix that stores a value for each listed pair, and the diagonal."""
        order, places = self._pattern
        known = np.concatenate([values, np.broadcast_to(diagonal, self.n_items)])
        # A copy, since scipy would check the places again, which takes longer than all else.
        matrix = copy(places)
        matrix.data = known[order]
        return matrix

    def listed_similarities(self, w: Any) -> Vector:
        """<w, psi_p> for each listed pair, shape (n_pairs,)."""
        features = self._pairs.features
        return np.asarray(features @ self._checked_weights(w)[: features.shape[1]])

    def elsewhere(self, w: Any) -> float:
        """The similarity of every pair that is not listed, -inf where these are impossible."""
        return -np.inf if self.unlisted == "impossible" else -float(w[-1])

    def similarity(self, w: Any) -> PairSimilarity:  # type: ignore[override]  # not all are listed
        """The similarities of all pairs, for w of shape (n_features,)."""
        return PairSimilarity(self.matrix(self.listed_similarities(w)), self.elsewhere(w))

    def partition(self, y: Any) -> BlockPartition:
        """The output for labels of shape (m,), or for a CSR matrix of extents."""
        rows, cols = self._pairs[:2]
        if y.ndim == 1:
            sizes = np.bincount(y).astype(np.float64)
            return BlockPartition(y, y[rows] == y[cols], float(sizes @ (sizes - 1)) / 2)
        together = np.asarray(y[rows, cols], dtype=np.float64).ravel()
        return BlockPartition(y, together, float(y.sum() - self.n_items) / 2)

    def first_unlisted(self, y: BlockPartition) -> tuple[Any, Any]:
        """Two records that are in one cluster, where such a pair is not listed."""
        listed = set(zip(*(end.tolist() for end in self._pairs[:2]), strict=True))
        for cluster in np.split(np.argsort(y.labels, kind="stable"), _ends(y.labels)):
            for i, j in combinations(cluster.tolist(), 2):
                if (i, j) not in listed:
                    return self.items[i], self.items[j]
        raise ValueError("all pairs inside clusters are listed")

    def pair_sum(self, together: Any, n_together: float) -> Vector:
        """The sum over all pairs of psi_ij times the extent to which i and j are together.

        ``together`` holds the extents of the listed pairs, ``n_together`` is the sum over all.
        """
        listed = np.asarray(self._pairs.columns @ together)
        if self.unlisted == "impossible":
            return listed
        return np.append(listed, float(together.sum()) - n_together)


def _ends(labels: Indices) -> Indices:
    """The places between clusters in labels that are sorted."""
    return np.cumsum(np.bincount(labels))[:-1]


def common_unlisted(item_sets: Sequence[ItemSet]) -> str | None:
    """The meaning of unlisted pairs in blocks of pairs, None for other item sets.

    A ValueError if the item sets are of several kinds.
    """
    kinds = {getattr(items, "unlisted", None) for items in item_sets}
    if len(kinds) > 1:
        raise ValueError(
            "X mixes blocks of a PairTable with other item sets, or tables with different "
            "'unlisted'; give one kind"
        )
    return kinds.pop()
