"""Taxonomies: networkx graphs whose nodes are classes and groups of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.validation import checked_sample_weight
from structsvm.problems.classification.labels import distinct

if TYPE_CHECKING:
    import networkx as nx


def require_taxonomy(taxonomy: Any) -> None:
    """Raise a ValueError unless the taxonomy is a directed acyclic graph with a single root."""
    import networkx as nx  # in functions only: it is slow to import

    if not isinstance(taxonomy, nx.DiGraph):
        raise ValueError(
            "taxonomy must be a networkx.DiGraph with edges from parents to children; got "
            f"{type(taxonomy).__name__}"
        )
    if not len(taxonomy):
        raise ValueError("taxonomy has no nodes; expected the classes and the groups above them")
    if not nx.is_directed_acyclic_graph(taxonomy):
        cycle = " -> ".join(repr(node) for node, *_ in nx.find_cycle(taxonomy))
        raise ValueError(f"taxonomy has a cycle, {cycle}; no node may be above itself")
    roots = [node for node, above in taxonomy.in_degree() if not above]
    if len(roots) > 1:
        names = ", ".join(map(repr, roots[:5])) + (", ..." if len(roots) > 5 else "")
        raise ValueError(
            f"taxonomy has {len(roots)} nodes without a parent: {names}; expected one root, from "
            "which all nodes can be reached. Add the missing edges, or a node above these"
        )


class PlainTaxonomy:
    """Mixin for classes with a parameter ``taxonomy``, which is pickled as nodes and edges.

    A networkx graph contains views of itself, which skops does not load. Attributes of nodes and
    edges are left out, because training and predictions do not use them.
    """

    def __getstate__(self) -> dict[str, Any]:
        import networkx as nx

        state = dict(vars(self))
        if type(taxonomy := state["taxonomy"]) is nx.DiGraph:
            state["taxonomy"] = NodesAndEdges(list(taxonomy.nodes), list(taxonomy.edges))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        import networkx as nx

        vars(self).update(state)
        if isinstance(plain := state["taxonomy"], NodesAndEdges):
            graph = vars(self)["taxonomy"] = nx.DiGraph(plain.edges)
            graph.add_nodes_from(plain.nodes)


class NodesAndEdges(NamedTuple):
    """The nodes and the edges of a graph."""

    nodes: list[Any]
    edges: list[tuple[Any, Any]]


def star(names: list[Any]) -> nx.DiGraph:
    """Return the graph of a root with all names below it."""
    import networkx as nx

    return nx.DiGraph((tuple(names), name) for name in names)


def paths(taxonomy: nx.DiGraph, names: list[Any]) -> tuple[list[Any], Any]:
    """Return the nodes on the paths from the root to the classes.

    Parameters
    ----------
    taxonomy : networkx.DiGraph
        A graph that :func:`require_taxonomy` accepts.
    names : list of k classes
        The classes.

    Returns
    -------
    nodes : list of m nodes
        The classes and the nodes above a class, in a topological order.
    on_path : scipy.sparse.csr_matrix of shape (m, k)
        1 if the node is the class or above it, otherwise 0.

    Raises
    ------
    ValueError
        If a class is not a node of the taxonomy.
    """
    import networkx as nx

    unknown = [name for name in names if name not in taxonomy]
    if unknown:
        raise ValueError(
            f"the label {unknown[0]!r} is no node of the taxonomy, which has "
            f"{taxonomy.number_of_nodes()} nodes, such as {next(iter(taxonomy))!r}"
        )
    above = [nx.ancestors(taxonomy, name) | {name} for name in names]
    used = set().union(*above)
    nodes = [node for node in nx.topological_sort(taxonomy) if node in used]
    place = {node: i for i, node in enumerate(nodes)}
    columns = np.repeat(np.arange(len(names)), [len(found) for found in above])
    rows = [place[node] for found in above for node in found]
    shape = (len(nodes), len(names))
    return nodes, sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape)


def distances(taxonomy: nx.DiGraph, names: list[Any]) -> Vector:
    """Return the distances between k classes of a taxonomy, shape (k, k).

    In a tree, the distance of two classes is the number of edges between them. If nodes have
    several parents, see :func:`tree_distance_loss`.
    """
    _, on_path = paths(taxonomy, names)
    common: Vector = (on_path.T @ on_path).toarray()
    lengths = np.diagonal(common)
    return lengths[:, None] + lengths - 2 * common


def tree_distance_loss(y_true: Any, y_pred: Any, taxonomy: Any, sample_weight: Any = None) -> float:
    """Return the mean number of edges between the true and the predicted nodes of a tree.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Nodes of the taxonomy.
    taxonomy : networkx.DiGraph
        A graph with edges from parents to children. If nodes have several parents, the distance of
        u and v is the number of nodes that belong to only one of two sets: u with the nodes above
        u, and v with the nodes above v.
    sample_weight : array-like of shape (n,), optional
        Weights of the examples in the mean, >= 0 and not all 0.

    Returns
    -------
    float
        At least 0.

    Raises
    ------
    ValueError
        If a label is not a node, ``y_true`` and ``y_pred`` have different lengths, weights are
        unusable, or :class:`TaxonomySVM` does not accept the taxonomy.

    Examples
    --------
    >>> import networkx as nx
    >>> from structsvm.problems import tree_distance_loss
    >>> animals = nx.DiGraph([("animal", "cat"), ("animal", "dog"), ("dog", "poodle")])
    >>> tree_distance_loss(["poodle", "cat"], ["dog", "poodle"], animals)
    2.0
    """
    require_taxonomy(taxonomy)
    true_names, predicted_names = distinct(y_true), distinct(y_pred)
    true, predicted = np.asarray(y_true), np.asarray(y_pred)
    if true.shape != predicted.shape or not len(true):
        raise ValueError(
            "y_true and y_pred must be of the same length, at least 1; got lengths "
            f"{len(true)} and {len(predicted)}"
        )
    weights = checked_sample_weight(sample_weight, len(true))
    edges = distances(taxonomy, true_names.tolist() + predicted_names.tolist())
    rows, columns = np.searchsorted(true_names, true), np.searchsorted(predicted_names, predicted)
    return float(np.average(edges[rows, len(true_names) + columns], weights=weights))
