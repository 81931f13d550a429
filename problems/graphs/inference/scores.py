"""Scores of labellings, and the connected components of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from structsvm.data.arrays import Indices, Vector


def component_scores(
    unary: Vector, edges: Indices, pairwise: Vector, labels: Indices, component: Indices
) -> Vector:
    """Return the score of the labelling for each component or graph.

    ``component`` of shape (n_nodes,) has the number of each node's component, from 0.
    """
    a, b = labels[edges].T
    of_edges = pairwise[np.arange(len(edges)), a, b]
    of_nodes = unary[np.arange(len(unary)), labels]
    n = int(component.max(initial=-1)) + 1
    sums: Any = np.bincount(component, of_nodes, n)
    return np.asarray(sums + np.bincount(component[edges[:, 0]], of_edges, n))


def components(n_nodes: int, edges: Indices) -> Indices:
    """Return the index of the connected component of each node, shape (n_nodes,)."""
    return np.asarray(csgraph.connected_components(adjacency(n_nodes, edges), directed=False)[1])


def adjacency(n_nodes: int, edges: Indices) -> Any:
    """Return the CSR matrix with an entry at (i, j) for every edge i, j."""
    ones = np.ones(len(edges), dtype=np.int8)
    return sparse.csr_matrix((ones, (edges[:, 0], edges[:, 1])), (n_nodes, n_nodes))
