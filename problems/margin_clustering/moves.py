"""Merge-and-split moves between local optima of a clustering with more than two clusters."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.results.result import Result

#: Moves tried, at most, before a clustering counts as a local optimum.
PROPOSALS = 20


def merge_and_split(
    problem: ClusteringProblem, x: Any, result: Result, rng: np.random.Generator
) -> Iterator[Indices]:
    """Clusterings to try: two confused clusters are merged, and another one is split.

    Pairs to merge are ranked by the hinge loss between them per row, clusters to split by how much
    2-means reduces their sum of squared distances. Combinations are yielded in order of the sum of
    both ranks.
    """
    clusters = problem.clusters_of(result.labels[0])
    pairs = _confused_pairs(problem.cluster_scores(x, result.w), clusters)
    halves = _splits(x, clusters, problem.n_clusters, rng)
    # A third cluster is split, because the merge changes the two of the pair.
    ranked = sorted(
        (i + j, i, j) for i, pair in enumerate(pairs) for j, (c, _) in enumerate(halves)
        if c not in pair
    )  # fmt: skip
    for _, i, j in ranked[:PROPOSALS]:
        (kept, freed), (_, rows) = pairs[i], halves[j]
        proposal = clusters.copy()
        proposal[proposal == freed] = kept
        proposal[rows] = freed
        yield proposal


def _confused_pairs(scores: Vector, clusters: Indices) -> list[tuple[int, int]]:
    """Pairs of clusters in decreasing order of the hinge loss between them per row."""
    per_row = _confusion(scores, clusters)
    pairs = [(p, q) for p in range(len(per_row)) for q in range(p)]
    return ranked(pairs, lambda pair: -per_row[pair])


def _confusion(scores: Vector, clusters: Indices) -> Vector:
    """The hinge loss between two clusters per row of them, shape (k, k)."""
    n, k = scores.shape
    own = scores[np.arange(n), clusters]
    hinge = np.maximum(0, 1 - own[:, None] + scores)
    # A row's own cluster would have a hinge of 1.
    hinge[np.arange(n), clusters] = 0
    members = np.eye(k)[:, clusters]
    between = members @ hinge
    sizes = members.sum(axis=1)
    # The total would favour pairs of large clusters. Two empty clusters have no rows to divide by.
    return np.asarray((between + between.T) / np.maximum(1, sizes[:, None] + sizes))


def _splits(
    x: Any, clusters: Indices, k: int, rng: np.random.Generator
) -> list[tuple[int, Indices]]:
    """Clusters with the rows of one of their halves, in decreasing order of the gain of a split."""
    halves = []
    for cluster in range(k):
        rows = np.flatnonzero(clusters == cluster)
        if len(rows) < 4:  # halves of fewer than two rows are no clusters
            continue
        two, one = kmeans(x[rows], 2, rng, n_init=3), kmeans(x[rows], 1, rng)
        halves.append((two.inertia_ - one.inertia_, cluster, rows[two.labels_ == 1]))
    return [(cluster, rows) for _, cluster, rows in ranked(halves, lambda half: half[0])]


def kmeans(x: Any, k: int, rng: np.random.Generator, n_init: int = 1) -> KMeans:
    """k-means of the rows, without the warning for fewer distinct rows than clusters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters")
        return KMeans(k, n_init=n_init, random_state=int(rng.integers(2**31))).fit(x)
