"""The choice between features without labels: by the neighbours that share a cluster."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from structsvm.data.arrays import Indices
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.dask_rows import is_dask
from structsvm.results.result import Result

logger = logging.getLogger(__name__)

#: Nearest neighbours of a row whose clusters are compared with its own.
NEIGHBORS = 10
#: Rows compared, at most: the search for neighbours takes time in proportion to their number.
ASKED = 5000


class Fit(NamedTuple):
    """Clusters found with one kernel.

    ``labels`` are the clusters, subject to sizes and known labels; ``decoded`` are the clusters of
    highest score; ``passes`` counts passes over the rows.
    """

    kernel: Any
    map: Any
    problem: ClusteringProblem
    C: float
    result: Result
    labels: Indices
    decoded: Indices
    passes: int


def kernels_to_try(
    kernel: Any, X: Any, auto: tuple[str, ...] = ("linear", "diffusion")
) -> tuple[Any, ...]:
    """The kernels of 'auto', or the one that was given.

    Rows that need not fit in memory have 'linear' alone.
    """
    if not (isinstance(kernel, str) and kernel == "auto"):
        return (kernel,)
    return ("linear",) if is_dask(X) or isinstance(X, np.memmap) else auto


def most_agreed(fits: list[Fit], X: Any) -> Fit:
    """The fit whose clusters are shared by most of the nearest neighbours in X."""
    rows, neighbors = nearest_others(X)
    agreements = [neighbour_agreement(rows, neighbors, fit.labels) for fit in fits]
    best = fits[int(np.argmax(agreements))]
    found = ", ".join(
        f"{fit.kernel!r} {share:.3f}" for fit, share in zip(fits, agreements, strict=True)
    )
    logger.info("kernel='auto': neighbours in the same cluster %s; %r is kept", found, best.kernel)
    return best


def nearest_others(X: Any) -> tuple[Indices, Indices]:
    """At most 5000 rows, evenly spaced in X, and the 10 nearest other rows of each.

    With fewer than 11 rows there are fewer neighbours.
    """
    n = X.shape[0]
    rows = np.linspace(0, n - 1, min(n, ASKED)).astype(int)
    index = NearestNeighbors(n_neighbors=min(NEIGHBORS + 1, n)).fit(X)
    nearest = index.kneighbors(X[rows], return_distance=False)
    # Among many copies a row may be missing from its own neighbours: then the last one goes.
    dropped = nearest == rows[:, None]
    dropped[~dropped.any(axis=1), -1] = True
    return rows, nearest[~dropped].reshape(len(rows), -1)


def neighbour_agreement(rows: Indices, neighbors: Indices, labels: Indices) -> float:
    """The share of the rows' neighbours in their cluster, 0 if as many as by chance and 1 if all.

    Chance is the probability that two rows drawn at random share a cluster, which is large if one
    cluster has most rows.
    """
    shared = np.mean(labels[neighbors] == labels[rows, None])
    chance = np.square(np.bincount(labels) / len(labels)).sum()
    return float((shared - chance) / (1 - chance)) if chance < 1 else 0.0
