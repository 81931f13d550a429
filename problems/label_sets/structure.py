"""Graphs over labels: which pairs of labels have a weight of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import combinations
from typing import Any, Literal, Protocol, get_args

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import require_no_iterator

#: The structures that have a name.
StructureName = Literal["auto", "independent", "tree", "pairs"]
STRUCTURES = get_args(StructureName)
#: Labels, at most, whose pairs all have a weight by default.
FEW_LABELS = 14


class HasEdges(Protocol):
    """A networkx graph."""

    @property
    def edges(self) -> Any: ...


Structure = StructureName | HasEdges | Iterable[tuple[Any, Any] | list[Any]]


def label_edges(structure: Any, Y: Any, names: Sequence[Any]) -> Indices:
    """The pairs of labels that a structure joins, as numbers of columns, shape (m, 2).

    Parameters
    ----------
    structure : {'auto', 'independent', 'tree', 'pairs'}, networkx graph or pairs of labels
        'tree' is the tree of Chow & Liu for Y; 'auto' is 'pairs' for few labels, else 'tree'.
    Y : ndarray of shape (n, n_labels)
        Label sets, 0 and 1.
    names : sequence of n_labels names
        How the structure calls the labels.

    Raises
    ------
    ValueError
        The structure is unknown, or a pair has an unknown label, joins a label to itself or occurs
        twice.
    """
    require_no_iterator("structure", structure)
    if not isinstance(structure, str):
        return _given_edges(structure, names)
    if structure == "auto":
        structure = "pairs" if len(names) <= FEW_LABELS else "tree"
    if structure not in STRUCTURES:
        raise _unusable(repr(structure))
    if structure == "tree":
        return chow_liu_tree(Y)
    return _array(combinations(range(len(names)), 2) if structure == "pairs" else [])


def chow_liu_tree(Y: Any) -> Indices:
    """The spanning tree of largest mutual information between labels, shape (n_labels - 1, 2).

    No tree's distribution fits the label sets better (Chow & Liu, Approximating Discrete
    Probability Distributions with Dependence Trees, IEEE Trans. Inform. Theory 1968).
    """
    information = mutual_information(Y)
    # All weights > 0: for scipy 0 is no edge.
    tree = minimum_spanning_tree(1 + information.max() - np.triu(information, 1))
    edges = np.stack(tree.nonzero(), axis=1)
    return _array(sorted(tuple(sorted(edge)) for edge in edges.tolist()))


def mutual_information(Y: Any) -> Vector:
    """The mutual information of each two labels in nats, shape (n_labels, n_labels)."""
    present = np.asarray(Y, dtype=np.float64)
    shares = np.full(len(present), 1 / len(present))
    states = (1 - present, present)
    information = np.zeros((present.shape[1], present.shape[1]))
    for a in states:
        for b in states:
            joint = (a.T * shares) @ b
            independent = np.outer(shares @ a, shares @ b)
            seen = joint > 0
            information[seen] += joint[seen] * np.log(joint[seen] / independent[seen])
    return information


def _given_edges(structure: Any, names: Sequence[Any]) -> Indices:
    columns = {name: column for column, name in enumerate(names)}
    if hasattr(structure, "edges"):
        structure = structure.edges()
    edges = [_edge(pair, columns) for pair in _listed(structure)]
    if isinstance(structure, Set):  # its own order would differ from run to run
        edges.sort()
    if len(set(edges)) < len(edges):
        first = next(edge for edge in edges if edges.count(edge) > 1)
        a, b = (names[column] for column in first)
        raise ValueError(f"structure has the pair of {a!r} and {b!r} twice; give it once")
    return _array(edges)


def _listed(structure: Any) -> list[Any]:
    try:
        if not sparse.issparse(structure):
            return [tuple(pair) for pair in structure]
    except TypeError:
        pass
    raise _unusable(type(structure).__name__)


def _unusable(found: str) -> ValueError:
    return ValueError(
        f"structure must be one of {STRUCTURES}, a networkx graph or pairs of labels; got {found}"
    )


def _edge(pair: tuple[Any, ...], columns: dict[Any, int]) -> tuple[int, int]:
    """A pair of labels as rising numbers of columns."""
    if len(pair) != 2 or pair[0] == pair[1]:
        raise ValueError(f"structure must hold pairs of different labels; got {pair}")
    unknown = [name for name in pair if name not in columns]
    if unknown:
        raise ValueError(
            f"structure has the label {unknown[0]!r}, which is none of {list(columns)}"
        )
    a, b = sorted(columns[name] for name in pair)
    return a, b


def _array(edges: Any) -> Indices:
    return np.array(list(edges), dtype=np.intp).reshape(-1, 2)
