"""Correlation clustering of records, of which only some pairs are listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.constraints import WeightConstraints
from structsvm.data.arrays import Vector
from structsvm.problems.set_clustering.correlation_clustering.problem import (
    CorrelationClusteringProblem,
)
from structsvm.problems.set_clustering.item_sets.pair_block import BlockPartition, PairBlock
from structsvm.problems.set_clustering.listed.problem import ListedPairs, example_block
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.similarities import PairSimilarity


class ListedCorrelationProblem(ListedPairs, CorrelationClusteringProblem):
    r"""Correlation clustering by listed pairs, in time and memory in their number.

    As :class:`CorrelationClusteringProblem`, but an input is a :class:`PairBlock`, an output a
    :class:`BlockPartition`, and Psi and the loss are sums over the P listed pairs. Where other
    pairs are learned, Psi has one more coordinate, with a weight >= 0: minus the number of pairs
    inside clusters that are not listed, over P. They have no part in the loss.
    """

    def initialize(self, X: Any, Y: Any) -> None:
        ListedPairs.initialize(self, X, Y)
        self.unlisted, self.constant = X[0].unlisted, X[0].constant

    def joint_feature(self, x: PairBlock, y: BlockPartition) -> Vector:
        return self._divided(x, x.pair_sum(y.together, y.n_together))

    def joint_feature_difference(
        self, x: PairBlock, y: BlockPartition, y_hat: BlockPartition
    ) -> Vector:
        together = y.together.astype(np.float64) - y_hat.together
        return self._divided(x, x.pair_sum(together, y.n_together - y_hat.n_together))

    def loss(self, y: BlockPartition, y_hat: BlockPartition) -> float:
        """The percentage of listed pairs on which two partitions disagree."""
        return float(100 * np.abs(y.together.astype(np.float64) - y_hat.together).mean())

    def outputs(self, x: PairBlock) -> Iterable[BlockPartition]:
        every = map(x.partition, partitions(x.n_items))
        return every if x.unlisted == "learned" else (y for y in every if y.only_listed)

    def constraints(self) -> WeightConstraints | None:
        if self.unlisted == "impossible" and not self.nonnegative:
            return None
        bounds = np.full(self.size_joint_feature, 0.0 if self.nonnegative else -np.inf)
        bounds[self.constant] = -np.inf  # the threshold may have either sign
        if self.unlisted == "learned":
            bounds[-1] = 0.0
        return WeightConstraints(lower=bounds)

    def lack_of_chance(self, x: PairBlock, y: BlockPartition) -> Vector:
        # On average over the permutations every pair is together to this extent.
        fraction = y.n_together / (x.n_items * (x.n_items - 1) / 2)
        return self.joint_feature(x, y) - fraction * self.joint_feature(x, self.one_cluster(x))

    def augmented(self, x: PairBlock, y: BlockPartition, w: Vector) -> PairSimilarity:
        w = w / self.scale
        listed = x.listed_similarities(w) + 100 * (1 - 2 * y.together.astype(np.float64))
        return PairSimilarity(x.matrix(listed), x.elsewhere(w))

    def _require_clustering(self, found: Any, search: Any, x: PairBlock) -> None:
        if not sparse.issparse(found):
            super()._require_clustering(found, search, x)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Two blocks, few enough for all partitions to be enumerated."""
        blocks = [example_block(m) for m in (5, 6)]
        return blocks, [block.partition(np.arange(len(block)) // 2) for block in blocks]

    def _divided(self, x: PairBlock, total: Vector) -> Vector:
        return total / (x.n_pairs * self.scale)
