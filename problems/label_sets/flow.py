"""Inference on graphs over labels by maximum flow, for all examples at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.graphs.inference.cut import FlowNetwork, disagreements
from structsvm.problems.graphs.inference.moves import locally_improved
from structsvm.problems.graphs.inference.relaxation import relaxed

#: Multiplications that take as long as the flow of an example with one label or edge.
FLOW = 1000.0


class Cut:
    """Label sets of highest score by minimum cuts, where no edge has a negative score.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
    n_labels : int
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self._edges, self.work = edges, float(n_labels + len(edges)) * FLOW

    def best(self, unary: Vector, pairs: Vector) -> Any:
        """The label set of highest score for each row of ``unary``, shape (n, n_labels)."""
        nodes, joined, tables = union(unary, self._edges, pairs)
        linear, capacities = disagreements(nodes, joined, tables)
        found = FlowNetwork(len(nodes), joined).maximum(linear, np.maximum(capacities, 0))
        return found.reshape(unary.shape).astype(np.int8)


class LinearRelaxation:
    """Label sets, and the edges within them, of highest score in the linear relaxation.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
    n_labels : int
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self._edges, self.work = edges, float(n_labels + len(edges)) * FLOW

    def best(self, unary: Vector, pairs: Vector) -> Vector:
        """Labels and edges of 0, 1/2 and 1, shape (n, n_labels + m)."""
        found = relaxed(*union(unary, self._edges, pairs))
        labels, both = found.nodes[:, 1], found.edges[:, 1, 1]
        return np.hstack([labels.reshape(unary.shape), both.reshape(len(unary), -1)])

    def rounded(self, unary: Vector, pairs: Vector) -> Any:
        """Label sets with the whole labels of the relaxation, and no better neighbours."""
        start = self.best(unary, pairs)[:, : unary.shape[1]] > 0.5
        graph = union(unary, self._edges, pairs)
        found = locally_improved(*graph, start.ravel().astype(np.intp))
        return found.reshape(unary.shape).astype(np.int8)


def union(unary: Vector, edges: Indices, pairs: Vector) -> tuple[Vector, Indices, Vector]:
    """The graphs of all examples as one: scores of nodes, edges, and scores of pairs of states."""
    n, n_labels = unary.shape
    nodes = np.zeros((n * n_labels, 2))
    nodes[:, 1] = unary.ravel()
    joined = edges + n_labels * np.arange(n)[:, None, None]
    tables = np.zeros((n, len(edges), 2, 2))
    tables[:, :, 1, 1] = pairs
    return nodes, joined.reshape(-1, 2), tables.reshape(-1, 2, 2)
