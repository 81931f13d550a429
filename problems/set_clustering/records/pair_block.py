"""A block of records in which only the listed pairs of a table have features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.partitions import BlockPartition
from structsvm.problems.set_clustering.similarities import PairSimilarity

#: The possible meanings of unlisted pairs.
Unlisted = Literal["impossible", "learned"]
UNLISTED = get_args(Unlisted)


class PairBlock(ItemSet):
    """An item set that stores only listed pairs; unlisted pairs do not count in the loss.

    If ``unlisted`` is 'impossible', unlisted pairs are never in one cluster. If ``unlisted`` is
    'learned', the last entry of w, >= 0, is the cost of an unlisted pair inside a cluster.
    """

    pairs: tuple[Indices, Indices, Any]

    def __init__(
        self, rows: Indices, cols: Indices, features: Any, items: Sequence[Any], unlisted: str
    ) -> None:
        super().__init__(pairs=(rows, cols, features), n_items=len(items))
        self.items, self.unlisted = items, unlisted
        self.n_pair_features += unlisted == "learned"

    @property
    def n_pairs(self) -> int:
        return len(self.pairs[0])

    @property
    def constant(self) -> int:
        """The index of the constant feature, the last feature of listed pairs."""
        return int(self.pairs[2].shape[1]) - 1

    def similarity(self, w: Any) -> PairSimilarity:
        """Return the similarities of all pairs, for w of shape (n_features,)."""
        return self.changed_similarity(w, np.zeros(self.n_pairs))

    def changed_similarity(self, w: Any, added: Vector) -> PairSimilarity:
        """Return the similarity matrix after adding ``added`` to its entries.

        The first entries of ``added`` belong to the listed pairs of items. If ``added`` has more
        entries than there are listed pairs, the further entries are added to the diagonal of the
        similarity matrix.
        """
        w = self._checked_weights(w)
        rows, cols, features = self.pairs
        values, here = np.zeros(self.n_pairs + self.n_items), np.arange(self.n_items)
        values[: self.n_pairs] = features @ w[: features.shape[1]]
        values[: len(added)] += added
        ends = np.concatenate([rows, here, cols]), np.concatenate([cols, here, rows])
        both = np.concatenate([values, values[: self.n_pairs]])
        listed = sparse.csr_matrix((both, ends), shape=(self.n_items, self.n_items))
        return PairSimilarity(listed, -np.inf if self.unlisted == "impossible" else -float(w[-1]))

    def partition(self, found: Indices) -> BlockPartition:
        """Convert labels of shape (m,) to an output of the problem."""
        rows, cols, _ = self.pairs
        sizes = np.bincount(found).astype(np.float64)
        together = (found[rows] == found[cols]).astype(np.float64)
        return BlockPartition(found, together, float(sizes @ (sizes - 1)) / 2)

    def possible(self, labels: Iterable[Indices]) -> Iterable[BlockPartition]:
        every = map(self.partition, labels)
        return every if self.unlisted == "learned" else (y for y in every if y.only_listed)

    def sum_inside(self, y: BlockPartition) -> Vector:
        return self._pair_sum(y.together, y.n_together)

    def difference_inside(self, y: BlockPartition, y_hat: BlockPartition) -> Vector:
        return self._pair_sum(y.together - y_hat.together, y.n_together - y_hat.n_together)

    def _pair_sum(self, together: Vector, n_together: float) -> Vector:
        listed = np.asarray(self._of_pairs @ together)
        if self.unlisted == "impossible":
            return listed
        return np.append(listed, float(together.sum()) - n_together)


def common_unlisted(item_sets: Sequence[ItemSet]) -> str | None:
    """Return the value of the attribute ``unlisted``, which all item sets must share.

    Raise a ValueError if the item sets have different values of ``unlisted``.
    """
    kinds = {items.unlisted for items in item_sets}
    if len(kinds) > 1:
        raise ValueError(
            "X mixes blocks of a PairTable with other item sets, or tables with different "
            "'unlisted'; give one kind"
        )
    return kinds.pop()
