"""Structured problems of labelling the nodes of graphs, including trees and attractive graphs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from structsvm.contract.constraints import WeightConstraints
from structsvm.contract.problem import OracleQuality, ScoreTerms
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import ClassWeight
from structsvm.data.ragged import Ragged
from structsvm.data.validation import require_flag, require_option
from structsvm.docstrings import documented
from structsvm.problems.by_task import ByTask, SoftByTask
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.weighted_labels import flat_labels
from structsvm.problems.graphs.data import Graphs, Labellings
from structsvm.problems.graphs.graph import Graph, grid_graph
from structsvm.problems.graphs.inference.relaxation import ROUNDOFF
from structsvm.problems.graphs.joint_feature import Pairs, WeightLayout
from structsvm.problems.graphs.task import GraphTask, TreeLabellingTask

Inference = Literal["tree", "flow", "relaxation", "expansion"]

#: Quality of each kind of inference as a separation oracle.
QUALITIES: dict[Inference, OracleQuality] = {
    "tree": "exact",
    "flow": "exact",
    "relaxation": "overgenerating",
    "expansion": "undergenerating",
}


@dataclass(eq=False, repr=False)
class GraphLabelling(ByTask):
    r"""Labels for the nodes of graphs: scores of labels at nodes, and of pairs of labels at edges.

    An input is a :class:`Graph`; graphs may differ in size. An output is a sequence with a label
    for each node. If the losses of nodes differ, an output is a :class:`WeightedLabels`. Labels may
    be of any sortable kind. With the features :math:`x_i` of nodes and :math:`x_{ij}` of edges,

    .. math::

        \langle w, \Psi(x, y) \rangle = \sum_i \langle u_{y_i}, x_i \rangle
        + \sum_{ij} \langle v_{y_i y_j}, x_{ij} \rangle

    where w holds the (k, d) matrix with the weights u of labels, followed by the matrix with the
    weights v of pairs of labels. Edges have no direction, so that :math:`v_{ab} = v_{ba}`. With
    ``directed``, an edge leads from its first node to its second node. The loss is the number of
    nodes with a wrong label, or the sum of the weights of these nodes.

    Parameters
    ----------
    inference : {'tree', 'flow', 'relaxation', 'expansion'}, default='relaxation'
        The search. 'tree' is exact, by max-product, if no graph has a cycle. 'relaxation'
        overgenerates, because the oracle solves the linear relaxation. A minimum cut solves the
        relaxation for two labels, and HiGHS for more labels. Predictions of 'relaxation' are
        rounded solutions, improved by the moves of 'expansion'. 'expansion' undergenerates: it
        makes alpha expansions and changes of single labels. 'flow' is for
        :class:`AttractiveGraphLabelling`.
    directed : bool, default=False
        Whether the score of a pair of labels depends on the direction of the edge.
    class_weight : dict or 'balanced', optional
        The loss of a wrong label at a node, for each true label; 1 by default. With 'balanced',
        losses are inversely proportional to the frequencies of the labels.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    class_weight_ : ndarray of shape (k,)
        The loss of a wrong label at a node, for each true label.
    layout_ : WeightLayout
        The order of the weights in w.

    References
    ----------
    Taskar, Guestrin & Koller, Max-Margin Markov Networks, NIPS 2003; Finley & Joachims, Training
    Structural SVMs when Exact Inference is Intractable, ICML 2008, for 'relaxation' and
    'expansion', which are not exact.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Graph, GraphLabelling
    >>> ring = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]
    >>> X = [Graph(np.array([[3.0], [-1.0], [3.0], [-3.0], [1.0], [-3.0]]), ring)]
    >>> svm = StructuredSVM(GraphLabelling()).fit(X, [["b", "b", "b", "a", "a", "a"]])
    >>> print(svm.predict(X)[0])
    ['b' 'b' 'b' 'a' 'a' 'a']
    """

    inference: Inference = "relaxation"
    directed: bool = False
    class_weight: ClassWeight = None
    _described: bool | None = field(default=None, init=False)

    oracle_cost = "expensive"

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        return QUALITIES.get(self.inference, "exact")

    @property
    def pairs(self) -> Pairs:
        """The kind of pairs of labels that have separate weights."""
        return "directed" if self.directed else "symmetric"

    @property
    def roundoff(self) -> float | None:  # type: ignore[override]
        return ROUNDOFF if self.inference == "relaxation" else None

    def initialize(self, X: Any, Y: Any) -> None:
        require_flag("directed", self.directed)
        require_option("inference", self.inference, get_args(Inference))
        if Y is None:
            raise ValueError(f"{type(self).__name__} needs the labels Y; it is None")
        graphs = X if isinstance(X, Graphs) else Graphs.of(X, self.directed)
        self._require(graphs)
        self._described = graphs.described
        sizes = graphs.nodes.sizes
        self._labels = Labels(Y.names if isinstance(Y, Labellings) else flat_labels(sizes, Y))
        self.classes_, k = self._labels.names, len(self._labels)
        if self.inference == "flow" and self.pairs != "attractive":
            raise ValueError(
                "inference='flow' needs weights that attract: use AttractiveGraphLabelling, or "
                "GraphSVM(attractive=True)"
            )
        if self.inference == "flow" and k > 2:
            raise ValueError(
                f"inference='flow' needs two labels; Y has {k}: use 'expansion' or 'relaxation'"
            )
        known = self.labellings(Y, sizes)
        weights = None if known.weights is None else known.weights.values
        counts = np.bincount(known.codes.values, weights, k).astype(np.float64)
        self.class_weight_ = checked_class_weight(self.class_weight, counts, self.classes_)
        rows, edges = graphs.nodes.values, graphs.edges.values
        self.layout_ = WeightLayout(k, *graphs.widths, self.pairs)
        self.size_joint_feature = self.layout_.size
        self.work = float(k * rows.size + k * k * edges.size) / len(graphs)

    def task(self, X: Any, Y: Any = None) -> GraphTask:
        return GraphTask(self, X, Y)

    # ------------------------------------------------------------------ one example

    def one(self, x: Any) -> Any:
        return x if isinstance(x, Graphs) else [x]

    def joint_feature(self, x: Any, y: Any) -> Any:
        graphs, layout = self.graphs(self.one(x)), self.layout_
        marginals = layout.marginals(graphs, self.labellings([y], graphs.nodes.sizes))
        rows = layout.rows(graphs, layout.votes(*marginals))
        return rows if sparse.issparse(rows) else rows[0]

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        graphs = self.graphs(self.one(x))
        positions = [*range(len(graphs.nodes.owner)), *map(tuple, graphs.joined.tolist())]
        labels = self.labellings([y], graphs.nodes.sizes)
        return ScoreTerms(positions, *self.layout_.terms(graphs, labels.codes.values), w)

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.losses(self.labellings([y], np.array([len(y)])), [y_hat])[0])

    def outputs(self, x: Any) -> Iterable[Any]:
        n_nodes = len(self.graphs(self.one(x)).nodes.owner)
        return (np.array(y) for y in product(self.classes_.tolist(), repeat=n_nodes))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return twelve labelled graphs; each is a ring of nodes with one node attached to it."""
        rng = np.random.default_rng(0)
        X, Y = [], []
        for n in 3 + np.arange(12) % 3:
            edges = [*((i, (i + 1) % n) for i in range(n)), (0, n)]
            y = np.sort(rng.integers(3, size=n + 1))
            X.append(Graph(np.eye(3)[y] + 0.7 * rng.normal(size=(n + 1, 3)), edges))
            Y.append(np.array(["high", "low", "mid"])[y])
        return X, Y

    # ------------------------------------------------------------------ containers

    def graphs(self, X: Any) -> Graphs:
        """Check the graphs ``X`` and pack them into one container."""
        described, widths = self._described, (self.layout_.d, self.layout_.p)
        graphs = X if isinstance(X, Graphs) else Graphs.of(X, self.directed, widths, described)
        self._require(graphs)
        return graphs

    def labellings(self, Y: Any, sizes: Indices) -> Labellings:
        """Pack the labels of graphs into one container; ``sizes`` holds the numbers of nodes."""
        if not isinstance(Y, Labellings):
            return Labellings.of(Y, sizes, self._labels)
        if Y.names is self.classes_:
            return Y
        codes = Ragged(self._labels.codes(Y.names)[Y.codes.values], Y.codes.sizes)
        return Y.with_fields(codes=codes, names=self.classes_)

    def node_losses(self, known: Labellings) -> Vector:
        """Return the loss of a wrong label at each node."""
        losses: Vector = self.class_weight_[known.codes.values]
        return losses if known.weights is None else losses * known.weights.values

    def losses(self, known: Labellings, outputs: Any) -> Vector:
        """Return the losses of outputs, some of which may be relaxed, shape (n_graphs,)."""
        codes, found = known.codes.values, self.labellings(outputs, known.codes.sizes)
        wrong = (codes != found.codes.values).astype(np.float64)
        for i, y in found.fractions:
            rows = known.codes.rows(i)
            wrong[rows] = 1 - y.nodes[np.arange(len(y.nodes)), codes[rows]]
        return np.add.reduceat(wrong * self.node_losses(known), known.codes.starts[:-1])

    def _require(self, graphs: Graphs) -> None:
        """Raise a ValueError unless the search and the weights are suitable for the graphs."""
        if self.inference == "tree":
            graphs.require_forest()


@documented
class TreeLabelling(SoftByTask, GraphLabelling):
    """Labels for the nodes of graphs without cycles, with exact inference and a soft oracle.

    TreeLabelling is :class:`GraphLabelling` with ``inference='tree'``. A graph may consist of
    several trees, and have nodes without edges. The soft oracle is sum-product, and makes the
    smoothed solvers available.

    ``help`` also shows the inherited parameters and attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Graph, TreeLabelling
    >>> star = [[0, 1], [0, 2], [0, 3]]
    >>> X = [Graph(np.array([[0.0], [2.0], [1.0], [-1.0]]), star)]
    >>> svm = StructuredSVM(TreeLabelling()).fit(X, [[1, 1, 1, 0]])
    >>> print(svm.predict(X)[0])
    [1 1 1 0]
    """

    def __init__(self, directed: bool = False, class_weight: ClassWeight = None) -> None:
        super().__init__("tree", directed, class_weight)

    def task(self, X: Any, Y: Any = None) -> TreeLabellingTask:
        return TreeLabellingTask(self, X, Y)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return fifteen trees of one to five nodes; labels seldom change along an edge."""
        rng = np.random.default_rng(0)
        X, Y = [], []
        for n in 1 + np.arange(15) % 5:
            parents = [int(rng.integers(i)) for i in range(1, n)]
            y = rng.integers(3, size=n)
            for child, parent in enumerate(parents, 1):
                y[child] = y[parent] if rng.random() < 0.8 else y[child]
            edges = [(parent, child) for child, parent in enumerate(parents, 1)]
            X.append(Graph(np.eye(3)[y] + rng.normal(size=(n, 3)), edges))
            Y.append(y)
        return X, Y


@documented
class AttractiveGraphLabelling(GraphLabelling):
    """Labels for the nodes of graphs in which the labels of neighbours attract each other.

    The problem is a :class:`GraphLabelling` with one weight, at least 0, for each feature of an
    edge. The score of an edge is 0 if its nodes have the same label, and otherwise minus the sum of
    its features times the weights. Features of edges must not be negative. For two labels, a
    minimum cut makes the search exact.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    inference : {'flow', 'tree', 'relaxation', 'expansion'}, default='flow'
        The search. 'flow' is exact, for two labels; 'tree' is exact, by max-product, if no graph
        has a cycle. 'relaxation' solves the linear relaxation and rounds predictions; 'expansion'
        makes alpha expansions. For two labels, all searches find the same score. For more than two
        labels, alpha expansions may miss the highest score, by a bounded amount.

    References
    ----------
    Greig, Porteous & Seheult, Exact Maximum A Posteriori Estimation for Binary Images, JRSS B 51,
    1989; Boykov, Veksler & Zabih, IEEE TPAMI 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import AttractiveGraphLabelling, grid_graph
    >>> noise = np.random.default_rng(0).normal(size=(10, 10, 1))
    >>> half = np.where(np.arange(100).reshape(10, 10) % 10 < 5, 1, -1)
    >>> X, Y = [grid_graph(half[:, :, None] + noise)], [half.ravel()]
    >>> svm = StructuredSVM(AttractiveGraphLabelling()).fit(X, Y)
    >>> bool((svm.w_[-2:] > 0).all())
    True
    >>> int((X[0].features.ravel() * Y[0] < 0).sum()), int((svm.predict(X)[0] != Y[0]).sum())
    (22, 0)
    """

    pairs: Pairs = "attractive"

    def __init__(self, inference: Inference = "flow", class_weight: ClassWeight = None) -> None:
        super().__init__(inference, class_weight=class_weight)

    def constraints(self) -> WeightConstraints:
        layout = self.layout_
        sizes = [layout.k * layout.d, layout.n_entries * layout.p]
        return WeightConstraints(lower=np.repeat([-np.inf, 0.0], sizes))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return eight images of 3 x 3 pixels, each with a bright part."""
        rng = np.random.default_rng(0)
        Y = [(np.indices((3, 3))[i % 2].ravel() > i % 3 - 0.5).astype(int) for i in range(8)]
        noise = rng.normal(size=(8, 3, 3, 2))
        return [grid_graph(n + y.reshape(3, 3, 1)) for n, y in zip(noise, Y, strict=True)], Y

    def _require(self, graphs: Graphs) -> None:
        super()._require(graphs)
        negative = np.flatnonzero((graphs.edges.values < 0).any(axis=1))
        if len(negative):
            raise ValueError(
                f"X[{graphs.edges.owner[negative[0]]}] has a negative edge feature, with which "
                "neighbours might repel each other; give it as two features, of which one is 0"
            )
