"""Label sets as indicator matrices, their losses, and graphs over the labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import combinations
from typing import Any, Literal, Protocol, get_args

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from structsvm.data.arrays import Indices, Numbers, Vector
from structsvm.data.conversion import require_no_iterator
from structsvm.data.matrices import checked_numbers

#: End of error messages: the remedy for label sets in another form.
OF_LABELS = ". sklearn.preprocessing.MultiLabelBinarizer makes such rows of lists of labels"


def checked_indicators(Y: Any, n_labels: int | None = None, name: str = "Y") -> Any:
    """Return label sets as an array of int8, with a row per example and a column per label.

    Parameters
    ----------
    Y : array-like, DataFrame or scipy.sparse matrix of shape (n, n_labels)
        The label sets: 1 if an example has the label, otherwise 0.
    n_labels : int, optional
        The expected number of columns; by default, any number except 0.
    name : str, default='Y'
        The name of Y in messages.

    Raises
    ------
    ValueError
        If Y is None, has another shape, or has an entry other than 0 and 1.
    """
    if Y is None:
        raise ValueError(
            f"{name} must have a row for each example and a column for each label; it is None"
        )
    try:
        given = checked_numbers(name, Y.toarray() if sparse.issparse(Y) else Y)
    except ValueError as error:
        raise ValueError(f"{error}{OF_LABELS}") from None
    if given.ndim != 2 or given.shape[1] == 0:
        raise ValueError(
            f"{name} must be 2-d, a row for each example and a column for each label, with at "
            f"least one; got shape {given.shape}{OF_LABELS}"
        )
    if n_labels is not None and given.shape[1] != n_labels:
        raise ValueError(
            f"{name} has {given.shape[1]} columns; expected {n_labels}, one for each label"
        )
    wrong = ~((given == 0) | (given == 1))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"{name} must hold 0 and 1; {name}[{i}, {j}] is {given[i, j]:g}{OF_LABELS}"
        )
    return given.astype(np.int8)


# ---------------------------------------------------------------------- losses

Cost = Literal["hamming", "f1"] | Numbers


class LabelCosts:
    """A loss: the sum of the costs of wrong labels, divided by the number of labels.

    Parameters
    ----------
    costs : ndarray of shape (n_labels,) or (n_labels, 2)
        The cost of each label if it is wrong. Two columns hold the cost of missing the label, and
        the cost of predicting it for an example without it. Costs of 1 give the Hamming loss.

    Attributes
    ----------
    largest : float
        The largest value of the loss.
    mean : float
        The mean cost.
    """

    def __init__(self, costs: Vector) -> None:
        n_labels = len(costs)
        both = np.broadcast_to(costs.reshape(n_labels, -1), (n_labels, 2)) / n_labels
        self._missed, self._extra = both.T
        self.largest, self.mean = float(both.max(axis=1).sum()), float(costs.mean())

    def added(self, scores: Vector, Y: Any) -> Vector:
        """Return the score of each label plus the change of the loss if the label is predicted."""
        changes: Vector = np.where(Y, -self._missed, self._extra)
        return scores + changes.astype(scores.dtype, copy=False)

    def constants(self, Y: Any) -> Vector:
        """Return the loss of predicting no labels, shape (n,)."""
        return np.asarray(Y @ self._missed)

    def of(self, Y: Any, Y_hat: Any) -> Vector:
        """Return the losses of n predictions, or expected losses for probabilities; shape (n,)."""
        costs = np.where(Y, self._missed, self._extra)
        return np.asarray((costs * np.abs(Y - Y_hat)).sum(axis=1))


def f1_losses(Y: Any, Y_hat: Any) -> Vector:
    """Return 1 - F1 of n predictions, shape (n,); F1 of two empty sets is 1."""
    common, sizes = (Y * Y_hat).sum(axis=1), Y.sum(axis=1) + Y_hat.sum(axis=1)
    return f1_loss_of_counts(common, sizes)


def f1_loss_of_counts(common: Any, sizes: Any) -> Vector:
    """Return 1 - F1 of two sets from the size of their intersection and the sum of their sizes."""
    return np.where(sizes > 0, 1 - 2 * common / np.maximum(sizes, 1), 0.0)


def label_costs(cost: Any, n_labels: int) -> LabelCosts | None:
    """Return the LabelCosts, or None for the F1 loss; raise a ValueError for unusable costs."""
    if isinstance(cost, str):
        if cost not in ("hamming", "f1"):
            raise ValueError(f"cost must be 'hamming', 'f1' or an array; got {cost!r}")
        return None if cost == "f1" else LabelCosts(np.ones(n_labels))
    table = checked_numbers("cost", cost)
    if table.shape not in ((n_labels,), (n_labels, 2)):
        raise ValueError(
            f"cost must be 'hamming', 'f1', or of shape ({n_labels},) or ({n_labels}, 2) for "
            f"{n_labels} labels; got shape {table.shape}"
        )
    if not (np.isfinite(table).all() and np.all(table >= 0) and table.any()):
        raise ValueError(f"cost must be finite, >= 0, and > 0 somewhere; got {table.tolist()}")
    return LabelCosts(table)


# ---------------------------------------------------------------------- graphs over labels

#: The names of structures.
StructureName = Literal["auto", "independent", "tree", "pairs"]
STRUCTURES = get_args(StructureName)
#: Largest number of labels for which all pairs have a weight by default.
FEW_LABELS = 14


class HasEdges(Protocol):
    """A networkx graph."""

    @property
    def edges(self) -> Any: ...


Structure = StructureName | HasEdges | Iterable[tuple[Any, Any] | list[Any]]


def label_edges(structure: Any, Y: Any, names: Sequence[Any]) -> Indices:
    """Return the pairs of labels that a structure joins, as indices of columns, shape (m, 2).

    Parameters
    ----------
    structure : {'auto', 'independent', 'tree', 'pairs'}, networkx graph or pairs of labels
        'tree' is the tree of Chow & Liu for Y. 'auto' is 'pairs' for few labels, otherwise 'tree'.
    Y : ndarray of shape (n, n_labels)
        An indicator matrix, with 1 if the example has the label and otherwise 0.
    names : sequence of n_labels names
        The names of the labels in the structure.

    Raises
    ------
    ValueError
        If the structure is unknown, or if a pair has an unknown label, joins a label to itself or
        occurs twice.
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
    """Return the spanning tree of largest mutual information between labels: n_labels - 1 edges.

    No distribution over another tree fits the label sets better (Chow & Liu, Approximating Discrete
    Probability Distributions with Dependence Trees, IEEE Trans. Inform. Theory 1968).
    """
    information = mutual_information(Y)
    # All weights must be > 0, because 0 means no edge to scipy.
    tree = minimum_spanning_tree(1 + information.max() - np.triu(information, 1))
    edges = np.stack(tree.nonzero(), axis=1)
    return _array(sorted(tuple(sorted(edge)) for edge in edges.tolist()))


def mutual_information(Y: Any) -> Vector:
    """Return the mutual information of every two labels in nats, shape (n_labels, n_labels)."""
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
    try:
        pairs = [tuple(pair) for pair in structure]
    except TypeError:
        raise _unusable(type(structure).__name__) from None
    edges = [_edge(pair, columns) for pair in pairs]
    if isinstance(structure, Set):  # the order of a set may differ from run to run
        edges.sort()
    if len(set(edges)) < len(edges):
        raise ValueError(f"structure has a pair of labels twice; give it once; got {pairs}")
    return _array(edges)


def _unusable(found: str) -> ValueError:
    return ValueError(
        f"structure must be one of {STRUCTURES}, a networkx graph or pairs of labels; got {found}"
    )


def _edge(pair: tuple[Any, ...], columns: dict[Any, int]) -> tuple[int, int]:
    """Return the sorted column indices of two labels."""
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
