"""Joint features of labelled graphs: node features by label, edge features by pair of labels."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import weights_for
from structsvm.problems.graphs.packed import Graphs

Pairs = Literal["symmetric", "directed", "attractive"]


class Votes(NamedTuple):
    """The number of times that each feature counts in the joint features of some graphs.

    Attributes
    ----------
    node, label, of_node : ndarrays of shape (m,)
        ``of_node`` times the features of the node, in the row of the label.
    edge, entry, of_edge : ndarrays of shape (q,)
        ``of_edge`` times the features of the edge, in the row of the entry.
    """

    node: Indices
    label: Indices
    of_node: Vector
    edge: Indices
    entry: Indices
    of_edge: Vector


class WeightLayout:
    """The places of the weights in w, for k labels, d features of a node and p of an edge.

    w is a matrix of shape (k, d) with the weights of the nodes' features by label, and after it one
    of shape (n_entries, p) for the edges. An entry is a pair of labels a <= b, in either order;
    ``directed`` any pair (a, b); and ``attractive`` a single one, the loss by a disagreement.

    Attributes
    ----------
    entry : ndarray of shape (k, k)
        The entry of each pair of labels.
    sign : ndarray of shape (k, k)
        The factor of its score: 1, and for ``attractive`` -1 where the labels differ, else 0.
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
        """The weights of nodes, shape (k, d), and of edges, shape (n_entries, p)."""
        nodes, edges = np.split(w, [self.k * self.d])
        return nodes.reshape(self.k, self.d), edges.reshape(self.n_entries, self.p)

    def scores(self, graphs: Graphs, w: Vector) -> tuple[Vector, Vector]:
        """The scores of nodes, shape (n_nodes, k), and of entries, shape (n_edges, n_entries)."""
        of_nodes, of_edges = self.split(w)
        rows = graphs.nodes.values
        unary = rows @ weights_for(rows, of_nodes).T
        return unary.astype(np.float64, copy=False), graphs.edges.values @ of_edges.T

    def pairwise(self, of_entries: Vector) -> Vector:
        """The scores of pairs of labels, shape (n_edges, k, k)."""
        return of_entries[:, self.entry] * self.sign

    def difference(self, graphs: Graphs, codes: Indices, others: Indices) -> Votes:
        """The votes of one labelling minus the votes of another."""
        node = np.flatnonzero(codes != others)
        pairs, other_pairs = codes[graphs.joined], others[graphs.joined]
        # An edge votes where an end of it has another label.
        edge = np.flatnonzero((pairs != other_pairs).any(axis=1))
        ones, some = np.ones(len(node)), [tuple(p[edge].T) for p in (pairs, other_pairs)]
        return Votes(
            np.tile(node, 2),
            np.concatenate([codes[node], others[node]]),
            np.concatenate([ones, -ones]),
            np.tile(edge, 2),
            np.concatenate([self.entry[ab] for ab in some]),
            np.concatenate([self.sign[some[0]], -self.sign[some[1]]]),
        )

    def votes(self, nodes: Vector, edges: Vector) -> Votes:
        """The votes of marginals of shapes (n_nodes, k) and (n_edges, k, k)."""
        n, m = len(nodes), len(edges)
        return Votes(
            np.repeat(np.arange(n), self.k),
            np.tile(np.arange(self.k), n),
            nodes.ravel(),
            np.repeat(np.arange(m), self.k**2),
            np.tile(self.entry.ravel(), m),
            (edges * self.sign).ravel(),
        )

    def rows(self, graphs: Graphs, votes: Votes) -> Any:
        """The joint features of each graph, (n_graphs, size), CSR where features are sparse."""
        node_row, edge_row = graphs.nodes.owner, graphs.edges.owner
        return self._combined(
            graphs, votes, node_row[votes.node], edge_row[votes.edge], len(graphs)
        )

    def sum(self, graphs: Graphs, votes: Votes, weights: Vector) -> Vector:
        """The sum of the joint features of all graphs, with a weight for each."""
        of_node = votes.of_node * weights[graphs.nodes.owner[votes.node]]
        of_edge = votes.of_edge * weights[graphs.edges.owner[votes.edge]]
        votes = votes._replace(of_node=of_node, of_edge=of_edge)
        found = self._combined(graphs, votes, 0, 0, 1)
        found = found.toarray() if sparse.issparse(found) else found
        return found.reshape(-1).astype(np.float64, copy=False)

    def _combined(self, graphs: Graphs, votes: Votes, node_row: Any, edge_row: Any, n: int) -> Any:
        """Sum the votes into n rows: those for nodes into ``node_row``, for edges ``edge_row``."""
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
        if sparse.issparse(of_nodes):
            return sparse.hstack([of_nodes, of_edges], format="csr")
        return np.hstack([of_nodes, of_edges])
