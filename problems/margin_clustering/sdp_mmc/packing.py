"""Nodes of different sizes in clusters of sizes as equal as possible, by a search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector


class Exchange(NamedTuple):
    """A node of one cluster for a node of another, or for none.

    Attributes
    ----------
    gain : float
        Half of what the sum of the squared sizes of the clusters decreases by.
    clusters : tuple of int
        The larger cluster and the smaller one.
    sizes : tuple of float
        The sizes of the nodes that leave these; 0 for none.
    """

    gain: float
    clusters: tuple[int, int]
    sizes: tuple[float, float]


def packed(sizes: Vector, k: int) -> Indices:
    """The cluster of each node: the largest nodes first, each to the smallest cluster; then evened.

    No cluster is empty where there are at least k nodes of positive size.
    """
    labels, totals = np.empty(len(sizes), dtype=np.intp), np.zeros(k)
    for node in np.argsort(-sizes, kind="stable"):
        labels[node] = totals.argmin()
        totals[labels[node]] += sizes[node]
    indifferent = np.zeros((len(sizes), k))
    while (better := evened(labels, sizes, indifferent)) is not None:
        labels = better
    return labels


def packed_signs(sizes: Vector) -> Vector:
    """Signs of nodes whose sum, weighted with sizes of any sign, is as near 0 as the search gets.

    It is the case of two clusters.
    """
    return np.where((packed(np.abs(sizes), 2) == 1) == (sizes >= 0), 1.0, -1.0)


def evened(labels: Indices, sizes: Vector, scores: Vector) -> Indices | None:
    """The labels after the exchange that makes clusters most equal; None if none does.

    Parameters
    ----------
    labels : ndarray of shape (n_nodes,)
    sizes : ndarray of shape (n_nodes,)
        >= 0.
    scores : ndarray of shape (n_nodes, k)
        Of nodes of the same size in the same cluster, the one goes that loses least.
    """
    totals = np.bincount(labels, sizes, scores.shape[1]).astype(np.float64)
    kinds = [np.unique(sizes[labels == cluster]) for cluster in range(len(totals))]
    best = Exchange(0.0, (0, 0), (0.0, 0.0))
    for a, b in np.argwhere(totals[:, None] > totals).tolist():
        found = _best_between(a, b, totals, kinds)
        best = max(best, found, key=lambda exchange: exchange.gain)
    if not best.gain:
        return None
    (a, b), (leaves, returns) = best.clusters, best.sizes
    changed = labels.copy()
    for source, target, size in ((a, b, leaves), (b, a, returns)):
        if size:
            nodes = np.flatnonzero((labels == source) & (sizes == size))
            loss = scores[nodes, source] - scores[nodes, target]
            changed[nodes[loss.argmin()]] = target
    return changed


def _best_between(a: int, b: int, totals: Vector, kinds: list[Vector]) -> Exchange:
    """The best exchange of cluster a with the smaller cluster b."""
    leaving, returning = kinds[a], np.append(0.0, kinds[b])
    moved = leaving[:, None] - returning
    gains = moved * (totals[a] - totals[b] - moved)
    i, j = np.unravel_index(gains.argmax(), gains.shape)
    return Exchange(float(gains[i, j]), (a, b), (float(leaving[i]), float(returning[j])))
