"""The choice between clusterings without labels: by neighbours, and by other clusterings."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, mutual_info_score
from sklearn.neighbors import NearestNeighbors

from structsvm.data.arrays import Indices

#: Nearest neighbours of a row whose clusters are compared with its own.
NEIGHBORS = 10


def agreements(found: list[Indices], others: list[Indices], X: Any, k: int) -> list[float]:
    """The agreement of clusterings into k clusters with neighbours and with one another.

    It is the information of neighbours in X plus the mean adjusted Rand index with all other
    clusterings. ``others`` are compared with, but not judged.
    """
    neighbors = nearest_others(X)
    every = [*found, *others]
    return [
        neighbour_information(labels, neighbors, k)
        + float(np.mean([adjusted_rand_score(labels, one) for one in every[:i] + every[i + 1 :]]))
        for i, labels in enumerate(found)
    ]


def neighbour_information(labels: Indices, neighbors: Indices, k: int) -> float:
    """The mutual information of the clusters of a row and of its neighbour, relative to log k.

    It is 1 where k clusters of equal size hold the neighbours of all their rows, and 0 for random
    clusters and for a single one.
    """
    own = np.repeat(labels, neighbors.shape[1])
    return float(mutual_info_score(own, labels[neighbors].ravel()) / np.log(k))


def nearest_others(X: Any) -> Indices:
    """The 10 nearest other rows of each row; of fewer than 11 rows, all others."""
    rows = np.arange(X.shape[0])
    index = NearestNeighbors(n_neighbors=min(NEIGHBORS + 1, len(rows))).fit(X)
    nearest = index.kneighbors(X, return_distance=False)
    # Among many copies a row may be missing from its own neighbours: then the last one goes.
    dropped = nearest == rows[:, None]
    dropped[~dropped.any(axis=1), -1] = True
    return nearest[~dropped].reshape(len(rows), -1)
