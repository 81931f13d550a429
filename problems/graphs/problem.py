"""Labelling the nodes of graphs as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Vector
from structsvm.data.choices import ClassWeight
from structsvm.data.ragged import Ragged
from structsvm.data.validation import require_flag, require_option
from structsvm.problems.by_task import ByTask
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.weighted_labels import flat_labels
from structsvm.problems.graphs.graph import Graph
from structsvm.problems.graphs.inference import ROUNDOFF
from structsvm.problems.graphs.joint_feature import Pairs, Votes, WeightLayout
from structsvm.problems.graphs.labels import Labellings, marginals_of, pair_marginals_of
from structsvm.problems.graphs.packed import Graphs, edges_are_described
from structsvm.problems.graphs.task import GraphTask

Inference = Literal["tree", "flow", "relaxation", "expansion"]

#: How well each kind of inference solves the separation problem.
QUALITIES: dict[Inference, OracleQuality] = {
    "tree": "exact",
    "flow": "exact",
    "relaxation": "overgenerating",
    "expansion": "undergenerating",
}


@dataclass(eq=False, repr=False)
class GraphLabelling(ByTask):
    r"""Labels for the nodes of graphs: scores of labels at nodes, and of pairs of labels at edges.

    An input is a :class:`Graph`; graphs may differ in size. An output is a sequence of labels, one
    for each node; they may be of any sortable kind, and :class:`WeightedLabels` where nodes differ
    in their loss. With the features :math:`x_i` of nodes and :math:`x_{ij}` of edges,

    .. math::

        \langle w, \Psi(x, y) \rangle = \sum_i \langle u_{y_i}, x_i \rangle
        + \sum_{ij} \langle v_{y_i y_j}, x_{ij} \rangle

    where w is the (k, d) matrix of the u above the matrix of the v. An edge has no direction:
    :math:`v_{ab} = v_{ba}`; with ``directed`` it leads from the first node to the second. The loss
    is the number of nodes with a wrong label, or the sum of their weights.

    Parameters
    ----------
    inference : {'tree', 'flow', 'relaxation', 'expansion'}, default='relaxation'
        The search. 'tree' is exact, by max-product, where no graph has a cycle. 'relaxation'
        overgenerates: the oracle solves the linear relaxation, by a minimum cut for two labels, by
        HiGHS for more; predictions are rounded, and improved as by 'expansion'. 'expansion'
        undergenerates: alpha expansion, and changes of single labels. 'flow' is for
        :class:`AttractiveGraphLabelling`.
    directed : bool, default=False
        Whether the score of two labels depends on which of them an edge leads to.
    class_weight : dict or 'balanced', optional
        The loss of getting a label wrong, by true label; 1 by default. 'balanced' is inversely
        proportional to the frequencies.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    class_weight_ : ndarray of shape (k,)
        The loss of getting each label wrong.
    layout_ : WeightLayout
        The places of the weights in w.

    References
    ----------
    Taskar, Guestrin & Koller, Max-Margin Markov Networks, NIPS 2003; Finley & Joachims, Training
    Structural SVMs when Exact Inference is Intractable, ICML 2008, for the two kinds of inference
    that are not exact.

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

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        return QUALITIES.get(self.inference, "exact")

    @property
    def pairs(self) -> Pairs:
        """The pairs of labels that have a weight of their own."""
        return "directed" if self.directed else "symmetric"

    @property
    def roundoff(self) -> float | None:  # type: ignore[override]
        return ROUNDOFF if self.inference == "relaxation" else None

    def initialize(self, X: Any, Y: Any) -> None:
        self._require_parameters()
        if Y is None:
            raise ValueError(f"{type(self).__name__} needs the labels Y; it is None")
        graphs = X if isinstance(X, Graphs) else Graphs.of(X, self.directed)
        self._described = None if graphs is X else edges_are_described(X)
        if self.inference == "tree":
            graphs.require_forest()
        sizes = graphs.nodes.sizes
        names = Y.names if isinstance(Y, Labellings) else flat_labels(sizes, Y)
        self._labels = Labels(names)
        self.classes_, k = self._labels.names, len(self._labels)
        self._require_labels(k)
        known = self.labellings(Y, graphs)
        weights = None if known.weights is None else known.weights.values
        self.class_weight_ = checked_class_weight(
            self.class_weight, known.codes.values, self.classes_, weights
        )
        rows, edges = graphs.nodes.values, graphs.edges.values
        self.layout_ = WeightLayout(k, rows.shape[1], edges.shape[1], self.pairs)
        self.size_joint_feature = self.layout_.size
        numbers = rows.nnz if sparse.issparse(rows) else rows.size
        self.work = float(k * numbers + k * k * edges.size) / len(graphs)

    def task(self, X: Any, Y: Any = None) -> GraphTask:
        return GraphTask(self, X, Y)

    # ------------------------------------------------------------------ one example

    def one(self, x: Any) -> Any:
        return x if isinstance(x, Graphs) else [x]

    def joint_feature(self, x: Any, y: Any) -> Any:
        graphs = self.graphs(self.one(x))
        rows = self.layout_.rows(graphs, self.votes(graphs, [y]))
        return rows if sparse.issparse(rows) else rows[0]

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Any:
        rows = self.task(self.one(x), [y]).differences([y_hat], [0])
        return rows if sparse.issparse(rows) else rows[0]

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.losses(Labellings.of([y], np.array([len(y)]), self._labels), [y_hat])[0])

    def outputs(self, x: Any) -> Iterable[Any]:
        n_nodes = len(self.graphs(self.one(x)).nodes.owner)
        return (np.array(y) for y in product(self.classes_.tolist(), repeat=n_nodes))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Twelve rings of three to five nodes with a further one, and three labels."""
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
        """The inputs packed; raises a ValueError unless they have the features trained on."""
        if isinstance(X, Graphs):
            return X
        graphs, layout = Graphs.of(X, self.directed), self.layout_
        if graphs.widths != (layout.d, layout.p):
            raise ValueError(
                f"X has {graphs.widths[0]} features of a node and {graphs.widths[1]} of an edge; "
                f"expected {layout.d} and {layout.p}, as in training"
            )
        edges_are_described(X, getattr(self, "_described", None))  # an older archive has none
        if self.inference == "tree":
            graphs.require_forest()
        return graphs

    def labellings(self, Y: Any, graphs: Graphs) -> Labellings:
        """Labels of the graphs' nodes packed, with the codes of this problem."""
        if isinstance(Y, Labellings) and Y.names is self.classes_:
            return Y
        if isinstance(Y, Labellings):
            codes = Ragged(self._labels.codes(Y.names)[Y.codes.values], Y.codes.sizes)
            return Labellings(codes, self.classes_, Y.weights)
        return Labellings.of(Y, graphs.nodes.sizes, self._labels)

    def node_losses(self, known: Labellings) -> Vector:
        """The loss of getting each node wrong."""
        losses: Vector = self.class_weight_[known.codes.values]
        return losses if known.weights is None else losses * known.weights.values

    def losses(self, known: Labellings, outputs: Any) -> Vector:
        """The losses of outputs, some of which may be relaxed, shape (n_graphs,)."""
        codes, sizes = known.codes.values, known.codes.sizes
        if isinstance(outputs, Labellings):
            wrong = (codes != outputs.codes.values).astype(np.float64)
        else:
            wrong = 1 - marginals_of(outputs, sizes, self._labels)[np.arange(len(codes)), codes]
        return np.add.reduceat(wrong * self.node_losses(known), known.codes.starts[:-1])

    def votes(self, graphs: Graphs, outputs: Any) -> Votes:
        """The votes of outputs, some of which may be relaxed."""
        sizes = graphs.nodes.sizes
        nodes = marginals_of(outputs, sizes, self._labels)
        return self.layout_.votes(
            nodes, pair_marginals_of(outputs, sizes, graphs.ends, self._labels)
        )

    # ------------------------------------------------------------------ inside

    def _require_parameters(self) -> None:
        require_flag("directed", self.directed)
        require_option("inference", self.inference, get_args(Inference))

    def _require_labels(self, k: int) -> None:
        if self.inference == "flow":
            raise ValueError(
                "inference='flow' needs weights that attract: use AttractiveGraphLabelling"
            )
