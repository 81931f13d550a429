"""Classification by a taxonomy as a structured problem: classes share weights along paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from structsvm.contract.problem import ScoreTerms
from structsvm.data.arrays import Indices, Numbers, Vector
from structsvm.problems.classification.multiclass.problem import Multiclass, checked_cost
from structsvm.problems.classification.rows import as_row
from structsvm.problems.classification.taxonomy.graph import (
    PlainTaxonomy,
    distances,
    paths,
    require_taxonomy,
    star,
)
from structsvm.problems.classification.taxonomy.task import TaxonomyTask

if TYPE_CHECKING:
    import networkx as nx

Cost = Literal["distance"] | Numbers | Mapping[Any, Any] | None

#: The factor of x in the blocks of the nodes above a class.
SHARED = 0.5


class Taxonomy(PlainTaxonomy, Multiclass):
    """Multiclass classification with weights for the nodes of a taxonomy.

    The score of a class is <w_v, x> for its node v, plus <w_u, x> / 2 for each node u above v. In
    Psi(x, y), the block of y holds x, and the blocks of the nodes above y hold x / 2. Rows of a
    class also train weights that other classes below the same nodes share. As in
    :class:`Multiclass`, oracles are exact and need only one matrix product for all rows, and X is
    an array or a CSR matrix.

    The classes are the labels in Y; they may be leaves or inner nodes. A node has no weights if
    neither it nor a node below it is a class. A node above all classes has no weights, because
    these weights would stay 0.

    Parameters
    ----------
    taxonomy : networkx.DiGraph, optional
        A graph with edges from parents to children, one root and no cycles. A node may have several
        parents; the classes below it then share the weights of all its ancestors. By default, the
        classes lie directly below a root, as in :class:`Multiclass`.
    cost : 'distance', array-like of shape (k, k) or dict of dicts, optional
        The loss of predicting one class for another; 0/1 loss by default. 'distance' is the number
        of edges between two classes, divided by the largest number of edges. If nodes have several
        parents, see :func:`tree_distance_loss`. In an array, ``cost[i, j]`` is the loss if class i
        is true and class j is predicted, in sorted order of the labels. In a dict,
        ``cost[y][y_hat]`` is the loss if y is true and y_hat is predicted, as in networkx's dicts
        of path lengths.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    nodes_ : list of m nodes
        The nodes that have weights, parents first: ``w.reshape(m, d)`` has a row for each node.
    max_loss : float
        The largest loss.

    References
    ----------
    Cai & Hofmann, Hierarchical Document Categorization with Support Vector Machines, CIKM 2004. Cai
    & Hofmann multiply x by the same factor for the label y and for all nodes above y. Cai & Hofmann
    use the margin 1, and divide the slacks by the costs. On the data of :doc:`/taxonomy`,
    multiplying x by 1/2 for the nodes above the label y gave better predictions.

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
    >>> svm.problem_.joint_feature(X[0], "poodle")
    array([0., 0., 1., 0., 2., 0.])
    >>> svm.problem_.cost_[0]
    array([0.        , 0.66666667, 1.        ])
    """

    # The inference of Multiclass needs separate weights for the classes.
    tensor_inference = None  # type: ignore[assignment]

    def __init__(self, taxonomy: Any = None, cost: Cost = None) -> None:
        self.taxonomy = taxonomy
        self.cost = cost

    def initialize(self, X: Any, Y: Any) -> None:
        super().initialize(X, Y)
        nodes, on_path = paths(self._tree(self.classes_.tolist()), self.classes_.tolist())
        factors = SHARED * on_path
        places = {node: i for i, node in enumerate(nodes)}
        own = [places[name] for name in self.classes_.tolist()]
        factors[own, np.arange(len(own))] = 1.0
        telling = factors.max(axis=1).toarray() > factors.min(axis=1).toarray()
        kept = np.flatnonzero(telling)
        self.nodes_ = [nodes[i] for i in kept]
        self.factors_ = factors[kept]
        self.path_factors_ = self.factors_.T.tocsr()
        self.size_joint_feature = len(self.nodes_) * self.n_features_

    def cost_matrix(self, classes: NDArray[Any]) -> Vector:
        names, cost = classes.tolist(), self.cost
        if isinstance(cost, str) and cost == "distance":
            edges = distances(self._tree(names), names)
            return edges / float(edges.max())
        if isinstance(cost, str):
            raise ValueError(f"cost must be 'distance', None, an array or a dict; got {cost!r}")
        if isinstance(cost, Mapping):
            cost = [[_entry(cost, true, predicted) for predicted in names] for true in names]
        return checked_cost(cost, len(names))

    def class_weights(self, w: Vector) -> Vector:
        """Return the weights of every class, (k, d), summed over the nodes of its path."""
        return np.asarray(self.path_factors_ @ w.reshape(len(self.nodes_), -1))

    def task(self, X: Any, Y: Any = None) -> TaxonomyTask:
        return TaxonomyTask(self, X, Y)

    def of_classes(self, sums: Vector) -> Vector:
        return np.ravel(self.factors_ @ sums)

    def in_blocks(self, X: Any, codes: Indices) -> Any:
        """Return the joint features of sparse rows, with a block for each node on a path."""
        nodes = self.path_factors_[codes]
        rows = X[np.repeat(np.arange(len(codes)), np.diff(nodes.indptr))]
        lengths, d = np.diff(rows.indptr), X.shape[1]
        columns = rows.indices + np.repeat(d * nodes.indices.astype(np.intp), lengths)
        data = rows.data * np.repeat(nodes.data, lengths)
        shape = len(codes), len(self.nodes_) * d
        return sparse.csr_matrix((data, columns, rows.indptr[nodes.indptr]), shape)

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        factors = self.path_factors_[self.labels_.codes([y])].toarray()[0]
        return ScoreTerms.of_blocks(factors, as_row(x), w)

    def block_variances(self, p: Vector) -> Vector:
        variances = self.factors_.power(2) @ p - np.square(self.factors_ @ p)
        # Rounding may make variances negative.
        return np.asarray(np.maximum(variances, 0), dtype=p.dtype)

    def _tree(self, names: list[Any]) -> nx.DiGraph:
        if self.taxonomy is None:
            return star(names)
        require_taxonomy(self.taxonomy)
        return self.taxonomy


def _entry(cost: Any, true: Any, predicted: Any) -> Any:
    try:
        return cost[true][predicted]
    except (KeyError, TypeError, IndexError):
        raise ValueError(
            f"cost has no entry cost[{true!r}][{predicted!r}]; a dict needs one for every pair of "
            "labels, 0 where they are the same"
        ) from None
