"""Rows that are known to be together or apart, as the nodes of a smaller problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from structsvm.problem import Indices, Vector


class Groups(NamedTuple):
    """Every row belongs to a node, on its side or on the other: y_i = signs_i z_node(i).

    Attributes
    ----------
    nodes : ndarray of shape (n,)
        From 0.
    signs : ndarray of shape (n,)
        +1 or -1.
    """

    nodes: Indices
    signs: Vector

    @property
    def n_nodes(self) -> int:
        return int(self.nodes.max()) + 1

    @property
    def sizes(self) -> Vector:
        """The sum of the signs of every node's rows."""
        return np.bincount(self.nodes, self.signs, self.n_nodes).astype(np.float64)

    def of_rows(self, z: Vector) -> Vector:
        """What z says of the rows."""
        return self.signs * z[self.nodes]

    def pairs_of_rows(self, Z: Vector) -> Vector:
        """What the matrix Z says of pairs of rows, R Z R' for the (n, n_nodes) matrix R."""
        if self.n_nodes == len(self.nodes):  # every row is its own node
            return Z * np.outer(self.signs, self.signs)
        return Z[np.ix_(self.nodes, self.nodes)] * np.outer(self.signs, self.signs)

    def summed(self, A: Vector) -> Vector:
        """A symmetric A of shape (n, n) summed over the rows and columns of each pair of nodes."""
        if self.n_nodes == len(self.nodes):
            return A
        R = sparse.csr_matrix((np.ones(len(self.nodes)), (self.nodes, np.arange(len(self.nodes)))))
        return np.asarray(R @ (R @ A).T)


def linked(n: int, known: Indices, must_link: Any, cannot_link: Any) -> Groups:
    """The groups that known labels and links make.

    Parameters
    ----------
    n : int
    known : ndarray of shape (n,)
        0 or 1 where the label is known, else -1.
    must_link, cannot_link : array-like of shape (m, 2) or None
        Pairs of rows.

    Raises
    ------
    ValueError
        A pair names no row, or links contradict each other or the labels.
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
    # A group and its mirror image are two components; it is named by its first row.
    first = np.minimum(component[:n], component[n:])
    _, nodes = np.unique(first, return_inverse=True)
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
    """Each labelled row with the first one."""
    rows = np.flatnonzero(known >= 0)
    for row in rows[1:]:
        yield int(rows[0]), int(row), 1 if known[row] == known[rows[0]] else -1


def _components(n: int, links: list[tuple[int, int, int]]) -> Indices:
    """Components of 2 n vertices: every row and its mirror image, number n + row."""
    if not links:
        return np.arange(2 * n)
    i, j, sign = np.array(links, dtype=np.intp).T
    apart = n * (sign < 0)
    starts, ends = np.concatenate([i, i + n]), np.concatenate([j + apart, j + n - apart])
    graph = sparse.csr_matrix((np.ones(len(starts)), (starts, ends)), shape=(2 * n, 2 * n))
    return connected_components(graph, directed=False)[1].astype(np.intp)


def _contradiction(n: int, links: list[tuple[int, int, int]], n_labels: int) -> str:
    """A message that names the first link that cannot hold with those before it."""
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
