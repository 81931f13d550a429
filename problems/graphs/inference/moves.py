"""Labellings by moves that raise the score: alpha expansion, and changes of single labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.graphs.inference.cut import disagreements
from structsvm.problems.graphs.inference.relaxation import roof_dual
from structsvm.problems.graphs.inference.scores import component_scores, components


def expanded(
    unary: Vector, edges: Indices, pairwise: Vector, start: Indices | None = None
) -> Indices:
    """Return a labelling that no expansion of a label and no change of a single node improves.

    An expansion gives a label to any set of nodes (Boykov, Veksler & Zabih, IEEE TPAMI 2001). The
    best is a minimum cut where the scores allow it. Where they do not, only the nodes take part
    whose choice the relaxation leaves no doubt of, so that no expansion lowers the score
    (Kolmogorov & Rother, IEEE TPAMI 2007). With two labels and attractive pairs the labelling is of
    highest score.

    Parameters
    ----------
    unary, edges, pairwise : ndarrays
        See :mod:`structsvm.problems.graphs.inference`.
    start : ndarray of shape (n_nodes,), optional
        The labelling to start from. Default: the best label of every node by itself.

    Returns
    -------
    ndarray of shape (n_nodes,), int
        In each connected component it scores at least as much as ``start``.
    """
    labels = unary.argmax(axis=1) if start is None else start
    component = components(len(unary), edges)
    reached = component_scores(unary, edges, pairwise, labels, component)
    tried = np.zeros(len(reached), dtype=np.intp)  # moves in a row that improved nothing
    # By turns: single labels, then an expansion of each label.
    move, n_moves = 0, 1 + unary.shape[1]
    while (active := tried < n_moves).any():
        if move == 0:
            moved = locally_improved(unary, edges, pairwise, labels)
        else:
            moved = _expansion(unary, edges, pairwise, labels, move - 1, component, active)
        scores = component_scores(unary, edges, pairwise, moved, component)
        better = scores > reached
        labels = np.where(better[component], moved, labels)
        reached, tried = np.maximum(scores, reached), np.where(better, 0, tried + 1)
        move = (move + 1) % n_moves
    return labels


def _expansion(
    unary: Vector,
    edges: Indices,
    pairwise: Vector,
    labels: Indices,
    label: int,
    component: Indices,
    active: Any,
) -> Indices:
    """The labelling after the best expansion of a label, in active components, that is found."""
    nodes, every = np.arange(len(unary)), np.arange(len(edges))
    a, b = labels[edges].T
    # As a problem with two labels: to keep the own label, or to take the other.
    choice = np.column_stack([unary[nodes, labels], unary[:, label]])
    keep_first = np.column_stack([pairwise[every, a, b], pairwise[every, a, label]])
    take_first = np.column_stack([pairwise[every, label, b], pairwise[every, label, label]])
    pairs = np.stack([keep_first, take_first], axis=1)
    linear, capacities = disagreements(choice, edges, pairs)
    linear[~active[component]] = -np.inf
    return np.where(roof_dual(linear, edges, capacities, component) == 1, label, labels)


def locally_improved(unary: Vector, edges: Indices, pairwise: Vector, labels: Indices) -> Indices:
    """Return a labelling that no change of a single node's label improves.

    In each round, nodes change if they gain more than their neighbours would, so that neighbours
    do not change together and the score rises; ties go to the node of lower number.
    """
    labels, nodes, (first, second) = labels.copy(), np.arange(len(unary)), edges.T
    tables, every, ends = pairwise.transpose(0, 2, 1), np.arange(len(edges)), edges.T.ravel()
    ones, shape = np.ones(len(ends)), (len(nodes), len(ends))
    of_ends = sparse.csr_matrix((ones, (ends, np.arange(len(ends)))), shape)
    while True:
        of_edges = np.concatenate([tables[every, labels[second]], pairwise[every, labels[first]]])
        scores = unary + of_ends @ of_edges
        best = scores.argmax(axis=1)
        now = scores[nodes, labels]
        # Gains that are mere rounding errors might be gained again and again.
        size = np.abs(scores).max(axis=1)
        gain = scores[nodes, best] - now
        gain[gain <= 1e-12 * size] = 0.0
        wins = gain > 0
        if not wins.any():
            return labels
        lower, higher = np.minimum(first, second), np.maximum(first, second)
        wins[lower[gain[lower] < gain[higher]]] = False
        wins[higher[gain[lower] >= gain[higher]]] = False
        labels[wins] = best[wins]
