"""Item sets from pandas and from graphs; features are matched by the names of the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.columns import numbers
from structsvm.data.identifiers import require_identifiers
from structsvm.problems.set_clustering.item_sets.checks import as_features


def of_frames(nodes: Any, pairs: Any) -> tuple[list[Any], Any, Any]:
    """Read item names, node features and pair features (rows, cols, features) from DataFrames."""
    for name, frame in (("nodes", nodes), ("pairs", pairs)):
        if frame is not None and not hasattr(frame, "iloc"):
            raise ValueError(f"{name} must be a DataFrame of pandas; got {type(frame)}")
    if pairs is None:
        if nodes is None:
            raise ValueError("an ItemSet needs nodes, pairs, or both; got neither")
        return unique_names(nodes.index), numbers("nodes", nodes), None
    if pairs.index.nlevels != 2:
        raise ValueError(
            "the index of pairs must have two levels, the names of both items; it has "
            f"{pairs.index.nlevels}. Make it with pairs.set_index([first, second])"
        )
    ends = [list(pairs.index.get_level_values(level)) for level in (0, 1)]
    for level, end in enumerate(ends):
        require_identifiers(f"level {level} of the index of pairs", end)
    if nodes is None:
        # A dict keeps the order of first appearance; a set would not.
        items = list(dict.fromkeys(name for pair in zip(*ends, strict=True) for name in pair))
    else:
        items = unique_names(nodes.index)
    rows, cols = (positions(items, end, "pairs") for end in ends)
    of_nodes = None if nodes is None else numbers("nodes", nodes)
    return items, of_nodes, (rows, cols, numbers("pairs", pairs))


def unique_names(index: Any) -> list[Any]:
    """Return the names of the items; raise a ValueError if a name occurs twice."""
    names = list(index)
    require_identifiers("the index of nodes", names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the names of the items must differ; {twice!r} is there more than once")
    return names


def positions(items: list[Any], names: Any, what: str) -> Any:
    """Return the indices of names among the items; raise a ValueError if a name is missing."""
    place = {item: i for i, item in enumerate(items)}
    unknown = [name for name in names if name not in place]
    if unknown:
        raise ValueError(f"{what} name an item that has no row of features: {unknown[0]!r}")
    return np.array([place[name] for name in names], dtype=np.intp)


def of_graph(graph: Any, nodes: Any) -> tuple[list[Any], Any, Any]:
    """Return the nodes of a graph, their features, and pair features (rows, cols, features)."""
    import networkx  # only here: it is slow to import, and rarely needed

    if not isinstance(graph, networkx.Graph) or not graph:
        raise ValueError(f"graph must be a networkx graph with nodes; got {graph!r:.60}")
    items = list(graph)
    # Without columns, the only feature of a pair is the constant 1.
    features: Any = sparse.csr_matrix((len(items), 0))
    if nodes is not None:
        features = as_features("nodes", _node_features(graph, items, nodes))
    if features.shape[0] != len(items):
        raise ValueError(
            f"nodes must hold a row for each node of the graph: it has {len(items)} nodes, but "
            f"there are {features.shape[0]} rows"
        )
    adjacency = sparse.lil_matrix(networkx.to_scipy_sparse_array(graph, weight=None))
    adjacency.setdiag(0)
    adjacency = adjacency.tocsr()
    # (A' A)_ij counts the nodes that link to both i and j.
    kinds = [adjacency + adjacency.T, adjacency.T @ adjacency]
    return items, None if nodes is None else features, _pair_features(kinds, features)


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


def _pair_features(kinds: list[Any], nodes: Any) -> tuple[Indices, Indices, Any]:
    """Return the linked or co-cited pairs, with their link features and co-citation features."""
    rows, cols = sparse.triu(sum(kinds), k=1, format="csr").nonzero()
    nodes = sparse.csr_matrix(nodes)
    products = nodes[rows].multiply(nodes[cols])
    features = sparse.hstack([products, np.ones((len(rows), 1))], format="csr")
    blocks = [features.multiply(kind[rows, cols].T > 0) for kind in kinds]
    found = sparse.hstack(blocks, format="csr")
    found.eliminate_zeros()
    return rows, cols, found
