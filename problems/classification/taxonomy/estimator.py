"""Classification by a taxonomy as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Vector
from structsvm.problems.classification.multiclass import MulticlassSVM
from structsvm.problems.classification.taxonomy.graph import PlainTaxonomy
from structsvm.problems.classification.taxonomy.problem import Taxonomy
from structsvm.results.callbacks import Callbacks
from structsvm.solvers.shared.early_stopping import PATIENCE


class TaxonomySVM(PlainTaxonomy, MulticlassSVM):
    """A classifier whose classes are nodes of a taxonomy, and share weights along its paths.

    It is trained for accuracy, for few edges between the true and the predicted class, or for other
    costs. ``score`` is the accuracy; :func:`tree_distance_loss` is the mean number of edges, as a
    scorer ``make_scorer(tree_distance_loss, greater_is_better=False, taxonomy=tree)``.

    Parameters
    ----------
    taxonomy : networkx.DiGraph, optional
        Edges lead from parents to children, and the labels in y are among its nodes: see
        :class:`Taxonomy`. Default: a root above all classes, so that nothing is shared.
    C : float, default=100.0
        As in :class:`MulticlassSVM`, for costs of at most 1.
    cost : 'distance', array-like of shape (k, k) or dict of dicts, optional
        The loss of predicting one class for another, 0/1 loss by default: see :class:`Taxonomy`.
        'distance', the number of edges between them, needs a larger C: :doc:`/taxonomy` shows why.
    fit_intercept, class_weight, solver, rtol, max_iter, time_limit, warm_start, n_jobs, callback, \
    verbose
        As in :class:`MulticlassSVM`.
    early_stopping, validation_fraction, n_iter_no_change, random_state
        As in :class:`MulticlassSVM`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features)
        Of each class its own weights, and half of those of each node above it.
    intercept_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
        The labels in y, sorted. No other node is predicted.
    node_coef_ : dict of ndarrays of shape (n_features,)
        The weights of each node that has some.
    result_, n_iter_, n_features_in_, validation_indices_, validation_scores_
        As in :class:`MulticlassSVM`.

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

    def __init__(
        self,
        taxonomy: Any = None,
        C: float = 100.0,
        cost: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: Any = "auto",
        rtol: float | None = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callbacks = None,
        verbose: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = PATIENCE,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            C=C,
            cost=cost,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            solver=solver,
            rtol=rtol,
            max_iter=max_iter,
            time_limit=time_limit,
            warm_start=warm_start,
            n_jobs=n_jobs,
            callback=callback,
            verbose=verbose,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            random_state=random_state,
        )
        self.taxonomy = taxonomy

    @property
    def node_coef_(self) -> dict[Any, Vector]:
        check_is_fitted(self)
        nodes = self.problem_.nodes_
        weights = self.w_.reshape(len(nodes), -1)[:, : self.n_features_in_]
        return dict(zip(nodes, weights, strict=True))

    def _problem(self) -> Taxonomy:
        return Taxonomy(self.taxonomy, self.cost)

    def _coded(self, X: Any, y: Any) -> tuple[Any, Any]:
        return super()._coded(X, y)[0], y  # nodes are named by labels, not by codes

    def _weights(self, codes: Any, sample_weight: Any) -> Vector:
        return super()._weights(np.searchsorted(self.classes_, codes), sample_weight)
