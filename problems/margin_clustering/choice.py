"""The choice between two clusterings without labels, by nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.moves import kmeans
from structsvm.problems.margin_clustering.search import Descent
from structsvm.results.status import Status

#: Nearest neighbours of a row whose clusters are compared with its own.
NEIGHBORS = 10
#: A clustering replaces a simpler one if it divides fewer neighbours than this fraction.
FEWER = 0.6
#: A search takes seconds for more clusters than this:
MANY = 10
#: then k-means in its features must divide fewer than this fraction for it to be made.
PROMISING = 0.85


class Candidate(NamedTuple):
    """A clustering of a sample of the rows.

    ``map`` leads to the features of the kernel. ``prepare`` makes the problem of such features and
    known labels, and its C; ``w`` solves it on the sample, or is where a descent begins. ``ended``
    says what ended the search early, after ``passes`` over the sample. ``descent`` is the kind of
    the descent on all rows.
    """

    kernel: str
    map: Any
    prepare: Callable[[Any, Any], tuple[ClusteringProblem, float]]
    w: Vector
    labels: Indices
    ended: Status | None = None
    passes: int = 0
    descent: type[Descent] = Descent


def is_better(labels: Indices, others: Indices, X: Any, fewer: float = FEWER) -> bool:
    """Whether the labels divide far fewer of the nearest neighbours in X than the others do."""
    neighbors = nearest_others(X)
    return divided(labels, neighbors) < fewer * divided(others, neighbors)


def is_promising(Z: Any, k: int, others: Indices, X: Any, rng: np.random.Generator) -> bool:
    """Whether a search for k clusters in the features Z may find better ones than the others."""
    return k <= MANY or is_better(kmeans(Z, k, rng).labels_, others, X, PROMISING)


def divided(labels: Indices, neighbors: Indices) -> float:
    """The share of the neighbours of all rows that are in another cluster than the row."""
    return float(np.mean(labels[neighbors] != labels[:, None]))


def nearest_others(X: Any) -> Indices:
    """The 10 nearest other rows of each row; of fewer than 11 rows, all others."""
    rows = np.arange(X.shape[0])
    index = NearestNeighbors(n_neighbors=min(NEIGHBORS + 1, len(rows))).fit(X)
    nearest = index.kneighbors(X, return_distance=False)
    # Among many copies a row may be missing from its own neighbours: then the last one goes.
    dropped = nearest == rows[:, None]
    dropped[~dropped.any(axis=1), -1] = True
    return nearest[~dropped].reshape(len(rows), -1)
