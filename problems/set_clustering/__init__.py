"""Clustering of sets of items by a similarity that is learned from example partitions.

Look first at the input, :class:`ItemSet`. Next look at :class:`SupervisedKMeans` if you choose the
number of clusters, and at :class:`CorrelationClustering` if the learned similarity is to determine
the number of clusters.
"""

from structsvm.problems.set_clustering.correlation_clustering.estimator import CorrelationClustering
from structsvm.problems.set_clustering.correlation_clustering.oracles.greedy import GreedyOracle
from structsvm.problems.set_clustering.correlation_clustering.oracles.relaxed import RelaxedOracle
from structsvm.problems.set_clustering.correlation_clustering.problem import (
    CorrelationClusteringProblem,
)
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.item_sets.pair_map import PairMap
from structsvm.problems.set_clustering.records.pair_table import PairTable
from structsvm.problems.set_clustering.supervised_kmeans.estimator import SupervisedKMeans
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import IterativeOracle
from structsvm.problems.set_clustering.supervised_kmeans.oracles.spectral import (
    DiscreteOracle,
    SpectralOracle,
)
from structsvm.problems.set_clustering.supervised_kmeans.problem import SupervisedKMeansProblem

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
