"""Graphs as users give them, from arrays, networkx and images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import require_ordered
from structsvm.data.matrices import checked_numbers, product_dtype, require_powers

#: Steps from a pixel to its neighbours, for 4 and 8 neighbours: right, down, and both diagonals.
STEPS = {4: ((0, 1), (1, 0)), 8: ((0, 1), (1, 0), (1, 1), (1, -1))}


class Graph(NamedTuple):
    """A graph with features of nodes and of edges.

    Attributes
    ----------
    features : array-like, DataFrame or sparse matrix of shape (n_nodes, d)
        The features of the nodes; n_nodes is at least 1.
    edges : array-like of shape (n_edges, 2), int
        The nodes that each edge joins, counted from 0. No edge joins a node to itself or occurs
        twice. A graph may have no edges, and nodes may have no edges.
    edge_features : array-like or DataFrame of shape (n_edges, p), optional
        The features of the edges. Either all graphs have features of edges, or no graph has them.
        Default: one feature, which is 1. If edges have types, use a column for each type, with 1
        for edges of the type and 0 for other edges.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import Graph
    >>> Graph(np.eye(3), [[0, 1], [1, 2]])
    <Graph of 3 nodes and 2 edges>
    """

    features: Any
    edges: Any
    edge_features: Any = None

    @property
    def n_nodes(self) -> int:
        return int(np.shape(self.features)[0])

    def __repr__(self) -> str:
        return f"<Graph of {self.n_nodes} nodes and {len(self.edges)} edges>"

    @property
    def dtype(self) -> Any:
        """The dtype of products with features of nodes, which determines their rounding errors."""
        return product_dtype(self.features) if hasattr(self.features, "dtype") else None

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        features: str | Sequence[str],
        edge_features: str | Sequence[str] | None = None,
    ) -> Graph:
        """Make a graph from a ``networkx.Graph`` or ``networkx.DiGraph``.

        Parameters
        ----------
        graph : networkx graph
            The graph, which must not be a multigraph. Nodes are numbered in the order of
            ``graph.nodes``.
        features : str or sequence of str
            The attributes of nodes that hold their features, each a number or a vector.
        edge_features : str or sequence of str, optional
            The attributes of edges that hold their features.

        Raises
        ------
        ValueError
            If a node or edge lacks an attribute, the values of an attribute are not numbers or have
            different lengths, or the graph is a multigraph.

        Examples
        --------
        >>> import networkx
        >>> from structsvm.problems import Graph
        >>> star = networkx.star_graph(["hub", "a", "b"])
        >>> networkx.set_node_attributes(star, {"hub": 2.0, "a": 1.0, "b": 1.0}, "degree")
        >>> Graph.from_networkx(star, "degree").edges.tolist()
        [[0, 1], [0, 2]]
        """
        if graph.is_multigraph():
            raise ValueError(
                f"expected a graph with one edge between two nodes; got a {type(graph).__name__}: "
                "merge edges, and sum their features"
            )
        place = {node: i for i, node in enumerate(graph.nodes)}
        edges = np.array([(place[a], place[b]) for a, b in graph.edges], dtype=np.intp)
        of_nodes = _attributes("node", graph.nodes, features)
        of_edges = None
        if edge_features is not None:
            of_edges = _attributes("edge", graph.edges, edge_features)
        return cls(of_nodes, edges.reshape(-1, 2), of_edges)


def _attributes(kind: str, items: Any, names: str | Sequence[str]) -> Vector:
    """Return the attributes of all nodes or of all edges, a row for each."""
    require_ordered(f"{kind} features", names)
    columns = []
    for name in [names] if isinstance(names, str) else names:
        for item in items:
            if name not in items[item]:
                raise ValueError(f"{kind} {item!r} has no attribute {name!r}")
        values = [items[item][name] for item in items]
        numbers = checked_numbers(f"the attribute {name!r} of {kind}s", values)
        columns.append(numbers.reshape(len(values), int(np.prod(numbers.shape[1:]))))
    return np.hstack(columns)


def grid_graph(features: Any, neighbours: int = 4, image: Any = None) -> Graph:
    """Make the graph of the pixels of an image.

    Pixels are nodes, numbered row by row, so that a mask of shape (h, w) has the labels
    ``mask.ravel()``. Edges lead to the right and downwards, and with 8 neighbours also down along
    both diagonals. Each direction is a type of edge, with a column in ``edge_features``.

    Parameters
    ----------
    features : array-like of shape (h, w, d)
        The features of the pixels.
    neighbours : {4, 8}, default=4
        The number of neighbours of a pixel.
    image : array-like of shape (h, w, c), optional
        The colours of the pixels. With colours, ``edge_features`` has a second column for each
        direction of edges. In the second column, the entry of an edge is exp(-D / (2 m)), where D
        is the squared distance between the colours of its pixels, and m is the mean of D over all
        edges (Boykov & Jolly, ICCV 2001). Edges between similar colours get numbers near 1, and
        edges across a boundary numbers near 0.

    Returns
    -------
    Graph

    Raises
    ------
    ValueError
        If an array has a wrong shape or is not finite, or if ``neighbours`` is not 4 or 8.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import grid_graph
    >>> graph = grid_graph(np.zeros((2, 3, 5)))
    >>> graph.n_nodes, len(graph.edges)
    (6, 7)
    """
    if isinstance(neighbours, bool) or neighbours not in (4, 8):
        raise ValueError(f"neighbours must be 4 or 8; got {neighbours!r}")
    features = _pixels("features", features)
    h, w, d = features.shape
    edges, direction = grid_edges(h, w, neighbours)
    types = np.eye(len(STEPS[neighbours]))[direction]
    if image is not None:
        colours = _pixels("image", image)
        if colours.shape[:2] != (h, w):
            raise ValueError(f"image must have {h} x {w} pixels, as features; got {colours.shape}")
        types = np.hstack([types, types * _likeness(colours.reshape(h * w, -1), edges)[:, None]])
    return Graph(features.reshape(h * w, d), edges, types)


def grid_edges(h: int, w: int, neighbours: int) -> tuple[Indices, Indices]:
    """Return the edges of a grid, shape (n_edges, 2), and the direction of each edge, an int."""
    places = np.arange(h * w).reshape(h, w)
    found = []
    for down, right in STEPS[neighbours]:
        left = max(0, -right)
        start = places[: h - down, left : w - max(0, right)]
        found.append(np.column_stack([start.ravel(), start.ravel() + down * w + right]))
    return np.concatenate(found), np.repeat(np.arange(len(found)), [len(part) for part in found])


def _likeness(colours: Vector, edges: Indices) -> Vector:
    squares = np.square(colours[edges[:, 0]] - colours[edges[:, 1]]).sum(axis=1)
    mean = float(squares.mean()) if len(squares) else 0.0
    return np.exp(-squares / (2 * mean)) if mean else np.ones(len(edges))


def _pixels(name: str, values: Any) -> Vector:
    kept = np.float32 if getattr(values, "dtype", None) == np.float32 else np.float64
    pixels = checked_numbers(name, values)
    if pixels.ndim != 3 or 0 in pixels.shape:
        raise ValueError(f"{name} must be of shape (h, w, d), none of them 0; got {pixels.shape}")
    require_powers(float(np.abs(pixels).max()), kept, name=name, underflow=False)
    return pixels.astype(kept, copy=False)
