"""Joint features of graphs: sums of node features by label, and of edge features by label pair."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.data.matrices import side_by_side, weights_for
from structsvm.problems.graphs.data import Graphs, Labellings
from structsvm.problems.graphs.inference.relaxation import Relaxed

Pairs = Literal["symmetric", "directed", "attractive"]


class Votes(NamedTuple):
    """The joint features of graphs: weighted sums of the features of nodes and edges.

    Attributes
    ----------
    node, label, of_node : ndarrays of shape (m,)
        For each i, ``of_node[i]`` times the features of node ``node[i]`` is added to the joint
        feature of label ``label[i]``.
    edge, entry, of_edge : ndarrays of shape (q,)
        For each i, ``of_edge[i]`` times the features of edge ``edge[i]`` is added to row
        ``entry[i]`` of the joint features of edges.
    """

    node: Indices
    label: Indices
    of_node: Vector
    edge: Indices
    entry: Indices
    of_edge: Vector


class WeightLayout:
    """The order of the weights in w, for k labels, d features of nodes and p features of edges.

    w holds a matrix of weights for the features of nodes, with a row for each label, followed by a
    matrix of weights for the features of edges. A row of the matrix for edges stands for one or
    more pairs of labels: an unordered pair if ``pairs`` is 'symmetric', an ordered pair if it is
    'directed', and all pairs if it is 'attractive'.

    Attributes
    ----------
    entry : ndarray of shape (k, k)
        For each pair of labels, the index of a row in the matrix of the weights of edges.
    sign : ndarray of shape (k, k)
        For each pair of labels at the ends of an edge, the factor of the weights in the score of
        the edge. If ``pairs`` is 'attractive', the factor is -1 for different labels and 0 for
        equal labels. If ``pairs`` is 'symmetric' or 'directed', the factor is 1.
    """

    def __init__(self, k: int, d: int, p: int, pairs: Pairs) -> None:
        self.k, self.d, self.p = k, d, p
        if pairs == "attractive":
            self.entry, self.sign = np.zeros((k, k), dtype=np.intp), np.eye(k) - 1
        elif pairs == "directed":
            self.entry, self.sign = np.arange(k * k).reshape(k, k), np.ones((k, k))
        else:
            self.entry, self.sign = np.empty((k, k), dtype=np.intp), np.ones((k, k))
            first, second = np.triu_indices(k)
            self.entry[first, second] = self.entry[second, first] = np.arange(len(first))
        self.n_entries = int(self.entry.max()) + 1
        self.size = k * d + self.n_entries * p

    def split(self, w: Vector) -> tuple[Vector, Vector]:
        """Return the weights of nodes, shape (k, d), and of edges, shape (n_entries, p)."""
        nodes, edges = np.split(w, [self.k * self.d])
        return nodes.reshape(self.k, self.d), edges.reshape(self.n_entries, self.p)

    def scores(self, graphs: Graphs, w: Vector) -> tuple[Vector, Vector]:
        """Return the products of features and weights: (n_nodes, k), (n_edges, n_entries)."""
        of_nodes, of_edges = self.split(w)
        rows = graphs.nodes.values
        unary = rows @ weights_for(rows, of_nodes).T
        return unary.astype(np.float64, copy=False), graphs.edges.values @ of_edges.T

    def pairwise(self, of_entries: Vector) -> Vector:
        """Return the scores of pairs of labels, shape (n_edges, k, k)."""
        return np.take(of_entries, self.entry, axis=1) * self.sign

    # ------------------------------------------------------------------ votes

    def marginals(self, graphs: Graphs, y: Labellings) -> Relaxed:
        """Convert labellings to marginals of nodes, (n_nodes, k), and edges, (n_edges, k, k)."""
        nodes = np.eye(self.k)[y.codes.values]
        first, second = nodes[graphs.joined].transpose(1, 0, 2)
        edges = first[:, :, None] * second[:, None, :]
        for i, relaxed in y.fractions:
            nodes[graphs.nodes.rows(i)], edges[graphs.edges.rows(i)] = relaxed
        return Relaxed(nodes, edges)

    def difference(self, graphs: Graphs, known: Labellings, found: Labellings) -> Votes:
        """Return Psi(x, known) - Psi(x, found) for each graph x; ``found`` may be relaxed."""
        if found.fractions:
            true, other = self.marginals(graphs, known), self.marginals(graphs, found)
            return self.votes(true.nodes - other.nodes, true.edges - other.edges)
        codes, others = known.codes.values, found.codes.values
        node = np.flatnonzero(codes != others)
        edge = np.flatnonzero((codes != others)[graphs.joined].any(axis=1))
        parts = [
            self._of_labels(graphs, codes, node, edge, 1.0),
            self._of_labels(graphs, others, node, edge, -1.0),
        ]
        return Votes(*map(np.concatenate, zip(*parts, strict=True)))

    def _of_labels(
        self, graphs: Graphs, codes: Indices, node: Indices, edge: Indices, factor: float
    ) -> Votes:
        pairs = tuple(codes[graphs.joined[edge]].T)
        of_nodes, of_edges = np.full(len(node), factor), factor * self.sign[pairs]
        return Votes(node, codes[node], of_nodes, edge, self.entry[pairs], of_edges)

    def votes(self, nodes: Vector, edges: Vector) -> Votes:
        """Return the joint feature of each graph for marginals (n_nodes, k) and (n_edges, k, k)."""
        n, m = len(nodes), len(edges)
        return Votes(
            np.repeat(np.arange(n), self.k),
            np.tile(np.arange(self.k), n),
            nodes.ravel(),
            np.repeat(np.arange(m), self.k**2),
            np.tile(self.entry.ravel(), m),
            (edges * self.sign).ravel(),
        )

    # ------------------------------------------------------------------ sums

    def rows(self, graphs: Graphs, votes: Votes) -> Any:
        """Return the joint feature of each graph, (n_graphs, size), CSR if features are sparse."""
        node_row, edge_row = graphs.nodes.owner[votes.node], graphs.edges.owner[votes.edge]
        return self._combined(graphs, votes, node_row, edge_row, len(graphs))

    def terms(self, graphs: Graphs, codes: Indices) -> tuple[Vector, Any]:
        """Return the terms of the score as factors and features: nodes first, then edges."""
        n, m = len(codes), len(graphs.joined)
        votes = self._of_labels(graphs, codes, np.arange(n), np.arange(m), 1.0)
        ones = votes._replace(of_edge=np.ones(m))
        rows = self._combined(graphs, ones, votes.node, n + votes.edge, n + m)
        return np.append(votes.of_node, votes.of_edge), rows

    def sum(self, graphs: Graphs, votes: Votes, weights: Vector) -> Vector:
        """Return the sum of the joint features of all graphs, weighted by ``weights``."""
        of_node = votes.of_node * weights[graphs.nodes.owner[votes.node]]
        of_edge = votes.of_edge * weights[graphs.edges.owner[votes.edge]]
        votes = votes._replace(of_node=of_node, of_edge=of_edge)
        found = dense(self._combined(graphs, votes, 0, 0, 1))
        return np.asarray(found.reshape(-1), dtype=np.float64)

    def _combined(self, graphs: Graphs, votes: Votes, node_row: Any, edge_row: Any, n: int) -> Any:
        rows, edges = graphs.nodes.values, graphs.edges.values
        places = node_row * self.k + votes.label
        counts = sparse.csr_matrix(
            (votes.of_node.astype(rows.dtype), (places, votes.node)), (n * self.k, rows.shape[0])
        )
        places = edge_row * self.n_entries + votes.entry
        pair_counts = sparse.csr_matrix(
            (votes.of_edge, (places, votes.edge)), (n * self.n_entries, len(edges))
        )
        of_nodes = (counts @ rows).reshape(n, -1)
        of_edges = (pair_counts @ edges).reshape(n, -1)
        return side_by_side([of_nodes, of_edges])
