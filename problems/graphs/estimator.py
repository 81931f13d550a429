"""The estimator that labels the nodes of graphs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from structsvm.contract.declarations import require_outputs
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto, ChoiceOfC, ClassWeight
from structsvm.data.column_scales import ColumnScales
from structsvm.data.columns import arrays_in
from structsvm.data.containers import listed, require_examples
from structsvm.data.conversion import require_same_indices
from structsvm.data.validation import checked_sample_weight, require_flag, require_number
from structsvm.docstrings import documented
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.scales_columns import ScalesColumns
from structsvm.estimators.takes_rows import TakesRows
from structsvm.estimators.training import StructuredEstimator
from structsvm.fitting.about import About
from structsvm.problems.classification.labels import Labels, trained_on
from structsvm.problems.classification.weighted_labels import flat_labels
from structsvm.problems.graphs.attractive import AttractiveGraphLabelling
from structsvm.problems.graphs.choice import choose_inference
from structsvm.problems.graphs.inference import Relaxed
from structsvm.problems.graphs.joint_feature import WeightLayout
from structsvm.problems.graphs.packed import (
    Graphs,
    edges_are_described,
    require_graphs,
    warn_of_columns,
)
from structsvm.problems.graphs.problem import GraphLabelling, Inference
from structsvm.problems.graphs.scales import Scales
from structsvm.problems.graphs.trees import TreeLabelling
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers.auto import Choice
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.n_slack import NSlackCuttingPlane
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.thresholds import FEW

#: C for each graph, by default, where the mean of ||x||^2 over nodes is 1, and over edges.
C_OF_A_GRAPH = 1.0


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class GraphSVM(ScalesColumns, TakesRows, StructuredEstimator):
    """Labels for the nodes of graphs: pixels of images, trees, networks.

    The score of a labelling is the sum, over nodes, of features weighted by label, with a constant;
    and over edges, of features weighted by the labels of both ends. X is a list of :class:`Graph`:
    :func:`grid_graph` makes them of images, and ``Graph.from_networkx`` of networks. y is a list of
    sequences with a label for each node, of any sortable kind. Outputs that are
    :class:`WeightedLabels` give each node a loss of its own.

    The inference is chosen for the graphs, the number of labels and the weights, and reported as
    ``inference_`` and to the log. ``result_.guarantee`` says what it proves about the optimum.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    attractive : bool, default=False
        Keep the weights of edges attractive: an edge then costs a score if its labels differ, one
        weight for each feature, at least 0. Features of edges must not be negative. With two labels
        inference is then exact, and much faster than the relaxation.
    directed : bool, default=False
        Whether the weights of two labels depend on which of them an edge leads to. Edges [0, 1]
        and [1, 0] may then both be there.
    inference : {'auto', 'tree', 'flow', 'relaxation', 'expansion'}, default='auto'
        The search of :class:`GraphLabelling`. 'auto' is 'tree' where no graph has a cycle, else
        'flow' for two labels and attractive weights, else 'relaxation' for two labels, which is a
        minimum cut too, and 'expansion' for more.
    class_weight : dict or 'balanced', optional
        The loss of getting a label wrong, by true label; 1 by default.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack of a graph in the objective of :mod:`structsvm.objective`, > 0.
        'auto' is n for n graphs, or n the sum of their weights. 'cv' chooses it by
        cross-validation: see ``cv_scores_``.
    rtol : float, optional
        Stop when the gap is at most ``rtol`` times the primal value, >= 0 and < 1. Default with
        ``solver='auto'``: 0.01.

    Attributes
    ----------
    inference_ : str
        The inference that is used, as ``inference`` names it.
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    coef_ : ndarray of shape (k, n_features)
        The weight of each feature of a node for each label.
    intercept_ : ndarray of shape (k,)
        The weight of each label.
    pairwise_ : ndarray of shape (n_edge_features, k, k)
        The weight of each feature of an edge for each pair of labels.
    n_features_in_ : int
        The number of features of a node.
    feature_names_in_ : ndarray of str
        Their names, if the features of the first graph are a DataFrame with column names.
    scale_ : ndarray of shape (n_features,)
        The numbers that the features of nodes are divided by.
    edge_scale_ : ndarray of shape (n_edge_features,)
        Likewise; from the features of edges no means are subtracted.
    w_ : ndarray of shape (size_joint_feature,)
        The weights for the scaled features.

    Examples
    --------
    Two halves of an image with noise, and a pixel's neighbours.

    >>> import numpy as np
    >>> from structsvm.problems import GraphSVM, grid_graph
    >>> rng = np.random.default_rng(0)
    >>> masks = [np.arange(64).reshape(8, 8) % 8 < cut for cut in (2, 4, 6, 5)]
    >>> X = [grid_graph(mask[:, :, None] + rng.normal(size=(8, 8, 1))) for mask in masks]
    >>> y = [np.where(mask.ravel(), "left", "right") for mask in masks]
    >>> svm = GraphSVM(attractive=True).fit(X[:3], y[:3])
    >>> svm.inference_
    'flow'
    >>> svm.score(X[3:], y[3:]) > 0.9
    True
    """

    about = About(
        "Graphs, matchings, decisions",
        "a label for each node of a graph: pixels, pages with links",
        X="a list of `Graph`, with features and edges", y="a label for each node", page="graphs.md",
        score="right nodes. Join the arrays for `jaccard_score` (mean IoU) and others",
    )  # fmt: skip

    attractive: bool = False
    directed: bool = False
    inference: Inference | Auto = "auto"
    class_weight: ClassWeight = None
    C: float | ChoiceOfC = "auto"

    #: Smaller gaps change hardly a prediction.
    default_rtol = 1e-2

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """The labelling of highest score for every graph, as arrays of labels.

        The score is certain to be the highest if ``inference_`` is 'tree' or 'flow'. With 'tree'
        a graph with a cycle raises a ValueError.
        """
        return list(super().predict(X))

    def predict_relaxed(self, X: Any) -> list[Relaxed]:
        """The linear relaxation of every graph: pseudomarginals, and the nodes of integral label.

        Returns
        -------
        list of Relaxed
            ``nodes`` of shape (n_nodes, k), ``edges`` of shape (n_edges, k, k), and ``persistent``,
            the nodes with an integral label: for two labels some optimal labelling agrees there.
        """
        relaxed: list[Relaxed] = self._of_all(X, lambda x: self.problem_.task(x).relaxed(self.w_))
        return relaxed

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The fraction of the nodes of all graphs with the right label.

        Labels that were not trained on count as wrong, with a warning that counts them.

        Parameters
        ----------
        X : sequence of n graphs
        y : sequence of n sequences of labels
        sample_weight : array-like of shape (n,), optional
            Weights of the graphs; their nodes have the same.

        Returns
        -------
        float
        """
        X, y = listed(X), listed(y)
        require_graphs(X)
        weights = checked_sample_weight(sample_weight, require_examples(X, y=y))
        require_same_indices(y, [x.features for x in X])
        found = self.predict(X)
        sizes = np.array([len(part) for part in found])
        labels = flat_labels(sizes, y, "y")
        right = trained_on(labels, self.classes_) & (np.concatenate(found) == labels)
        return float(np.average(right, weights=np.repeat(weights, sizes)))

    # ------------------------------------------------------------------ inside

    def _require_parameters(self) -> None:
        super()._require_parameters()
        for name in ("attractive", "directed"):
            require_flag(name, getattr(self, name))
        if self.attractive and self.directed:
            raise ValueError("attractive weights have no direction; set directed=False")
        if self.inference == "flow" and not self.attractive:
            raise ValueError("inference='flow' needs attractive weights; set attractive=True")
        known = ("auto", *get_args(Inference))
        if not isinstance(self.inference, str) or self.inference not in known:
            raise ValueError(f"inference must be one of {known}; got {self.inference!r}")

    def _take_names(self, width: int) -> None:
        """Set the number of columns of X, and their names where they are text."""
        self.n_features_in_, columns = width, self._tables.get("X.features")
        vars(self).pop("feature_names_in_", None)
        if columns is not None and all(isinstance(name, str) for name in columns.names):
            self.feature_names_in_ = np.array(columns.names, dtype=object)

    def _learned(self, X: Any, y: Any, sample_weight: Any) -> Encoded:
        X, y = listed(X), listed(y)
        require_graphs(X)
        require_outputs(type(self).__name__, y, "y")
        require_examples(X, y=y)
        require_same_indices(y, [x.features for x in X])
        graphs = Graphs.of(arrays_in(self, "X", X, reset=True), self.directed)
        warn_of_columns(X)
        self._described = edges_are_described(X)
        self._take_names(graphs.widths[0])
        self._widths = graphs.widths
        k = len(Labels(flat_labels(graphs.nodes.sizes, y, "y")))
        weights = checked_sample_weight(sample_weight, len(graphs))
        scaled = self._scales_columns()
        self._scales = Scales.learned(graphs, weights) if scaled else Scales.none(graphs, weights)
        self.scale_, self.edge_scale_ = (part.sizes for part in self._scales)
        self.inference_ = self.inference
        if self.inference == "auto":
            self.inference_ = choose_inference(graphs, k, self.attractive)
        return Encoded(self._scales.applied(graphs), y, weights, graphs.nodes.values)

    def _encoded(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        graphs, y = self._scales.applied(self._same_kind(X)), listed(y)
        require_same_indices(y, [x.features for x in listed(X)])
        return Encoded(graphs, y, checked_sample_weight(sample_weight, len(graphs)))

    def _automatic_C(self, data: Encoded) -> float:
        return C_OF_A_GRAPH * float(data.weights.sum()) / (self._scales.nodes.square or 1.0)

    def _problem(self) -> GraphLabelling:
        inference: Any = self.inference_
        if self.attractive:
            return AttractiveGraphLabelling(inference, self.class_weight)
        if inference == "tree":
            return TreeLabelling(self.directed, self.class_weight)
        return GraphLabelling(inference, self.directed, self.class_weight)

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        choice = super()._choice(problem, X, Y)
        if SmoothedLBFGS.requires.are_met(problem) or len(X) > FEW:
            return choice
        # Each pass takes a search in every graph, and a few planes for each are little to keep.
        solver = NSlackCuttingPlane(rtol=choice.solver.rtol)
        return Choice(solver, f"{len(X)} graphs are few, and searches in them take long")

    def _first_w(self, data: Encoded, solver: Solver) -> Vector | None:
        """Weights trained without edges: a run that a limit ends early is no worse than these."""
        if self.inference_ == "tree" or solver is self.solver:
            return None
        began, limit = time.perf_counter(), solver.time_limit
        if limit is not None:
            require_number("time_limit", limit, "> 0")
        problem = TreeLabelling(self.directed, self.class_weight)
        result = SmoothedLBFGS(rtol=self.default_rtol).solve(
            problem, data.X.without_edges(), data.Y, self.C_, sample_weight=data.weights, copy=False
        )
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if limit is not None:
            left = limit - (time.perf_counter() - began)
            solver.set_params(time_limit=max(left, np.finfo(float).tiny))
        nodes, _ = problem.layout_.split(result.w)
        k, d = nodes.shape
        layout = WeightLayout(k, d, data.X.widths[1], self._problem().pairs)
        return np.append(nodes, np.zeros(layout.size - nodes.size))

    def _same_kind(self, X: Any) -> Graphs:
        """Graphs packed; a ValueError unless features and inference are as in the fit."""
        X = listed(X)
        require_graphs(X)
        graphs = Graphs.of(arrays_in(self, "X", X, reset=False), self.directed)
        expected = self._widths
        if graphs.widths != expected:
            raise ValueError(
                f"X has {graphs.widths[0]} features of a node and {graphs.widths[1]} of an edge; "
                f"expected {expected[0]} and {expected[1]}, as in training"
            )
        edges_are_described(X, getattr(self, "_described", None))  # an older archive has none
        if self.inference_ == "tree":
            graphs.require_forest()
        return graphs

    def _layout(self, problem: Any) -> dict[str, Any]:
        return {"labels": problem.classes_.tolist()} | super()._layout(problem)

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        return self._changed(w, problem, ColumnScales.given)

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return self._changed(weights, problem, ColumnScales.trained)

    def _changed(self, w: Vector, problem: Any, change: Callable[..., Vector]) -> Vector:
        parts = zip(self._scales, problem.layout_.split(w), strict=True)
        return np.concatenate([change(scales, part).ravel() for scales, part in parts])

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        of_nodes, of_edges = problem.layout_.split(self.w_)
        self.classes_: NDArray[Any] = problem.classes_
        nodes, edges = self._scales
        self.coef_, self.intercept_ = nodes.parts(nodes.given(of_nodes))
        self.pairwise_: Vector = problem.layout_.pairwise(edges.given(of_edges).T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
