"""The choice between features without labels: by the neighbours that share a cluster."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from structsvm.problem import Indices
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.dask_rows import is_dask
from structsvm.result import Result

#: Nearest neighbours of a row that are asked for their cluster.
NEIGHBORS = 10


class Fit(NamedTuple):
    """Clusters found with one kernel.

    ``labels`` are the clusters, which sizes and known labels restrict, ``decoded`` those of highest
    score; ``passes`` counts passes over the rows.
    """

    kernel: Any
    map: Any
    problem: ClusteringProblem
    C: float
    result: Result
    labels: Indices
    decoded: Indices
    passes: int


def kernels_to_try(kernel: Any, X: Any) -> tuple[Any, ...]:
    """The kernels of 'auto', or the one that was given.

    Rows that need not fit in memory have 'linear' alone.
    """
    if not (isinstance(kernel, str) and kernel == "auto"):
        return (kernel,)
    return ("linear",) if is_dask(X) or isinstance(X, np.memmap) else ("linear", "diffusion")


def most_agreed(fits: list[Fit], X: Any) -> Fit:
    """The fit whose clusters are shared by most of the nearest neighbours in X."""
    neighbors = nearest_others(X)
    return max(fits, key=lambda fit: neighbour_agreement(neighbors, fit.labels))


def nearest_others(X: Any) -> Indices:
    """The nearest other rows of every row, shape (n, 10); fewer of fewer than 11 rows."""
    index = NearestNeighbors(n_neighbors=min(NEIGHBORS, X.shape[0] - 1)).fit(X)
    return np.asarray(index.kneighbors(return_distance=False))


def neighbour_agreement(neighbors: Indices, labels: Indices) -> float:
    """The share of neighbours in the same cluster, 0 if as many as by chance and 1 if all.

    Chance is that of two rows drawn at random, which is large where one cluster has most rows.
    """
    shared = np.mean(labels[neighbors] == labels[:, None])
    chance = np.square(np.bincount(labels) / len(labels)).sum()
    return float((shared - chance) / (1 - chance)) if chance < 1 else 0.0
