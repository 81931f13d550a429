"""The choice between clusterings without labels: by neighbours, and by other clusterings."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from structsvm.data.arrays import Indices

#: Nearest neighbours of a row whose clusters are compared with its own.
NEIGHBORS = 10


def agreements(found: list[Indices], others: list[Indices], X: Any) -> list[float]:
    """How much each clustering agrees with the neighbours in X, and with all other clusterings.

    It is the modularity in the graph of nearest neighbours, and the mean adjusted Rand index with
    the other clusterings. ``others`` have a say, but no value.
    """
    neighbors = nearest_others(X)
    said = [*found, *others]
    return [
        modularity(labels, neighbors)
        + float(np.mean([adjusted_rand_score(labels, other) for other in said[:i] + said[i + 1 :]]))
        for i, labels in enumerate(found)
    ]


def modularity(labels: Indices, neighbors: Indices) -> float:
    """The share of the rows' neighbours in their cluster, less the share expected by chance.

    Chance is the probability that two rows drawn at random share a cluster, which is large if one
    cluster has most rows.
    """
    shared = np.mean(labels[neighbors] == labels[:, None])
    return float(shared - np.square(np.bincount(labels) / len(labels)).sum())


def nearest_others(X: Any) -> Indices:
    """The 10 nearest other rows of each row; of fewer than 11 rows, all others."""
    rows = np.arange(X.shape[0])
    index = NearestNeighbors(n_neighbors=min(NEIGHBORS + 1, len(rows))).fit(X)
    nearest = index.kneighbors(X, return_distance=False)
    # Among many copies a row may be missing from its own neighbours: then the last one goes.
    dropped = nearest == rows[:, None]
    dropped[~dropped.any(axis=1), -1] = True
    return nearest[~dropped].reshape(len(rows), -1)
