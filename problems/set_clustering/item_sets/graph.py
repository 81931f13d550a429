"""Item sets from graphs, with links and co-citations as pair features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.columns import numbers
from structsvm.data.validation import require_flag
from structsvm.problems.set_clustering.item_sets.checks import as_features
from structsvm.problems.set_clustering.item_sets.frames import positions, unique_names


def of_graph(graph: Any, nodes: Any, links: bool, co_citations: bool) -> tuple[list[Any], Any, Any]:
    """The nodes in the order of the graph, their features, and a triple of pair features."""
    import networkx  # only here: it is slow to import, and rarely needed

    if not isinstance(graph, networkx.Graph):
        raise ValueError(f"graph must be a networkx graph; got {type(graph).__name__}")
    require_flag("links", links)
    require_flag("co_citations", co_citations)
    if nodes is None and not (links or co_citations):
        raise ValueError("with neither links nor co_citations, node features are needed; got none")
    items = list(graph)
    if nodes is None:
        # Without columns the features of a pair are the constant 1 alone.
        features = sparse.csr_matrix((len(items), 0))
    else:
        features = as_features("nodes", _node_features(graph, items, nodes))
    if features.shape[0] != len(items):
        raise ValueError(
            f"nodes must hold a row for each node of the graph: it has {len(items)} nodes, but "
            f"there are {features.shape[0]} rows"
        )
    if not (links or co_citations):
        return items, features, None
    if graph.number_of_edges():
        adjacency = _without_loops(networkx.to_scipy_sparse_array(graph, items, weight=None))
    else:
        adjacency = sparse.csr_matrix((len(items), len(items)))
    pairs = _pair_features(adjacency, features, links, co_citations)
    return items, None if nodes is None else features, pairs


def _node_features(graph: Any, items: list[Any], nodes: Any) -> Any:
    if isinstance(nodes, str):
        lacking = [item for item in items if nodes not in graph.nodes[item]]
        if lacking:
            raise ValueError(f"node {lacking[0]!r} of the graph lacks the attribute {nodes!r}")
        return [np.atleast_1d(graph.nodes[item][nodes]) for item in items]
    if not hasattr(nodes, "iloc"):
        return nodes
    rows = positions(unique_names(nodes.index), items, "nodes of the graph")
    unused = set(nodes.index) - set(items)
    if unused:
        raise ValueError(f"the features name {unused.pop()!r}, which is no node of the graph")
    return numbers("nodes", nodes)[rows]


def _without_loops(links: Any) -> Any:
    """The adjacency matrix without loops, a CSR matrix of 0 and 1."""
    links = sparse.coo_matrix(links)
    apart = links.row != links.col
    ones = np.ones(np.count_nonzero(apart))
    matrix = sparse.csr_matrix((ones, (links.row[apart], links.col[apart])), shape=links.shape)
    matrix.data[:] = 1  # parallel links were added up
    return matrix


def _pair_features(
    adjacency: Any, nodes: Any, links: bool, co_citations: bool
) -> tuple[Indices, Indices, Any]:
    """For each kind of pair the product of the node features and a 1, in columns of its own."""
    kinds = []
    if links:
        kinds.append(adjacency + adjacency.T)
    if co_citations:
        # (A' A)_ij counts the nodes that link to both i and j.
        kinds.append(adjacency.T @ adjacency)
    ends = [np.array(sparse.triu(kind, k=1).nonzero(), dtype=np.intp) for kind in kinds]
    m = len(adjacency.indptr) - 1
    pairs = np.unique(np.concatenate([rows * m + cols for rows, cols in ends]))
    blocks = []
    for rows, cols in ends:
        products = _with_ones(_product(nodes, rows, cols))
        places = np.searchsorted(pairs, rows * m + cols), np.arange(len(rows))
        place = sparse.csr_matrix((np.ones(len(rows)), places), shape=(len(pairs), len(rows)))
        blocks.append(place @ products)
    return pairs // m, pairs % m, sparse.hstack(blocks, format="csr")


def _product(nodes: Any, rows: Indices, cols: Indices) -> Any:
    left, right = nodes[rows], nodes[cols]
    return left.multiply(right) if sparse.issparse(nodes) else sparse.csr_matrix(left * right)


def _with_ones(matrix: Any) -> Any:
    return sparse.hstack([matrix, np.ones((matrix.shape[0], 1))], format="csr")
