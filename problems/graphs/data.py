"""Containers of graphs and of labels of their nodes, and checks of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.weighted_labels import flat_labels, flat_weights
from structsvm.problems.graphs.graph import Graph
from structsvm.problems.graphs.inference.forest import Forest, is_forest
from structsvm.problems.graphs.inference.relaxation import Relaxed


@dataclass(eq=False, repr=False)
class Graphs(ExampleContainer):
    """A container of n graphs, with one matrix for all nodes and one for all edges.

    ``graphs[i]`` is a container of the i-th graph alone.

    Parameters
    ----------
    nodes : Ragged
        The features of the nodes.
    ends : Ragged
        The nodes that each edge joins, counted from 0 in each graph.
    edges : Ragged
        The features of the edges.
    described : bool or None
        Whether the user gave features of edges; None if there are no edges.
    """

    nodes: Ragged
    ends: Ragged
    edges: Ragged
    described: bool | None = None

    of_examples = ("nodes", "ends", "edges")

    @classmethod
    def of(
        cls,
        X: Any,
        directed: bool,
        widths: tuple[int, int] | None = None,
        described: bool | None = None,
    ) -> Graphs:
        """Check graphs and pack them; ``directed`` allows both edges [a, b] and [b, a].

        ``widths`` holds the numbers of features of a node and of an edge in training. ``described``
        tells whether edges had features in training.

        Raises
        ------
        ValueError
            If a graph is malformed, or if its numbers of features differ from the first graph or
            from training. The error message names the graph.
        """
        parts = []
        for i in range(require_graphs(X)):
            try:
                parts.append(checked_graph(X[i], directed))
            except ValueError as error:
                raise ValueError(f"X[{i}]: {error}") from None
            for what, part in (("a node", 0), ("an edge", 2)):
                own, first = parts[-1][part].shape[1], parts[0][part].shape[1]
                if own != first:
                    raise ValueError(f"X[{i}] has {own} features of {what}, but X[0] has {first}")
        nodes, ends, edges = (Ragged.of(list(part)) for part in zip(*parts, strict=True))
        graphs = cls(nodes, ends, edges)
        if widths is not None and graphs.widths != widths:
            raise ValueError(
                f"X has {graphs.widths[0]} features of a node and {graphs.widths[1]} of an edge; "
                f"expected {widths[0]} and {widths[1]}, as in training"
            )
        graphs.described = edges_are_described(X, described)
        return graphs

    @property
    def dtype(self) -> Any:
        return self.nodes.values.dtype

    @property
    def widths(self) -> tuple[int, int]:
        """Numbers of features of a node and of an edge."""
        return self.nodes.values.shape[1], self.edges.values.shape[1]

    @cached_property
    def joined(self) -> Indices:
        """The two nodes of each edge, numbered consecutively across all graphs."""
        return np.asarray(self.ends.values + self.nodes.starts[self.edges.owner][:, None])

    @cached_property
    def forest(self) -> Forest:
        return Forest(len(self.nodes.owner), self.joined)

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


@dataclass(eq=False, repr=False)
class Labellings(ExampleContainer):
    """A container of labels for the nodes of n graphs; ``labellings[i]`` labels the i-th graph.

    Parameters
    ----------
    codes : Ragged
        The code of the label of every node.
    names : ndarray of shape (k,)
        The label of each code.
    weights : Ragged or None
        The loss of a wrong label at each node; None if all are 1.
    relaxed : sequence of n, or None
        The marginals of each graph with relaxed labels, and None for other graphs. The codes of a
        graph with relaxed labels are the most probable labels.
    """

    codes: Ragged
    names: Any
    weights: Ragged | None = None
    relaxed: Sequence[Relaxed | None] | None = None

    of_examples = ("codes", "weights", "relaxed")

    @classmethod
    def of(cls, Y: Any, sizes: Indices, labels: Labels) -> Labellings:
        """Pack labels of graphs; raise a ValueError unless the numbers of nodes are as expected."""
        outputs = [Y[i] for i in range(len(sizes))]
        relaxed = [y if isinstance(y, Relaxed) else None for y in outputs]
        if any(relaxed):
            outputs = [
                y if marginals is None else labels.names[marginals.nodes.argmax(axis=1)]
                for y, marginals in zip(outputs, relaxed, strict=True)
            ]
        codes, weights = labels.codes(flat_labels(sizes, outputs)), flat_weights(outputs)
        return cls(
            Ragged(codes, sizes),
            labels.names,
            None if weights is None else Ragged(weights, sizes),
            relaxed if any(relaxed) else None,
        )

    def example(self, i: int) -> Any:
        found = self.relaxed[i] if self.relaxed else None
        return self.names[self.codes[i]] if found is None else found

    @property
    def fractions(self) -> list[tuple[int, Relaxed]]:
        """The index and the marginals of each graph with relaxed labels."""
        return [(i, y) for i, y in enumerate(self.relaxed or ()) if y is not None]


# ---------------------------------------------------------------------- checks of graphs


def require_graphs(X: Any) -> int:
    """Return the number of graphs; raise a ValueError unless X is a non-empty list of graphs."""
    if isinstance(X, Graph) or hasattr(X, "is_multigraph"):
        raise ValueError("X is a single graph; pass a list of graphs")
    if getattr(X, "ndim", 1) == 2:
        raise ValueError(f"X is a table of shape {X.shape}; pass a list of graphs")
    n = require_examples(X)
    for i in range(n):
        if not isinstance(x := X[i], Graph):
            raise ValueError(
                f"X[{i}]: expected a structsvm.problems.Graph; got {type(x).__name__}: make one by "
                "Graph(features, edges), Graph.from_networkx(x, features) or grid_graph(image)"
            )
    return n


def checked_graph(x: Graph, directed: bool) -> tuple[Any, Indices, Vector]:
    """Return the features of nodes, the edges and their features, or raise a ValueError.

    With ``directed``, two nodes may be joined by edges in both directions.
    """
    given = x.features
    rows = given if hasattr(given, "dtype") else checked_numbers("features", given)
    require_matrix(rows, "features")
    rows = in_floats(rows)
    n = rows.shape[0]
    if n == 0:
        raise ValueError("the graph has no nodes; leave it out")
    edges = _checked_edges(x.edges, n, directed)
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
    """Return whether the user gave features of edges, or None if graphs have no edges.

    Raise a ValueError if some edges, in X or in training, have features and others have none.
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


def _checked_edges(edges: Any, n: int, directed: bool) -> Indices:
    require_unmasked("edges", edges)
    edges = edges if sparse.issparse(edges) else one_array("edges", edges)
    if 0 in edges.shape:
        return np.empty((0, 2), dtype=np.intp)
    if sparse.issparse(edges) or edges.shape[1:] != (2,) or edges.dtype.kind not in "iu":
        raise ValueError(
            "edges must be integers of shape (n_edges, 2), the nodes that each edge joins; got "
            f"{type(edges).__name__} of shape {edges.shape} and {edges.dtype}: transpose columns, "
            "and of an adjacency matrix take numpy.transpose(triu(A, 1).nonzero()), with triu of "
            "numpy or scipy.sparse"
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
    return np.asarray(edges)
