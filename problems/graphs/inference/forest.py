"""Max-product and sum-product on forests, by dynamic programs over all trees together.

Nodes are in breadth-first order, in which the nodes of one depth are consecutive, and the children
of a node are consecutive. Each operation runs over all nodes of one depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csgraph

from structsvm.data.arrays import Indices, Vector
from structsvm.data.log_sums import log_sums
from structsvm.problems.graphs.inference.scores import adjacency


class ForestMarginals(NamedTuple):
    """Marginals of the distribution of labellings with probabilities proportional to exp(score).

    Attributes
    ----------
    log_partition : ndarray of shape (n_trees,)
        The log of the sum of exp(score) for each tree, in the order of :attr:`Forest.roots`.
    nodes : ndarray of shape (n_nodes, k)
        The probability of every label at every node.
    edges : ndarray of shape (n_edges, k, k)
        The probability of every pair of labels at the two nodes of an edge.
    """

    log_partition: Vector
    nodes: Vector
    edges: Vector


class _Level(NamedTuple):
    """The nodes of one depth below the roots, as indices in breadth-first order.

    ``children`` is the slice of the nodes of the level, and ``own`` the slice of the edges to their
    parents. ``parents`` holds the parent of every child. For every parent, ``families`` holds the
    position of its first child in the slice ``children``.
    """

    children: slice
    own: slice
    parents: Indices
    families: Indices


def is_forest(n_nodes: int, edges: Indices) -> bool:
    """Return whether the graph has no cycle; a doubled edge is a cycle."""
    n, _ = csgraph.connected_components(adjacency(n_nodes, edges), directed=False)
    return bool(len(edges) == n_nodes - n)


class Forest:
    """A graph without cycles, prepared for inference with any scores.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    edges : ndarray of shape (n_edges, 2)
        The edges of the trees; :func:`is_forest` must hold.

    Attributes
    ----------
    roots : ndarray of shape (n_trees,)
        The node of lowest number in each tree, in rising order.
    """

    def __init__(self, n_nodes: int, edges: Indices) -> None:
        n, component = csgraph.connected_components(adjacency(n_nodes, edges), directed=False)
        _, self.roots = np.unique(component, return_index=True)
        self.roots.sort()
        # A single search starts from an extra node that is joined to all roots.
        above = np.column_stack([np.full(n, n_nodes), self.roots])
        joined = np.concatenate([edges.reshape(-1, 2), above])
        order, above = csgraph.breadth_first_order(
            adjacency(n_nodes + 1, joined), n_nodes, directed=False
        )
        self._order = order[1:].astype(np.intp)
        place = np.empty(n_nodes + 1, dtype=np.intp)
        place[order] = np.arange(-1, n_nodes)
        self._parent = place[above[self._order]]
        places = place[edges.reshape(-1, 2)]
        # The edge from every node but a root to its parent, and whether it begins at the node.
        edge_of = np.empty(n_nodes, dtype=np.intp)
        edge_of[places.max(axis=1)] = np.arange(len(places))
        self._edge = edge_of[n:]
        self._turned = places[self._edge, 0] > places[self._edge, 1]

    def maximum(self, unary: Vector, pairwise: Vector) -> Indices:
        """Return a labelling of highest score, shape (n_nodes,).

        If several labellings tie, each root gets the smallest label, and then each other node the
        smallest label that is optimal given the label of its parent.
        """
        best, pairs, _ = self._collected(unary, pairwise, np.max)
        labels = np.empty(len(unary), dtype=np.intp)
        labels[: len(self.roots)] = best[: len(self.roots)].argmax(axis=1)
        for children, own, parents, _ in self._levels():
            of_children = np.take_along_axis(pairs[own], labels[parents][:, None, None], axis=1)
            labels[children] = of_children[:, 0].argmax(axis=1)
        return np.asarray(self._unordered(labels))

    def max_marginals(self, unary: Vector, pairwise: Vector) -> Vector:
        """Return, for each label at each node, the highest score of a labelling of its tree."""
        found, pairs, messages = self._collected(unary, pairwise, np.max)
        for children, own, parents, _ in self._levels():
            others = found[parents] - messages[own]
            found[children] = (pairs[own] + others[:, :, None]).max(axis=1)
        return np.asarray(self._unordered(found))

    def marginals(self, unary: Vector, pairwise: Vector) -> ForestMarginals:
        """Return log-partition functions and marginals, without overflow."""
        below, pairs, messages = self._collected(unary, pairwise, log_sums)
        n_trees = len(self.roots)
        log_partition = log_sums(below[:n_trees], axis=1)
        nodes = np.empty_like(below)
        nodes[:n_trees] = np.exp(below[:n_trees] - log_partition[:, None])
        # The probability of the child's label given its parent's, and then of both labels.
        joint = np.exp(pairs - messages[:, :, None])
        for children, own, parents, _ in self._levels():
            joint[own] *= nodes[parents][:, :, None]
            nodes[children] = joint[own].sum(axis=1)
        joint[self._turned] = joint[self._turned].transpose(0, 2, 1)
        edges = np.empty_like(joint)
        edges[self._edge] = joint
        return ForestMarginals(log_partition, self._unordered(nodes), edges)

    def _collected(
        self, unary: Vector, pairwise: Vector, total: Callable[..., Vector]
    ) -> tuple[Vector, Vector, Vector]:
        """Collect scores from the leaves to the roots; ``total`` is a maximum or a log-sum.

        Returns
        -------
        nodes : ndarray of shape (n_nodes, k)
            The scores of the labels of each node, including the scores of the nodes below the node.
        pairs : ndarray of shape (n_edges, k, k)
            The scores of the labels of a parent and a child, including the scores below the child.
        messages : ndarray of shape (n_edges, k)
            For each edge and label of the parent, the maximum or log-sum of ``pairs`` over the
            labels of the child.
        """
        nodes, pairs = unary[self._order], pairwise[self._edge]
        pairs[self._turned] = pairs[self._turned].transpose(0, 2, 1)
        messages = np.empty(pairs.shape[:2])
        for children, own, parents, families in reversed(list(self._levels())):
            pairs[own] += nodes[children, None, :]
            messages[own] = total(pairs[own], axis=2)
            nodes[parents[families]] += np.add.reduceat(messages[own], families)
        return nodes, pairs, messages

    def _levels(self) -> Iterator[_Level]:
        """Yield the levels below the roots, from the top down."""
        n_trees = len(self.roots)
        start, stop = 0, n_trees
        while stop < len(self._order):
            # Parents rise along the order: this level ends at the first node whose parent is in it.
            start, end = stop, stop + int(np.searchsorted(self._parent[stop:], stop))
            parents = self._parent[start:end]
            families = np.flatnonzero(np.diff(parents, prepend=-1))
            own = slice(start - n_trees, end - n_trees)
            yield _Level(slice(start, end), own, parents, families)
            stop = end

    def _unordered(self, values: Any) -> Any:
        found = np.empty_like(values)
        found[self._order] = values
        return found
