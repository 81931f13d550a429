"""Dynamic programs on forests, for all trees at once: max-product and sum-product.

Nodes are in breadth-first order, so that the nodes of a depth form a slice, and so do the children
of a node. Each operation runs over all nodes of a depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csgraph

from structsvm.data.arrays import Indices, Vector
from structsvm.data.log_sums import log_sums
from structsvm.problems.graphs.inference.scores import adjacency


class ForestMarginals(NamedTuple):
    """Marginals of the distribution in which a labelling has a probability ~ exp(score).

    Attributes
    ----------
    log_partition : ndarray of shape (n_trees,)
        log sum exp(score) of each tree, in the order of :attr:`Forest.roots`.
    nodes : ndarray of shape (n_nodes, k)
        The probability of every label at every node.
    edges : ndarray of shape (n_edges, k, k)
        The probability of every pair of labels at the two nodes of an edge.
    """

    log_partition: Vector
    nodes: Vector
    edges: Vector


class _Level(NamedTuple):
    """The nodes of one depth below the roots, as places in breadth-first order.

    ``children`` are their places, and ``families`` the first child of every parent, counted from
    the first of the level; ``parents`` has the parent of every child.
    """

    children: slice
    parents: Indices
    families: Indices


def is_forest(n_nodes: int, edges: Indices) -> bool:
    """Return whether the graph has no cycle; a doubled edge is one."""
    n, _ = csgraph.connected_components(adjacency(n_nodes, edges), directed=False)
    return len(edges) == n_nodes - n


class Forest:
    """Trees, prepared for inference with any scores.

    Parameters
    ----------
    n_nodes : int
    edges : ndarray of shape (n_edges, 2)

    Attributes
    ----------
    roots : ndarray of shape (n_trees,)
        The node of least number of each tree, rising.

    Raises
    ------
    ValueError
        The graph has a cycle.
    """

    def __init__(self, n_nodes: int, edges: Indices) -> None:
        n, component = csgraph.connected_components(adjacency(n_nodes, edges), directed=False)
        if len(edges) != n_nodes - n:
            raise ValueError(f"the graph of {n_nodes} nodes and {len(edges)} edges has a cycle")
        _, self.roots = np.unique(component, return_index=True)
        self.roots.sort()
        # One search from a node that is joined to all roots.
        above = np.column_stack([np.full(n, n_nodes), self.roots])
        joined = np.concatenate([edges.reshape(-1, 2), above])
        order, above = csgraph.breadth_first_order(
            adjacency(n_nodes + 1, joined), n_nodes, directed=False
        )
        self._order = order[1:].astype(np.intp)
        place = np.empty(n_nodes + 1, dtype=np.intp)
        place[order] = np.arange(-1, n_nodes)
        self._parent = place[above[self._order]]
        self._set_edges(place[edges.reshape(-1, 2)])

    def _set_edges(self, places: Indices) -> None:
        """Find the edge of every node that is no root, and whether it begins at the node."""
        n_trees = len(self.roots)
        child = places.max(axis=1)
        edge_of = np.empty(len(self._order), dtype=np.intp)
        edge_of[child] = np.arange(len(places))
        self._edge = edge_of[n_trees:]
        self._turned = places[self._edge, 0] > places[self._edge, 1]
        self._entries_of: dict[int, Indices] = {}

    def _levels(self) -> Iterator[_Level]:
        """All depths below the roots, downwards."""
        start, stop = 0, len(self.roots)
        while stop < len(self._order):
            # Parents rise along the order: the children of this level are those before the next.
            start, end = stop, stop + int(np.searchsorted(self._parent[stop:], stop))
            parents = self._parent[start:end]
            families = np.flatnonzero(np.diff(parents, prepend=-1))
            yield _Level(slice(start, end), parents, families)
            stop = end

    def _ordered(self, unary: Vector, pairwise: Vector) -> tuple[Vector, Vector]:
        """Scores of the nodes in order, and of the pairs (parent, child) of all but the roots."""
        pairs = pairwise[self._edge]
        pairs[self._turned] = pairs[self._turned].transpose(0, 2, 1)
        return unary[self._order], pairs

    def maximum(self, unary: Vector, pairwise: Vector) -> Indices:
        """Return a labelling of highest score, shape (n_nodes,).

        Of several, it has the smallest label at each root, and then at each other node the smallest
        that goes with the label of its parent.
        """
        k, n_trees, levels = unary.shape[1], len(self.roots), list(self._levels())
        # Labels first, so that each operation on a pair of labels runs over all edges of a depth.
        best = unary.T[:, self._order]
        pairs = np.take(pairwise, self._entries(k)).reshape(k, k, -1)
        for children, parents, families in reversed(levels):
            own = slice(children.start - n_trees, children.stop - n_trees)
            message = (pairs[:, :, own] + best[:, None, children]).max(axis=0)
            best[:, parents[families]] += np.add.reduceat(message, families, axis=1)
        labels = np.empty(len(unary), dtype=np.intp)
        labels[:n_trees] = _first_largest(best[:, :n_trees])
        for children, parents, _ in levels:
            places = np.arange(children.start - n_trees, children.stop - n_trees)
            # No back pointers: the best label is found again from the parent's label.
            labels[children] = _first_largest(best[:, children] + pairs[:, labels[parents], places])
        return self._unordered(labels)

    def _entries(self, k: int) -> Indices:
        """Places in ``pairwise`` of (label of the child, label of the parent, edge), flattened."""
        if k not in self._entries_of:
            child, parent = np.divmod(np.arange(k * k), k)
            upright, turned = (parent * k + child)[:, None], (child * k + parent)[:, None]
            self._entries_of[k] = self._edge * k * k + np.where(self._turned, turned, upright)
        return self._entries_of[k]

    def marginals(self, unary: Vector, pairwise: Vector) -> ForestMarginals:
        """Return log-partition functions and marginals, without overflow."""
        below, pairs = self._ordered(unary, pairwise)
        levels, n_trees = list(self._levels()), len(self.roots)
        for children, parents, families in reversed(levels):
            own = slice(children.start - n_trees, children.stop - n_trees)
            sums = pairs[own] + below[children, None, :]
            message = log_sums(sums, axis=2)
            # The logarithm of the probability of the child's label, given its parent's.
            pairs[own] = sums - message[:, :, None]
            below[parents[families]] += np.add.reduceat(message, families)
        log_partition = log_sums(below[:n_trees], axis=1)
        nodes = np.empty_like(below)
        nodes[:n_trees] = np.exp(below[:n_trees] - log_partition[:, None])
        joint = np.exp(pairs)
        for children, parents, _ in levels:
            own = slice(children.start - n_trees, children.stop - n_trees)
            joint[own] *= nodes[parents][:, :, None]
            nodes[children] = joint[own].sum(axis=1)
        joint[self._turned] = joint[self._turned].transpose(0, 2, 1)
        edges = np.empty_like(joint)
        edges[self._edge] = joint
        return ForestMarginals(log_partition, self._unordered(nodes), edges)

    def _unordered(self, values: Any) -> Any:
        found = np.empty_like(values)
        found[self._order] = values
        return found


def _first_largest(scores: Vector) -> Indices:
    """The first row with the largest entry of each column; faster than argmax for few rows."""
    best, found = scores[0].copy(), np.zeros(scores.shape[1], dtype=np.intp)
    for label in range(1, len(scores)):
        better = scores[label] > best
        found[better] = label
        np.maximum(best, scores[label], out=best)
    return found
