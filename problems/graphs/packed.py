"""Many graphs in one: their checks, and their union for inference on all at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import require_examples
from structsvm.data.examples import ExampleContainer
from structsvm.data.matrices import (
    checked_numbers,
    in_floats,
    one_array,
    require_entries,
    require_matrix,
    require_unmasked,
)
from structsvm.data.ragged import Ragged
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
    """The number of graphs; a ValueError for an empty list, a bare graph or a table."""
    if isinstance(X, Graph) or hasattr(X, "is_multigraph"):
        raise ValueError("X is a single graph; pass a list of graphs")
    if getattr(X, "ndim", 1) != 1:
        raise ValueError(f"X must hold graphs; got shape {X.shape}: pass a list of graphs")
    return require_examples(X)


def _checked(x: Any, directed: bool) -> tuple[Any, Indices, Vector]:
    """The features of nodes, the edges and their features; a ValueError if x is no graph."""
    if not isinstance(x, Graph):
        networkx = ", which Graph.from_networkx converts" if hasattr(x, "is_multigraph") else ""
        kind = f"{type(x).__module__}.{type(x).__name__}"
        raise ValueError(f"expected a structsvm.problems.Graph; got {kind}{networkx}")
    rows = x.features
    if not hasattr(rows, "dtype"):
        rows = checked_numbers("features", rows)
    require_matrix(rows, "features")
    rows = in_floats(rows)
    n = rows.shape[0]
    if n == 0:
        raise ValueError("the graph has no nodes; leave it out")
    edges = _checked_edges(x.edges, n, directed)
    if x.edge_features is None:
        return rows, edges, np.ones((len(edges), 1))
    features = checked_numbers("edge_features", x.edge_features)
    if features.ndim != 2 or features.shape[0] != len(edges) or features.shape[1] == 0:
        raise ValueError(
            f"edge_features must have a row for each of {len(edges)} edges, and at least one "
            f"column; got shape {features.shape}"
        )
    require_entries(float(np.abs(features).max(initial=0.0)), np.float64, "edge_features")
    return rows, edges, features


def _checked_edges(edges: Any, n: int, directed: bool) -> Indices:
    require_unmasked("edges", edges)
    edges = one_array("edges", edges)
    if edges.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise ValueError(
            "edges must be integers of shape (n_edges, 2), the nodes that each edge joins; got "
            f"shape {edges.shape} of {edges.dtype}"
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
