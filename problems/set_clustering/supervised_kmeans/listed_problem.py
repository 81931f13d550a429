"""Supervised k-means of records, of which only some pairs are listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.set_clustering.item_sets.pair_block import BlockPartition, PairBlock
from structsvm.problems.set_clustering.listed.problem import ListedPairs, example_block
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.supervised_kmeans.loss import trace_loss
from structsvm.problems.set_clustering.supervised_kmeans.oracles import (
    DiscreteOracle,
    SpectralOracle,
)
from structsvm.problems.set_clustering.supervised_kmeans.problem import SupervisedKMeansProblem

#: A block with its number of clusters.
Numbered = tuple[PairBlock, int]


class ListedKMeansProblem(ListedPairs, SupervisedKMeansProblem):
    """Supervised k-means by listed pairs, in time and memory in their number.

    As :class:`SupervisedKMeansProblem`, but an input is a pair (:class:`PairBlock`, k) and an
    output a :class:`BlockPartition`; pairs that are not listed are in no cluster.
    """

    def initialize(self, X: Any, Y: Any) -> None:
        for name, oracle in (
            ("oracle", self.resolved("oracle")),
            ("predictor", self._predictor()),
        ):
            if isinstance(oracle, (SpectralOracle, DiscreteOracle)):
                raise ValueError(
                    f"the {name} is a {type(oracle).__name__}, which needs the similarities of all "
                    "pairs, but a PairTable has those of listed pairs; use 'iterative', or "
                    "CorrelationClustering"
                )
        ListedPairs.initialize(self, X, Y)
        if any(block.unlisted == "learned" for block, _ in X):
            raise ValueError(
                "SupervisedKMeans takes a PairTable with unlisted='impossible' only; got 'learned'"
            )
        for i, ((block, _), y) in enumerate(zip(X, Y, strict=True)):
            if not y.only_listed:
                left, right = block.first_unlisted(y)
                raise ValueError(
                    f"the records {left!r} and {right!r} of block {i} are of one entity, but their "
                    "pair is not listed; list it, or use CorrelationClustering"
                )

    def joint_feature(self, x: Numbered, y: BlockPartition) -> Vector:
        return x[0].pair_sum(2 * _extents(x, y), 0.0) / self.scale

    def joint_feature_difference(
        self, x: Numbered, y: BlockPartition, y_hat: BlockPartition
    ) -> Vector:
        return x[0].pair_sum(2 * (_extents(x, y) - _extents(x, y_hat)), 0.0) / self.scale

    def loss(self, y: BlockPartition, y_hat: BlockPartition) -> float:
        return trace_loss(y.labels, y_hat.labels)

    def outputs(self, x: Numbered) -> Iterable[BlockPartition]:
        block, k = x
        return (y for y in map(block.partition, partitions(len(block), k)) if y.only_listed)

    def lack_of_chance(self, x: Numbered, y: BlockPartition) -> Vector:
        m, k = len(x[0]), y.labels.max() + 1
        # Y Y' minus its mean over the permutations of the labels.
        return x[0].pair_sum(2 * (_extents(x, y) - (m - k) / (m * (m - 1))), 0.0) / self.scale

    def augmented(self, x: Numbered, y: BlockPartition, w: Vector) -> PairSimilarity:
        block, k = x
        w = w / self.scale
        listed = block.listed_similarities(w) - (100 / k) * _extents(x, y)
        diagonal = -(100 / k) / np.bincount(y.labels)[y.labels]
        return PairSimilarity(block.matrix(listed, diagonal), block.elsewhere(w))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Two blocks, few enough for all partitions to be enumerated."""
        blocks = [example_block(m) for m in (5, 6)]
        Y = [block.partition(np.arange(len(block)) // 2) for block in blocks]
        return [(block, 3) for block in blocks], Y


def _extents(x: Numbered, y: BlockPartition) -> Vector:
    """(Y Y')_ij of each listed pair: 1 over the size of its cluster, or 0."""
    rows = x[0].pairs[0]
    return y.together / np.bincount(y.labels)[y.labels[rows]]
