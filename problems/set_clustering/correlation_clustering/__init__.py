"""Supervised correlation clustering: a similarity learned where the number of clusters is open."""

from structsvm.problems.set_clustering.correlation_clustering.estimator import CorrelationClustering
from structsvm.problems.set_clustering.correlation_clustering.oracles import (
    GreedyOracle,
    RelaxedOracle,
)
from structsvm.problems.set_clustering.correlation_clustering.problem import (
    CorrelationClusteringProblem,
)

__all__ = [
    "CorrelationClustering",
    "CorrelationClusteringProblem",
    "GreedyOracle",
    "RelaxedOracle",
]
