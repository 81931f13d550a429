"""Clustering of sets of items: a similarity is learned from example partitions.

Look at :class:`ItemSet` first, the input, then at :class:`SupervisedKMeans`, which is given the
number of clusters, and :class:`CorrelationClustering`, which finds it.
"""

from structsvm.problems.set_clustering.correlation_clustering import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    GreedyOracle,
    RelaxedOracle,
)
from structsvm.problems.set_clustering.item_sets import ItemSet, PairMap, PairTable
from structsvm.problems.set_clustering.supervised_kmeans import (
    DiscreteOracle,
    IterativeOracle,
    SpectralOracle,
    SupervisedKMeans,
    SupervisedKMeansProblem,
)

__all__ = [
    "CorrelationClustering",
    "CorrelationClusteringProblem",
    "DiscreteOracle",
    "GreedyOracle",
    "ItemSet",
    "IterativeOracle",
    "PairMap",
    "PairTable",
    "RelaxedOracle",
    "SpectralOracle",
    "SupervisedKMeans",
    "SupervisedKMeansProblem",
]
