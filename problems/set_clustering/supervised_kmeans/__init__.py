"""Supervised k-means: a similarity learned from examples; the number of clusters is given."""

from structsvm.problems.set_clustering.supervised_kmeans.estimator import SupervisedKMeans
from structsvm.problems.set_clustering.supervised_kmeans.oracles import (
    DiscreteOracle,
    IterativeOracle,
    SpectralOracle,
)
from structsvm.problems.set_clustering.supervised_kmeans.problem import SupervisedKMeansProblem

__all__ = [
    "DiscreteOracle",
    "IterativeOracle",
    "SpectralOracle",
    "SupervisedKMeans",
    "SupervisedKMeansProblem",
]
