"""Problems over blocks of listed pairs: outputs in the order of the pairs, and an example."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.item_sets.pair_block import BlockPartition, PairBlock
from structsvm.problems.set_clustering.set_problem import SetProblem


class ListedPairs(SetProblem):
    """A set problem whose item sets are blocks; outputs are a :class:`BlockPartition`."""

    def one_cluster(self, x: Any) -> BlockPartition:
        return self._block(x).partition(super().one_cluster(x))

    def searched(self, search: Any, x: Any, K: Any, starts: Any) -> BlockPartition:
        labels = tuple(start.labels.copy() for start in starts if start.ndim == 1)
        found = self._called(search, x, K, labels)
        self._require_clustering(found, search, x)
        if found.ndim == 1:
            found = in_order(np.array(found, dtype=np.intp))
        return self._block(x).partition(found)

    def _block(self, x: Any) -> PairBlock:
        block: Any = self._items(x)
        return block


def example_block(m: int) -> PairBlock:
    """A block of m records where each is listed with the next three."""
    rows, cols = np.triu_indices(m, 1)
    near = cols - rows <= 3
    features = np.random.default_rng(m).normal(size=(np.count_nonzero(near), 3))
    return PairBlock(rows[near], cols[near], features, range(m), "impossible")
