"""Checks of graphs, with the code that makes them of what else people have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import require_examples
from structsvm.data.matrices import (
    checked_numbers,
    in_floats,
    one_array,
    require_matrix,
    require_powers,
    require_unmasked,
)
from structsvm.exceptions import warn_user
from structsvm.problems.graphs.graph import Graph


def require_graphs(X: Any) -> int:
    """The number of graphs; a ValueError for an empty list, a bare graph or other objects."""
    if isinstance(X, Graph) or hasattr(X, "is_multigraph"):
        raise ValueError("X is a single graph; pass a list of graphs")
    if getattr(X, "ndim", 1) == 2:
        raise ValueError(f"X is a table of shape {X.shape}; pass a list of graphs")
    n = require_examples(X)
    for i in range(n):
        if not isinstance(x := X[i], Graph):
            kind = f"{type(x).__module__}.{type(x).__name__}"
            raise ValueError(
                f"X[{i}]: expected a structsvm.problems.Graph; got {kind}{_graph_remedy(x)}"
            )
    return n


def checked_graph(x: Graph, directed: bool) -> tuple[Any, Indices, Vector]:
    """The features of nodes, the edges and their features; a ValueError if they are malformed.

    With ``directed`` edges may lead back and forth.
    """
    rows = x.features
    if not hasattr(rows, "dtype"):
        rows = checked_numbers("features", rows)
    require_matrix(rows, "features")
    rows = in_floats(rows)
    n = rows.shape[0]
    if n == 0:
        raise ValueError("the graph has no nodes; leave it out")
    try:
        edges = _checked_edges(x.edges, n, directed)
    except ValueError as error:
        raise ValueError(f"{error}{_edges_remedy(x.edges, n)}") from error
    if x.edge_features is None:
        return rows, edges, np.ones((len(edges), 1))
    if sparse.issparse(x.edge_features):
        raise ValueError("edge_features is a sparse matrix; pass edge_features.toarray()")
    features = checked_numbers("edge_features", x.edge_features)
    if features.ndim != 2 or features.shape[0] != len(edges) or features.shape[1] == 0:
        raise ValueError(
            f"edge_features must have a row for each of {len(edges)} edges, and at least one "
            f"column; got shape {features.shape}"
        )
    require_powers(
        float(np.abs(features).max(initial=0.0)), np.float64, name="edge_features", underflow=False
    )
    return rows, edges, features


def edges_are_described(X: Any, trained: bool | None = None) -> bool | None:
    """Whether edges have features of their own; None where graphs have no edges.

    A ValueError where they differ from graph to graph, or from those trained on.
    """
    known, whose = trained, f"the model was trained {'with' if trained else 'without'}"
    for i in range(len(X)):
        own = X[i].edge_features is not None
        if not len(X[i].edges) or own == known:
            continue
        if known is not None:
            raise ValueError(
                f"{whose} edge_features, but X[{i}] has {'some' if own else 'none'}: give them for "
                "all graphs, or for none"
            )
        known, whose = own, f"X[{i}] has{'' if own else ' no'}"
    return known


def warn_of_columns(X: Any) -> None:
    """Warn where the edges of all graphs are of shape (2, 2), and may be its columns."""
    tables = [np.asarray(X[i].edges) for i in range(len(X))]
    if all(
        edges.shape == (2, 2) and edges[0, 1] != edges[1, 0] and (edges[0] != edges[1]).all()
        for edges in tables
    ):
        warn_user(
            "each graph has two edges, and its rows are taken for them; if they are the columns, "
            "pass Graph(features, numpy.transpose(edges))"
        )


def _checked_edges(edges: Any, n: int, directed: bool) -> Indices:
    require_unmasked("edges", edges)
    is_sparse = sparse.issparse(edges)
    edges = edges if is_sparse else one_array("edges", edges)
    if edges.size == 0 and not is_sparse:
        return np.empty((0, 2), dtype=np.intp)
    if is_sparse or edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise ValueError(
            "edges must be integers of shape (n_edges, 2), the nodes that each edge joins; got "
            f"{'a sparse matrix of ' * is_sparse}shape {edges.shape} of {edges.dtype}"
        )
    outside = ((edges < 0) | (edges >= n)).any(axis=1)
    if outside.any():
        raise ValueError(f"edge {edges[outside][0].tolist()} joins a node outside of 0 to {n - 1}")
    edges = edges.astype(np.intp)
    loops = edges[:, 0] == edges[:, 1]
    if loops.any():
        node = int(edges[loops][0, 0])
        raise ValueError(
            f"an edge joins node {node} to itself; leave it out, or make it a feature of the node"
        )
    pairs = edges if directed else np.sort(edges, axis=1)
    _, first, counts = np.unique(pairs, axis=0, return_index=True, return_counts=True)
    if len(counts) < len(edges):
        twice = edges[first[counts.argmax()]].tolist()
        raise ValueError(
            f"edge {twice} occurs {counts.max()} times{'' if directed else ', in either order'}; "
            "give it once, with the sum of the edge features"
        )
    return edges


def _graph_remedy(x: Any) -> str:
    """The code that makes graphs of a list of these; '' where none is known."""
    parts = isinstance(x, (tuple, list)) and len(x) in (2, 3) and _n_axes(x[0]) == 2
    for fits, code in (
        (hasattr(x, "is_multigraph"), "[Graph.from_networkx(x, features) for x in X]"),
        (isinstance(x, Mapping), "[Graph(**x) for x in X]"),
        (parts, "[Graph(*x) for x in X]"),
        (_n_axes(x) == 3, "[grid_graph(x) for x in X]"),
        (
            _n_axes(x) == 2,
            "Graph(x, edges), or for images [grid_graph(numpy.asarray(x)[:, :, None]) for x in X]",
        ),
    ):
        if fits:
            return f": pass {code}"
    return ""


def _edges_remedy(edges: Any, n: int) -> str:
    """The code that makes edges of floats, of columns, or of an adjacency matrix; or ''."""
    if hasattr(edges, "is_multigraph"):
        return "; pass Graph.from_networkx(edges, features)"
    if not _n_axes(edges):
        return ""
    shape, is_sparse = np.shape(edges), sparse.issparse(edges)
    if is_sparse and shape == (n, n):
        triangle = "numpy.transpose(scipy.sparse.triu(edges, 1).nonzero())"
        return f"; of an adjacency matrix pass Graph(features, {triangle})"
    if shape[1:] == (2,) and np.asarray(edges).dtype.kind == "f" and np.isin(edges, range(n)).all():
        return "; pass Graph(features, numpy.asarray(edges).astype(int))"
    if shape[:1] == (2,) and len(shape) == 2:
        return "; if each column is an edge, pass Graph(features, numpy.transpose(edges))"
    if shape == (n, n):
        triangle = "numpy.argwhere(numpy.triu(edges, 1))"
        return f"; of an adjacency matrix pass Graph(features, {triangle})"
    return ""


def _n_axes(values: Any) -> int:
    """The number of axes of an array, a matrix or lists of lists; 0 where they have no shape."""
    try:
        return len(values.shape) if hasattr(values, "shape") else np.ndim(values)
    except Exception:  # lists of different lengths; __array__ may be anyone's code
        return 0
