"""Merge rows into one node if it is known which of the rows share a cluster."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.annotation import UNKNOWN


class Groups(NamedTuple):
    """Nodes: groups of rows in which the label of one row determines the labels of all rows.

    Attributes
    ----------
    nodes : ndarray of shape (n,)
        Index of every row's node, starting at 0.
    signs : ndarray of shape (n,)
        +1 if a row has the label z of its node, -1 if it has the opposite label.
    """

    nodes: Indices
    signs: Vector

    @property
    def n_nodes(self) -> int:
        return int(self.nodes.max()) + 1

    @property
    def sizes(self) -> Vector:
        """Number of rows with the node's label, minus the number with the opposite label."""
        return np.bincount(self.nodes, self.signs, self.n_nodes).astype(np.float64)

    def of_rows(self, z: Vector) -> Vector:
        """Return the values of the rows, computed from the values z of the nodes."""
        return self.signs * z[self.nodes]

    def pairs_of_rows(self, Z: Vector) -> Vector:
        """Return the matrix of the rows, computed from the matrix Z of the nodes."""
        return Z[np.ix_(self.nodes, self.nodes)] * np.outer(self.signs, self.signs)

    def summed(self, A: Vector) -> Vector:
        """For every two groups of rows, sum the entries of the symmetric (n, n) matrix A."""
        if self.n_nodes == len(self.nodes):
            return A
        R = sparse.csr_matrix((np.ones(len(self.nodes)), (self.nodes, np.arange(len(self.nodes)))))
        return np.asarray(R @ (R @ A).T)


def coded(known: Any, n: int, n_clusters: int) -> tuple[Indices, Indices]:
    """Return the classes, and each row's class index, which is -1 if the class is unknown."""
    if known is None:
        return np.arange(n_clusters), np.full(n, UNKNOWN)
    classes = np.unique(known[known != UNKNOWN])
    if n_clusters == 2 and len(classes) != 2:
        raise ValueError(
            f"the known labels must be of two classes; got {classes.tolist()}. Mark rows of "
            f"unknown label with {UNKNOWN}"
        )
    return classes, np.where(known == UNKNOWN, UNKNOWN, np.searchsorted(classes, known))


def linked(n: int, known: Indices, must_link: Any, cannot_link: Any) -> Groups:
    """Merge rows into nodes by their known labels and by the links between rows.

    Parameters
    ----------
    n : int
        Number of rows.
    known : ndarray of shape (n,)
        0 or 1 for a known label, -1 for an unknown label.
    must_link, cannot_link : array-like of shape (m, 2) or None
        Pairs of rows in one cluster, and pairs of rows in different clusters.

    Raises
    ------
    ValueError
        If a pair contains an invalid row index, or links contradict each other or the labels.
    """
    # Each labelled row is linked to the first labelled row.
    labelled = np.flatnonzero(known >= 0)
    others, first = labelled[1:], labelled[:1].repeat(max(len(labelled) - 1, 0))
    given = [
        np.column_stack([first, others, np.where(known[others] == known[first], 1, -1)]),
        *(
            np.insert(checked_links(name, pairs, n), 2, sign, axis=1)
            for name, pairs, sign in (("must_link", must_link, 1), ("cannot_link", cannot_link, -1))
        ),
    ]
    links = np.concatenate(given)
    component = _components(n, links)
    if np.any(component[:n] == component[n:]):
        raise ValueError(_contradiction(n, links, len(others)))
    # A node and its mirror image, of opposite signs, are two components. One of them is used.
    first = np.minimum(component[:n], component[n:])
    _, nodes = np.unique(first, return_inverse=True)
    # Signs are relative to the first row of each node.
    own = component[:n][np.unique(nodes, return_index=True)[1]]
    signs = np.where(component[:n] == own[nodes], 1.0, -1.0)
    return Groups(nodes, signs)


def checked_links(name: str, links: Any, n: int) -> Indices:
    """Return the links as an integer array of shape (m, 2), or raise a ValueError."""
    wrong = ""
    try:
        pairs = np.asarray([] if links is None else list(links))
    except TypeError:
        wrong = repr(links)
    except ValueError:
        wrong = "pairs of different lengths"
    else:
        if not pairs.size:
            return np.empty((0, 2), dtype=np.intp)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            wrong = f"shape {pairs.shape}"
        elif not np.issubdtype(pairs.dtype, np.integer):
            wrong = f"{pairs.dtype} values"
        elif (outside := ((pairs < 0) | (pairs >= n)).any(axis=1)).any():
            wrong = str(tuple(pairs[outside][0].tolist()))
    if wrong:
        raise ValueError(
            f"{name} must be pairs of row numbers from 0 to {n - 1}, of shape (m, 2); got {wrong}"
        )
    return pairs.astype(np.intp)


def _components(n: int, links: Indices) -> Indices:
    """Return the connected component of each vertex; vertices are the pairs of a row and a label.

    The first n vertices are the n rows with the label +1, and the next n are the rows with the
    label -1. An edge joins two vertices if the label of one row implies the label of the other row.
    """
    i, j, sign = links.T
    apart = n * (sign < 0)
    starts, ends = np.concatenate([i, i + n]), np.concatenate([j + apart, j + n - apart])
    graph = sparse.csr_matrix((np.ones(len(starts)), (starts, ends)), shape=(2 * n, 2 * n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)


def _contradiction(n: int, links: Indices, n_labels: int) -> str:
    """Return a message that names the first link that contradicts earlier links."""
    for last in range(1, len(links) + 1):
        component = _components(n, links[:last])
        if np.any(component[:n] == component[n:]):
            break
    i, j, sign = links[last - 1].tolist()
    name, relation = ("must_link", "together") if sign > 0 else ("cannot_link", "apart")
    if i == j:
        return f"{name} says that row {i} differs from itself; remove ({i}, {j})"
    others = "the labels or other links" if n_labels else "other links"
    return (
        f"the links contradict each other: {name} has ({i}, {j}), so rows {i} and {j} are "
        f"{relation}, but {others} say the opposite"
    )
