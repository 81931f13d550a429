"""Classification by a taxonomy as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.problems.classification.encoding import ClassEncoding
from structsvm.problems.classification.multiclass import MulticlassSVM
from structsvm.problems.classification.taxonomy.graph import PlainTaxonomy
from structsvm.problems.classification.taxonomy.problem import Cost, Taxonomy


@documented
@dataclass(eq=False, repr=False)
class TaxonomySVM(PlainTaxonomy, MulticlassSVM):
    """A classifier whose classes are nodes of a taxonomy, and share weights along its paths.

    Training minimises the number of mistakes, the number of edges between the true and the
    predicted class, or other costs. ``score`` is the accuracy. The function
    :func:`tree_distance_loss` returns the mean number of edges between the true and the predicted
    class. ``make_scorer(tree_distance_loss, greater_is_better=False, taxonomy=tree)`` makes a
    scorer of this function.

    X is an array or scipy.sparse matrix of shape (n, n_features). Products with float32 data are in
    float32; other types are converted to float64. ``y`` holds nodes of the taxonomy, at least two
    different ones.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    taxonomy : networkx.DiGraph, optional
        A graph with edges from parents to children, whose nodes include the labels in y: see
        :class:`Taxonomy`. By default, the classes lie directly below a root and share no weights.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack in the :mod:`structsvm.objective`, > 0. 'auto' chooses C as
        :class:`MulticlassSVM` does. 'cv' chooses C by cross-validation: see ``cv_scores_``.
    cost : 'distance', array-like of shape (k, k) or dict of dicts, optional
        The loss of predicting one class for another, 0/1 loss by default: see :class:`Taxonomy`.
        'distance' is the number of edges between two classes. With few rows, training with
        'distance' confuses near classes more often than training with the 0/1 loss: see
        :doc:`/taxonomy`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features)
        For each class, the weights of its node plus half of the weights of each node above it.
    intercept_ : ndarray of shape (n_classes,)
        Constant of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels in y, sorted, which are the only nodes that are predicted.
    node_coef_ : dict of ndarrays of shape (n_features,)
        The weights of each node that has weights.

    Examples
    --------
    >>> import networkx as nx
    >>> from sklearn.datasets import load_iris
    >>> from structsvm.problems import TaxonomySVM, tree_distance_loss
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = nx.DiGraph([("iris", 0), ("iris", "other"), ("other", 1), ("other", 2)])
    >>> svm = TaxonomySVM(tree).fit(X, y)
    >>> sorted(svm.node_coef_, key=str)
    [0, 1, 2, 'other']
    >>> tree_distance_loss(y, svm.predict(X), tree) < 0.1
    True
    """

    about = About(
        "Classes, sets of labels, rankings", "a class in a tree: topics and subtopics",
        X="a matrix", y="nodes of a tree",
        page="taxonomy.md",
        score="accuracy; `tree_distance_loss` for the edges between two classes of a taxonomy",
    )  # fmt: skip

    taxonomy: Any = None
    _: KW_ONLY
    cost: Cost = None

    @property
    def node_coef_(self) -> dict[Any, Vector]:
        check_is_fitted(self)
        nodes, columns = self.problem_.nodes_, self._encoding.columns
        weights, _ = columns.parts(columns.given(self.w_.reshape(len(nodes), -1)))
        return dict(zip(nodes, weights, strict=True))

    def _problem(self) -> Taxonomy:
        return Taxonomy(self.taxonomy, self.cost)

    def _new_encoding(self) -> ClassEncoding:
        return NodeEncoding(self.scale, self.fit_intercept, self.class_weight, self.cost)


class NodeEncoding(ClassEncoding):
    """The encoding of rows; classes stay nodes of a taxonomy and are not encoded."""

    spans_rows = True

    def names(self, problem: Any) -> dict[str, Any]:
        return {"nodes": list(problem.nodes_)} | super().names(problem)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        data = super().encode(X, y, sample_weight)
        return data if y is None else data._replace(Y=self.classes[data.Y])

    def decoded(self, outputs: Any) -> Any:
        return outputs
