"""Many graphs in one: their checks, and their union for inference on all at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import require_examples
from structsvm.data.examples import ExampleContainer
from structsvm.data.matrices import (
    checked_numbers,
    in_floats,
    one_array,
    require_matrix,
    require_powers,
    require_unmasked,
)
from structsvm.data.ragged import Ragged
from structsvm.exceptions import warn_user
from structsvm.problems.graphs.graph import Graph
from structsvm.problems.graphs.inference import FlowNetwork, Forest, is_forest


class Graphs(ExampleContainer):
    """Graphs one after the other, with matrices of all nodes and of all edges.

    ``graphs[i]`` is the i-th graph in a container of its own.

    Parameters
    ----------
    nodes : Ragged
        The features of the nodes.
    ends : Ragged
        The nodes that each edge joins, counted from 0 in its own graph.
    edges : Ragged
        The features of the edges.
    """

    def __init__(self, nodes: Ragged, ends: Ragged, edges: Ragged) -> None:
        self.nodes, self.ends, self.edges = nodes, ends, edges
        self.dtype = nodes.values.dtype

    @classmethod
    def of(cls, X: Any, directed: bool) -> Graphs:
        """Check graphs and pack them; with ``directed`` edges may lead back and forth.

        Raises
        ------
        ValueError
            A graph is malformed, or differs from the first in its numbers of features. The message
            names it.
        """
        parts = []
        for i in range(require_graphs(X)):
            try:
                parts.append(_checked(X[i], directed))
            except ValueError as error:
                raise ValueError(f"X[{i}]: {error}") from None
            for what, part in (("a node", 0), ("an edge", 2)):
                own, first = parts[-1][part].shape[1], parts[0][part].shape[1]
                if own != first:
                    raise ValueError(f"X[{i}] has {own} features of {what}, but X[0] has {first}")
        nodes, ends, edges = (Ragged.of(list(part)) for part in zip(*parts, strict=True))
        return cls(nodes, ends, edges)

    def __len__(self) -> int:
        return len(self.nodes)

    def part(self, which: Any) -> Graphs:
        return Graphs(self.nodes[which], self.ends[which], self.edges[which])

    @cached_property
    def joined(self) -> Indices:
        """The nodes that each edge joins, counted in the union, shape (n_edges, 2)."""
        shift = self.nodes.starts[self.edges.owner]
        return self.ends.values + shift[:, None]

    @cached_property
    def forest(self) -> Forest:
        return Forest(len(self.nodes.owner), self.joined)

    @cached_property
    def network(self) -> FlowNetwork:
        return FlowNetwork(len(self.nodes.owner), self.joined)

    def without_edges(self) -> Graphs:
        """The same nodes, none joined to another."""
        none = np.zeros(len(self), dtype=np.intp)
        ends, edges = (Ragged(part.values[:0], none) for part in (self.ends, self.edges))
        return Graphs(self.nodes, ends, edges)

    @property
    def widths(self) -> tuple[int, int]:
        """The numbers of features of a node and of an edge."""
        return self.nodes.values.shape[1], self.edges.values.shape[1]

    @property
    def is_forest(self) -> bool:
        return is_forest(len(self.nodes.owner), self.joined)

    def require_forest(self) -> None:
        """Raise a ValueError that names the first graph with a cycle."""
        if not self.is_forest:
            i = next(i for i in range(len(self)) if not self[i].is_forest)
            raise ValueError(
                f"X[{i}] has a cycle, and inference='tree' needs graphs without cycles: train with "
                "inference='relaxation' or 'expansion'"
            )

    def sums(self, values: Vector) -> Vector:
        """The sum over the nodes of each graph, shape (n_graphs,)."""
        found: Any = np.bincount(self.nodes.owner, values, len(self))
        return found


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


def _checked(x: Graph, directed: bool) -> tuple[Any, Indices, Vector]:
    """The features of nodes, the edges and their features; a ValueError if they are malformed."""
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


def _graph_remedy(x: Any) -> str:
    """The code that makes graphs of a list of these; '' where none is known."""
    if hasattr(x, "is_multigraph"):
        code = "Graph.from_networkx(x, features)"
    elif isinstance(x, Mapping):
        code = "Graph(**x)"
    elif isinstance(x, (tuple, list)) and len(x) in (2, 3) and _n_axes(x[0]) == 2:
        code = "Graph(*x)"
    elif _n_axes(x) == 3:
        code = "grid_graph(x)"
    elif _n_axes(x) == 2:
        return (
            ": pass Graph(x, edges), or for images [grid_graph(numpy.asarray(x)[:, :, None]) for x "
            "in X]"
        )
    else:
        return ""
    return f": pass [{code} for x in X]"


def _n_axes(values: Any) -> int:
    """The number of axes of an array, a matrix or lists of lists; 0 where they have no shape."""
    try:
        return len(values.shape) if hasattr(values, "shape") else np.ndim(values)
    except Exception:  # lists of different lengths; __array__ may be anyone's code
        return 0


def _edges_remedy(edges: Any, n: int) -> str:
    """The code that makes edges of floats, of columns, or of an adjacency matrix; or ''."""
    if hasattr(edges, "is_multigraph"):
        return "; pass Graph.from_networkx(edges, features)"
    if not _n_axes(edges):
        return ""
    shape = np.shape(edges)
    if sparse.issparse(edges) and shape == (n, n):
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
