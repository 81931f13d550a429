"""Rows known to be in the same or in different clusters, merged into nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from structsvm.data.arrays import Indices, Vector


class Groups(NamedTuple):
    """Nodes of rows whose labels are known relative to each other: y_i = signs_i z_node(i).

    Attributes
    ----------
    nodes : ndarray of shape (n,)
        The node of every row, from 0.
    signs : ndarray of shape (n,)
        +1 where a row has the label z of its node, -1 where it has the opposite one.
    """

    nodes: Indices
    signs: Vector

    @property
    def n_nodes(self) -> int:
        return int(self.nodes.max()) + 1

    @property
    def sizes(self) -> Vector:
        """The sum of the signs of every node's rows."""
        return self.sums(np.ones(len(self.nodes)))

    def of_rows(self, z: Vector) -> Vector:
        """The values of the rows from values z of the nodes."""
        return self.signs * z[self.nodes]

    def sums(self, values: Vector) -> Vector:
        """The sum over every node's rows of their values times their signs."""
        return np.bincount(self.nodes, self.signs * values, self.n_nodes).astype(np.float64)

    def pairs_of_rows(self, Z: Vector) -> Vector:
        """The (n, n) matrix R Z R' of the rows from a matrix Z of the nodes."""
        if self.n_nodes == len(self.nodes):  # every row is its own node
            return Z * np.outer(self.signs, self.signs)
        return Z[np.ix_(self.nodes, self.nodes)] * np.outer(self.signs, self.signs)

    def summed(self, A: Vector) -> Vector:
        """A symmetric (n, n) matrix summed over the rows and columns of each pair of nodes."""
        if self.n_nodes == len(self.nodes):
            return A
        R = sparse.csr_matrix((np.ones(len(self.nodes)), (self.nodes, np.arange(len(self.nodes)))))
        return np.asarray(R @ (R @ A).T)


def linked(n: int, known: Indices, must_link: Any, cannot_link: Any) -> Groups:
    """The nodes that known labels and links define.

    Parameters
    ----------
    n : int
    known : ndarray of shape (n,)
        0 or 1 where the label is known, else -1.
    must_link, cannot_link : array-like of shape (m, 2) or None
        Pairs of rows in the same cluster, and in different clusters.

    Raises
    ------
    ValueError
        A pair holds an invalid row number, or links contradict each other or the labels.
    """
    must, cannot = (
        checked_links("must_link", must_link, n),
        checked_links("cannot_link", cannot_link, n),
    )
    links = [*_label_links(known), *((*pair, 1) for pair in must)]
    links += [(*pair, -1) for pair in cannot]
    component = _components(n, links)
    if np.any(component[:n] == component[n:]):
        raise ValueError(_contradiction(n, links, len(links) - len(must) - len(cannot)))
    # A node and its mirror image, with opposite signs, are two components; one of them is used.
    first = np.minimum(component[:n], component[n:])
    _, nodes = np.unique(first, return_inverse=True)
    # Signs are relative to the first row of each node.
    own = component[:n][np.unique(nodes, return_index=True)[1]]
    signs = np.where(component[:n] == own[nodes], 1.0, -1.0)
    return Groups(nodes, signs)


def checked_links(name: str, links: Any, n: int) -> Indices:
    """The links as an integer array of shape (m, 2), or a ValueError."""
    expected = f"{name} must be pairs of row numbers from 0 to {n - 1}, of shape (m, 2)"
    try:
        pairs = np.asarray([] if links is None else list(links))
    except TypeError:
        raise ValueError(f"{expected}; got {links!r}") from None
    except ValueError:
        raise ValueError(f"{expected}; got pairs of different lengths") from None
    if not pairs.size:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"{expected}; got shape {pairs.shape}")
    if not np.issubdtype(pairs.dtype, np.integer):
        raise ValueError(f"{expected}; got {pairs.dtype} values")
    wrong = np.flatnonzero(((pairs < 0) | (pairs >= n)).any(axis=1))
    if len(wrong):
        raise ValueError(f"{expected}; got {tuple(pairs[wrong[0]].tolist())}")
    return pairs.astype(np.intp)


def _label_links(known: Indices) -> Iterator[tuple[int, int, int]]:
    """A link of each labelled row to the first labelled one."""
    rows = np.flatnonzero(known >= 0)
    for row in rows[1:]:
        yield int(rows[0]), int(row), 1 if known[row] == known[rows[0]] else -1


def _components(n: int, links: list[tuple[int, int, int]]) -> Indices:
    """Connected components of 2 n vertices: every row, and its mirror image as vertex n + row.

    The mirror image has the opposite label, so that a cannot-link joins each row to the other's
    mirror image. Labels and links contradict each other if a row is connected to its own.
    """
    if not links:
        return np.arange(2 * n)
    i, j, sign = np.array(links, dtype=np.intp).T
    apart = n * (sign < 0)
    starts, ends = np.concatenate([i, i + n]), np.concatenate([j + apart, j + n - apart])
    graph = sparse.csr_matrix((np.ones(len(starts)), (starts, ends)), shape=(2 * n, 2 * n))
    return connected_components(graph, directed=False)[1].astype(np.intp)


def _contradiction(n: int, links: list[tuple[int, int, int]], n_labels: int) -> str:
    """A message that names the first link that contradicts the ones before it."""
    for last in range(1, len(links) + 1):
        component = _components(n, links[:last])
        if np.any(component[:n] == component[n:]):
            break
    i, j, sign = links[last - 1]
    name = "must_link" if sign > 0 else "cannot_link"
    if i == j:
        return f"{name} says that row {i} differs from itself; remove ({i}, {j})"
    relation = "together" if sign > 0 else "apart"
    others = "the labels or other links" if n_labels else "other links"
    return (
        f"the links contradict each other: {name} has ({i}, {j}), so rows {i} and {j} are "
        f"{relation}, but {others} say the opposite"
    )
