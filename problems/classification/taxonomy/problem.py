"""Classification by a taxonomy as a structured problem: weights are shared along its paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from structsvm.problem import Vector
from structsvm.problems.classification.multiclass.problem import Multiclass, checked_cost
from structsvm.problems.classification.taxonomy.graph import (
    distances,
    paths,
    require_taxonomy,
    star,
)

if TYPE_CHECKING:
    import networkx as nx


class Taxonomy(Multiclass):
    """Multiclass classification with weights for the nodes of a taxonomy.

    The score of a class is the sum of <w_v, x> over the nodes v on its path: the class itself and
    all nodes above it. So Psi(x, y) has x in the block of every node on the path of y, and what is
    learned of one class counts for others below the same nodes. In all else it is
    :class:`Multiclass`: the oracles are exact, with one product for the whole data, and X is an
    array or a CSR matrix.

    The classes are the labels in Y; they may be leaves or inner nodes. Nodes that no class is at or
    below have no weights, nor have those above all classes, whose weights would stay 0.

    Parameters
    ----------
    taxonomy : networkx.DiGraph, optional
        Edges lead from parents to children. It has one root and no cycles; a node may have several
        parents, and the classes below it then share the weights of all its ancestors. Default: a
        root above all classes, which makes it :class:`Multiclass`.
    cost : 'distance', array-like of shape (k, k) or dict of dicts, optional
        The loss of predicting one class for another; 0/1 loss by default. 'distance' is the number
        of edges between the two, divided by the largest of two classes; with several parents, it is
        the number of nodes that are on one path and not on both. An array is that of
        :class:`Multiclass`; ``cost[y][y_hat]`` of a dict is for labels, as networkx's lengths of
        paths are.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    nodes_ : list of m nodes
        Those that have weights, parents first: ``w.reshape(m, d)`` has a row for each.
    max_loss : float
        The largest loss.

    References
    ----------
    Cai & Hofmann, Hierarchical Document Categorization with Support Vector Machines, CIKM 2004.
    Our nodes all count the same, and the costs are not divided by the sizes of classes.

    Examples
    --------
    >>> import networkx as nx
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Taxonomy
    >>> animals = nx.DiGraph([("animal", "cat"), ("animal", "dog"), ("dog", "poodle")])
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 4.0]])
    >>> svm = StructuredSVM(Taxonomy(animals, "distance")).fit(X, ["cat", "dog", "poodle"])
    >>> svm.problem_.nodes_
    ['cat', 'dog', 'poodle']
    >>> svm.problem_.cost_[0]
    array([0.        , 0.66666667, 1.        ])
    """

    def __init__(self, taxonomy: Any = None, cost: Any = None) -> None:
        self.taxonomy = taxonomy
        self.cost = cost

    def initialize(self, X: Any, Y: Any) -> None:
        super().initialize(X, Y)
        nodes, on_path = paths(self._tree(), self.classes_.tolist())
        telling = on_path.getnnz(axis=1) < len(self.classes_)
        self.nodes_ = [node for node, tells in zip(nodes, telling, strict=True) if tells]
        self._on_path = on_path[telling]
        self._path_of = self._on_path.T.tocsr()
        self.size_joint_feature = len(self.nodes_) * self.n_features_

    def class_weights(self, w: Vector) -> Vector:
        """The weights of every class, the sums along the paths: as for :class:`Multiclass`."""
        return self._path_of @ w.reshape(len(self.nodes_), -1)

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        if sparse.issparse(X):
            return super().batch_joint_feature_difference(X, Y, Y_hat)
        true, predicted = self._labels.codes(Y), self._labels.codes(Y_hat)
        signs = (self._path_of[true] - self._path_of[predicted]).toarray()
        difference = signs[:, :, None] * np.asarray(X, dtype=np.float64)[:, None, :]
        return difference.reshape(len(signs), -1)

    # ------------------------------------------------------------------ inside

    def _tree(self) -> nx.DiGraph:
        if self.taxonomy is None:
            return star(self.classes_.tolist())
        require_taxonomy(self.taxonomy)
        return self.taxonomy

    def _cost_matrix(self) -> Vector:
        names, cost = self.classes_.tolist(), self.cost
        if isinstance(cost, str) and cost == "distance":
            edges = distances(self._tree(), names)
            return edges / edges.max()
        if isinstance(cost, str):
            raise ValueError(f"cost must be 'distance', None, an array or a dict; got {cost!r}")
        if isinstance(cost, Mapping):
            cost = [[_entry(cost, true, predicted) for predicted in names] for true in names]
        return checked_cost(cost, len(names))

    def _joint(self, sums: Vector) -> Vector:
        return (self._on_path @ sums).ravel()

    def _in_blocks(self, X: Any, codes: Any) -> Any:
        """Joint features of sparse rows: each row once for every node on the path of its class."""
        nodes = self._path_of[codes]
        rows = X[np.repeat(np.arange(len(codes)), np.diff(nodes.indptr))]
        starts = self.n_features_ * nodes.indices.astype(np.intp)
        columns = rows.indices + np.repeat(starts, np.diff(rows.indptr))
        shape = len(codes), self.size_joint_feature
        return sparse.csr_matrix((rows.data, columns, rows.indptr[nodes.indptr]), shape)

    def _block_variances(self, p: Vector) -> Vector:
        # Sums of probabilities may be above 1 by rounding.
        below = np.minimum(self._on_path @ p, 1).astype(p.dtype, copy=False)
        return below * (1 - below)


def _entry(cost: Any, true: Any, predicted: Any) -> Any:
    try:
        return cost[true][predicted]
    except (KeyError, TypeError, IndexError):
        raise ValueError(
            f"cost has no entry cost[{true!r}][{predicted!r}]; a dict needs one for every pair of "
            "labels, 0 where they are the same"
        ) from None
