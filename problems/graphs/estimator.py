"""The estimator of labels for the nodes of graphs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.declarations import require_outputs
from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto, ChoiceOfC, ClassWeight
from structsvm.data.columns import arrays_in
from structsvm.data.containers import listed, require_examples
from structsvm.data.conversion import require_same_indices
from structsvm.data.ragged import Ragged
from structsvm.data.validation import require_flag, require_number, require_option
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.classification.labels import trained_on
from structsvm.problems.classification.weighted_labels import flat_labels
from structsvm.problems.graphs.data import Graphs, require_graphs
from structsvm.problems.graphs.encoding import GraphEncoding
from structsvm.problems.graphs.inference.relaxation import Relaxed
from structsvm.problems.graphs.joint_feature import WeightLayout
from structsvm.problems.graphs.problem import (
    AttractiveGraphLabelling,
    GraphLabelling,
    Inference,
    TreeLabelling,
)
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.shared.solver import Solver

#: Default C per graph, if the mean of ||x||^2 is 1 over nodes and over edges.
C_OF_A_GRAPH = 1.0


def without_edges(graphs: Graphs) -> Graphs:
    """Return the graphs without their edges."""
    none = np.zeros(len(graphs), dtype=np.intp)
    ends, edges = (Ragged(part.values[:0], none) for part in (graphs.ends, graphs.edges))
    return graphs.with_fields(ends=ends, edges=edges)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class GraphSVM(StructuredEstimator):
    """Labels for the nodes of graphs, such as pixels of images or members of networks.

    The score of a labelling is a sum over nodes and edges. The score of a node is linear in the
    features of the node, with separate weights for each label. The score of an edge is linear in
    the features of the edge, with separate weights for each pair of labels. X is a list of
    :class:`Graph`, which :func:`grid_graph` makes from images, and ``Graph.from_networkx`` from
    networks. The target ``y`` is a list of sequences with a label for each node. Labels may be of
    any sortable kind. Outputs of class :class:`WeightedLabels` set the loss of each node.

    The inference method ``inference_`` depends on the graphs, the number of labels and
    ``attractive``. ``result_.guarantee`` says what the inference proves about the optimum.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    attractive : bool, default=False
        Whether edges attract equal labels. With ``attractive``, an edge whose ends have different
        labels subtracts from the score a sum of its features with weights >= 0. With
        ``attractive``, features of edges must not be negative. With ``attractive`` and two labels,
        inference is exact and much faster than the relaxation.
    directed : bool, default=False
        Whether the weights of a pair of labels depend on the direction of the edge. With
        ``directed``, a graph may have both edges [0, 1] and [1, 0].
    inference : {'auto', 'tree', 'flow', 'relaxation', 'expansion'}, default='auto'
        The search of :class:`GraphLabelling`. 'auto' is 'tree' if no graph has a cycle. For graphs
        with cycles and more than two labels, 'auto' is 'expansion'. For graphs with cycles and two
        labels, 'auto' is 'flow' with ``attractive``, and 'relaxation' without ``attractive``. For
        two labels, a minimum cut solves the relaxation.
    class_weight : dict or 'balanced', optional
        The loss of a wrong label at a node, for each true label; 1 by default.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack of a graph in the :mod:`structsvm.objective`, > 0. 'auto' is the
        sum of the weights of the graphs, by default their number. 'cv' chooses C by
        cross-validation: see ``cv_scores_``.
    scale : 'auto' or None, default='auto'
        Scaling of the features. 'auto' standardises the features of nodes and divides the features
        of edges by their root mean squares, so that units do not matter. A common factor makes the
        mean of ||x||^2 equal to 1. The scaling is a part of the model: ``coef_``, ``intercept_``
        and ``pairwise_`` are for unscaled features. With ``scale=None``, features are not scaled,
        and C='auto' is divided by the mean of ||x||^2 of the nodes.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default with ``solver='auto'``: 0.01.

    Attributes
    ----------
    inference_ : str
        The name of the inference that is used.
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    coef_ : ndarray of shape (k, n_features)
        The weight of each feature of a node for each label.
    intercept_ : ndarray of shape (k,)
        The weight of each label.
    pairwise_ : ndarray of shape (n_edge_features, k, k)
        The weight of each feature of an edge for each pair of labels.
    n_features_in_ : int
        Number of features of a node.
    feature_names_in_ : ndarray of str
        Names of the features of a node, if the first graph has a DataFrame with column names.
    scale_ : ndarray of shape (n_features,)
        The divisors of the features of nodes.
    edge_scale_ : ndarray of shape (n_edge_features,)
        The divisors of the features of edges, from which no means are subtracted.
    w_ : ndarray of shape (size_joint_feature,)
        The weights for the scaled features.

    Examples
    --------
    Images with two noisy halves, whose pixels are joined to their neighbours:

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
        score="nodes with the right label. Join the arrays for `jaccard_score` (mean IoU)",
    )  # fmt: skip

    attractive: bool = False
    directed: bool = False
    inference: Inference | Auto = "auto"
    class_weight: ClassWeight = None
    C: float | ChoiceOfC = "auto"
    scale: Auto | None = "auto"

    #: Smaller gaps hardly change any prediction.
    default_rtol = 1e-2

    _takes_matrix = False
    _requires_y = True

    if TYPE_CHECKING:  # attributes that the encoding learns
        n_features_in_: int = field(init=False)
        scale_: Vector = field(init=False)
        edge_scale_: Vector = field(init=False)
        inference_: str = field(init=False)

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """Return the labelling of highest score for every graph, as arrays of labels.

        The score is proved to be the highest if ``inference_`` is 'tree' or 'flow'. With 'tree', a
        graph with a cycle raises a ValueError.
        """
        return list(super().predict(X))

    def predict_relaxed(self, X: Any) -> list[Relaxed]:
        """Solve the linear relaxation for every graph, and return its pseudomarginals.

        Returns
        -------
        list of Relaxed
            ``nodes`` of shape (n_nodes, k), ``edges`` of shape (n_edges, k, k), and ``persistent``,
            a mask of the nodes with an integral label. With two labels, some optimal labelling has
            the same labels at all persistent nodes.
        """
        return list(self._of_all(X, lambda x: self.problem_.task(x).relaxed(self.w_)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the fraction of nodes of all graphs whose label is predicted correctly.

        Labels that did not occur in training count as wrong, and a warning states their number.

        Parameters
        ----------
        X : sequence of n graphs
        y : sequence of n sequences of labels
        sample_weight : array-like of shape (n,), optional
            Weights of the graphs. Each node has the weight of its graph.

        Returns
        -------
        float
        """
        check_is_fitted(self, "w_")
        graphs, y, weights, _ = self._encoded(X, y, sample_weight)
        require_examples(graphs, y=y)
        sizes = graphs.nodes.sizes
        labels = flat_labels(sizes, y, "y")
        found = np.concatenate(self._encoding.decoded(self._outputs(graphs)))
        right = trained_on(labels, self.classes_) & (found == labels)
        return float(np.average(right, weights=np.repeat(weights, sizes)))

    # ------------------------------------------------------------------ inside

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_flag("attractive", self.attractive)
        if self.attractive and self.directed:
            raise ValueError("attractive weights have no direction; set directed=False")
        require_option("inference", self.inference, ("auto", *get_args(Inference)))

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X, y = listed(X), listed(y)
        require_graphs(X)
        if reset:
            require_outputs(type(self).__name__, y, "y")
        if y is not None:
            require_examples(X, y=y)
        require_same_indices(y, [x.features for x in X])
        arrays = arrays_in(self, "X", X, reset=reset)
        if reset:
            vars(self).pop("feature_names_in_", None)
            columns = getattr(self, "_tables", {}).get("X.features")
            if columns is not None and all(isinstance(name, str) for name in columns.names):
                self.feature_names_in_ = np.array(columns.names, dtype=object)
        return arrays, y

    def _new_encoding(self) -> GraphEncoding:
        return GraphEncoding(self.scale, self.directed, self.attractive, self.inference)

    def _automatic_C(self, data: Encoded) -> float:
        return float(self._encoding.per_square(C_OF_A_GRAPH * float(data.weights.sum())))

    def _problem(self) -> GraphLabelling:
        inference: Any = self._encoding.inference
        if self.attractive:
            return AttractiveGraphLabelling(inference, self.class_weight)
        if inference == "tree":
            return TreeLabelling(self.directed, self.class_weight)
        return GraphLabelling(inference, self.directed, self.class_weight)

    def _first_w(self, problem: Any, data: Encoded, solver: Solver, C: float) -> Vector | None:
        """Train without edges, to give a good start to a fit that a limit may end early."""
        if problem.inference == "tree" or solver is self.solver:
            return None
        began, limit = time.perf_counter(), solver.time_limit
        if limit is not None:
            require_number("time_limit", limit, "> 0")
        alone = TreeLabelling(self.directed, self.class_weight)
        result = SmoothedLBFGS(rtol=self.default_rtol).solve(
            alone, without_edges(data.X), data.Y, C, sample_weight=data.weights, copy=False
        )
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if limit is not None:
            left = limit - (time.perf_counter() - began)
            solver.set_params(time_limit=max(left, np.finfo(float).tiny))
        nodes, _ = alone.layout_.split(result.w)
        layout = WeightLayout(len(nodes), data.X.widths[0], data.X.widths[1], problem.pairs)
        return np.append(nodes, np.zeros(layout.size - nodes.size))

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        of_nodes, of_edges = problem.layout_.split(self.w_)
        self.classes_: NDArray[Any] = problem.classes_
        nodes, edges = self._encoding.scales
        self.coef_, self.intercept_ = nodes.parts(nodes.given(of_nodes))
        self.pairwise_: Vector = problem.layout_.pairwise(edges.given(of_edges).T)
