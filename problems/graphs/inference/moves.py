"""Labellings by moves that raise the score: alpha expansion, and changes of single labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.graphs.inference.cut import SETTLING
from structsvm.problems.graphs.inference.relaxation import roof_dual
from structsvm.problems.graphs.inference.scores import component_scores, components


def expanded(
    unary: Vector, edges: Indices, pairwise: Vector, start: Indices | None = None
) -> Indices:
    """Return a labelling that no expansion of a label and no change of a single node improves.

    An expansion gives one label to any set of nodes (Boykov, Veksler & Zabih, IEEE TPAMI 2001). If
    the scores can be written as a flow network, the best expansion is a minimum cut. If the scores
    cannot be written as a flow network, a linear relaxation with a variable for each node is
    solved. In an expansion, only the nodes whose variable is 1 in the solution of the relaxation
    take the new label. An expansion never lowers the score (Kolmogorov & Rother, IEEE TPAMI 2007).
    With two labels and attractive pairs the labelling has the highest score.

    Parameters
    ----------
    unary, edges, pairwise : ndarrays
        See :mod:`structsvm.problems.graphs.inference`.
    start : ndarray of shape (n_nodes,), optional
        The labelling to start from. Default: the best label of every node, regardless of edges.

    Returns
    -------
    ndarray of shape (n_nodes,), int
        A labelling that scores at least as much as ``start`` in each connected component.
    """
    labels = unary.argmax(axis=1) if start is None else start
    graph, component = LabelledGraph(unary, edges, pairwise, labels), components(len(unary), edges)
    reached = component_scores(unary, edges, pairwise, graph.labels, component)
    tried = np.zeros(len(reached), dtype=np.intp)  # moves in a row without an improvement
    # Moves take turns: changes of single labels, then an expansion of each label.
    move, n_moves = 0, 1 + unary.shape[1]
    while (active := tried < n_moves).any():
        labels = graph.labels
        if move == 0:
            graph.improve_locally()
        else:
            graph.expand(move - 1, component, active)
        tried += 1
        if graph.labels is not labels:
            scores = component_scores(unary, edges, pairwise, graph.labels, component)
            better = scores > reached
            graph.relabel(np.where(better[component], graph.labels, labels))
            reached = np.maximum(scores, reached)
            tried[better] = 0
        move = (move + 1) % n_moves
    return graph.labels


def locally_improved(unary: Vector, edges: Indices, pairwise: Vector, labels: Indices) -> Indices:
    """Return a labelling that no change of a single node's label improves."""
    graph = LabelledGraph(unary, edges, pairwise, labels)
    graph.improve_locally()
    return graph.labels


class LabelledGraph:
    """A graph and its current labels, with methods that change the labels to raise the score.

    Parameters
    ----------
    unary, edges, pairwise : ndarrays
        See :mod:`structsvm.problems.graphs.inference`.
    labels : ndarray of shape (n_nodes,), int
        The first labelling.

    Attributes
    ----------
    scores : ndarray of shape (n_nodes, k)
        The score of each label of each node, given the labels of its neighbours.
    """

    def __init__(self, unary: Vector, edges: Indices, pairwise: Vector, labels: Indices) -> None:
        self.labels, self._unary, self._edges, self._pairwise = labels, unary, edges, pairwise
        (n, k), m = unary.shape, len(edges)
        self._of_first, self._of_second = (
            sparse.csr_matrix((np.ones(m), ends, np.arange(m + 1)), (m, n)).T for ends in edges.T
        )
        # The score of each label of one end of an edge, given the label of the other end.
        self._first, self._second = np.empty((2, m, k))
        self._update(np.arange(m))

    def relabel(self, labels: Indices) -> None:
        changed = labels != self.labels
        if changed.any():
            self.labels = labels
            first, second = self._edges.T
            self._update(np.flatnonzero(changed[first] | changed[second]))

    def _update(self, edges: Indices) -> None:
        """Update the scores after the labels at the ends of some edges have changed."""
        first, second = self.labels[self._edges[edges]].T
        self._first[edges] = self._pairwise[edges, :, second]
        self._second[edges] = self._pairwise[edges, first]
        self.scores = self._unary + self._sums(self._first, self._second)
        self._choices: Any = None

    def _sums(self, first: Vector, second: Vector) -> Any:
        """Sum, at each node, ``first`` over outgoing and ``second`` over incoming edges."""
        return self._of_first @ first + self._of_second @ second

    def improve_locally(self) -> None:
        """Change labels until no change of a single label raises the score.

        In each round, a node changes if it gains more than any of its neighbours would gain. Each
        round raises the score, because neighbours never change together. Ties go to the node of
        lower number.
        """
        nodes = np.arange(len(self.labels))
        lower, higher = np.minimum(*self._edges.T), np.maximum(*self._edges.T)
        while True:
            best = self.scores.argmax(axis=1)
            gain = self.scores[nodes, best] - self.scores[nodes, self.labels]
            # A gain that is only a rounding error might recur forever.
            (some,) = np.nonzero(gain)
            gain[some[gain[some] <= 1e-12 * np.abs(self.scores[some]).max(axis=1)]] = 0.0
            wins = gain > 0
            if not wins.any():
                return
            wins[lower[gain[lower] < gain[higher]]] = False
            wins[higher[gain[lower] >= gain[higher]]] = False
            self.relabel(np.where(wins, best, self.labels))

    def expand(self, label: int, component: Indices, active: Any) -> None:
        """Make the best expansion of a label in the components for which ``active`` is True."""
        gains, more, is_open = self._choices = self._choices or self._choices_of_labels()
        (nodes,) = np.nonzero(is_open[:, label] & active[component])
        if not len(nodes):
            return
        number = np.full(len(self.labels), -1)
        number[nodes] = np.arange(len(nodes))
        joined = number[self._edges]
        (edges,) = np.nonzero((joined[:, 0] >= 0) & (joined[:, 1] >= 0))
        joined, halves = joined[edges], more[edges, label] / 2
        linear = gains[nodes, label]
        linear += np.bincount(joined.ravel(), np.repeat(halves, 2), len(nodes))
        takes = roof_dual(linear, joined, halves, component[nodes]) == 1
        if takes.any():
            labels = self.labels.copy()
            labels[nodes[takes]] = label
            self.relabel(labels)

    def _choices_of_labels(self) -> tuple[Vector, Vector, Any]:
        """Return, for each label, what nodes gain if they change their labels to this label.

        Returns
        -------
        gains : ndarray of shape (n_nodes, k)
            The gain of a node that takes the label while all other nodes keep their labels.
        more : ndarray of shape (n_edges, k)
            The additional gain if both ends of an edge take the label.
        is_open : ndarray of bool, shape (n_nodes, k)
            Whether a node may gain from taking the label if other nodes take the label, too.
        """
        (first, second), every = self._edges.T, np.arange(len(self._edges))
        own = self._second[every, self.labels[second]]
        of_both = np.einsum("eaa->ea", self._pairwise)
        # In this order of operations the sum is exactly 0 if an end has the label already.
        more = (own[:, None] - self._first) + (of_both - self._second)
        gains = self.scores - np.take_along_axis(self.scores, self.labels[:, None], axis=1)
        bonus = np.maximum(more, 0)
        for _ in range(SETTLING):
            is_open = gains + self._sums(bonus, bonus) > 0
            bonus *= is_open[first] & is_open[second]
        return gains, more, is_open
