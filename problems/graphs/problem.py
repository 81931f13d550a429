"""Labelling the nodes of graphs as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from structsvm.contract.problem import OracleQuality, Problem
from structsvm.data.arrays import Vector
from structsvm.data.choices import ClassWeight
from structsvm.data.ragged import Ragged
from structsvm.data.validation import require_flag, require_option
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.weighted_labels import flat_labels
from structsvm.problems.graphs.graph import Graph
from structsvm.problems.graphs.inference import ROUNDOFF, Relaxed, expanded, relaxed
from structsvm.problems.graphs.joint_feature import Pairs, Votes, WeightLayout
from structsvm.problems.graphs.labels import Labellings, marginals_of, pair_marginals_of
from structsvm.problems.graphs.packed import Graphs, edges_are_described

Inference = Literal["tree", "flow", "relaxation", "expansion"]

#: How well each kind of inference solves the separation problem.
QUALITIES: dict[Inference, OracleQuality] = {
    "tree": "exact",
    "flow": "exact",
    "relaxation": "overgenerating",
    "expansion": "undergenerating",
}


@dataclass(eq=False, repr=False)
class GraphLabelling(Problem):
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
        known = self._labellings(Y, graphs)
        weights = None if known.weights is None else known.weights.values
        self.class_weight_ = checked_class_weight(
            self.class_weight, known.codes.values, self.classes_, weights
        )
        rows, edges = graphs.nodes.values, graphs.edges.values
        self.layout_ = WeightLayout(k, rows.shape[1], edges.shape[1], self.pairs)
        self.size_joint_feature = self.layout_.size
        numbers = rows.nnz if sparse.issparse(rows) else rows.size
        self.work = float(k * numbers + k * k * edges.size) / len(graphs)

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        graphs = self._graphs(X)
        return graphs, None if Y is None else self._labellings(Y, graphs)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        graphs = self._graphs([x])
        rows = self.layout_.rows(graphs, self._votes(graphs, [y]))
        return rows if sparse.issparse(rows) else rows[0]

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Any:
        rows = self.batch_joint_feature_difference([x], [y], [y_hat])
        return rows if sparse.issparse(rows) else rows[0]

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.batch_loss([y], [y_hat])[0])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle([x], [y], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode([x], w)[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        n_nodes = len(self._graphs([x]).nodes.owner)
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

    # ------------------------------------------------------------------ all examples at once

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        graphs = self._graphs(X)
        known = self._labellings(Y, graphs)
        unary, of_entries = self.layout_.scores(graphs, w)
        # Every label but the true one scores more by the loss of the node.
        unary[np.arange(len(unary)), known.codes.values] -= self._losses(known)
        if self.inference == "relaxation":
            # Labels take less memory than marginals that are whole.
            return [
                self.classes_[y.nodes.argmax(axis=1)] if y.persistent.all() else y
                for y in self._solutions(graphs, unary, of_entries)
            ]
        return self._best(graphs, unary, of_entries)

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        graphs = self._graphs(X)
        unary, of_entries = self.layout_.scores(graphs, w)
        if self.inference != "relaxation":
            return self._best(graphs, unary, of_entries)
        pairwise = self.layout_.pairwise(of_entries)
        start = relaxed(unary, graphs.joined, pairwise).nodes.argmax(axis=1)
        return self._found(graphs, expanded(unary, graphs.joined, pairwise, start))

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        if not isinstance(Y, Labellings):
            sizes = np.array([len(Y[i]) for i in range(len(Y))])
            Y = Labellings.of(Y, sizes, self._labels)
        codes, sizes = Y.codes.values, Y.codes.sizes
        if isinstance(Y_hat, Labellings):
            wrong = (codes != Y_hat.codes.values).astype(np.float64)
        else:
            wrong = 1 - marginals_of(Y_hat, sizes, self._labels)[np.arange(len(codes)), codes]
        return np.add.reduceat(wrong * self._losses(Y), Y.codes.starts[:-1])

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        graphs = self._graphs(X)
        return self.layout_.rows(graphs, self._differences(graphs, Y, Y_hat))

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        graphs = self._graphs(X)
        votes = self._differences(graphs, Y, Y_hat)
        return self.layout_.sum(graphs, votes, np.asarray(weights))

    def relaxed(self, X: Any, w: Vector) -> list[Relaxed]:
        """The linear relaxation of every graph, whatever the inference."""
        graphs = self._graphs(X)
        unary, of_entries = self.layout_.scores(graphs, w)
        return self._solutions(graphs, unary, of_entries)

    # ------------------------------------------------------------------ inside

    def _require_parameters(self) -> None:
        require_flag("directed", self.directed)
        require_option("inference", self.inference, get_args(Inference))

    def _require_labels(self, k: int) -> None:
        if self.inference == "flow":
            raise ValueError(
                "inference='flow' needs weights that attract: use AttractiveGraphLabelling"
            )

    def _graphs(self, X: Any) -> Graphs:
        """The inputs packed; raises a ValueError unless they have the features trained on."""
        if isinstance(X, list) and len(X) == 1 and isinstance(X[0], Graphs):
            return X[0]
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

    def _labellings(self, Y: Any, graphs: Graphs) -> Labellings:
        if isinstance(Y, Labellings) and Y.names is self.classes_:
            return Y
        if isinstance(Y, Labellings):
            codes = Ragged(self._labels.codes(Y.names)[Y.codes.values], Y.codes.sizes)
            return Labellings(codes, self.classes_, Y.weights)
        return Labellings.of(Y, graphs.nodes.sizes, self._labels)

    def _losses(self, known: Labellings) -> Vector:
        """The loss of getting each node wrong."""
        losses: Vector = self.class_weight_[known.codes.values]
        return losses if known.weights is None else losses * known.weights.values

    def _found(self, graphs: Graphs, codes: Any) -> Labellings:
        small = codes.astype(np.min_scalar_type(len(self.classes_)))
        return Labellings(Ragged(small, graphs.nodes.sizes), self.classes_)

    def _best(self, graphs: Graphs, unary: Vector, of_entries: Vector) -> Labellings:
        """Labellings of the highest score that the inference finds."""
        pairwise = self.layout_.pairwise(of_entries)
        if self.inference == "tree":
            return self._found(graphs, graphs.forest.maximum(unary, pairwise))
        return self._found(graphs, expanded(unary, graphs.joined, pairwise))

    def _solutions(self, graphs: Graphs, unary: Vector, of_entries: Vector) -> list[Relaxed]:
        """The solution of the relaxation for each graph."""
        found = relaxed(unary, graphs.joined, self.layout_.pairwise(of_entries))
        nodes = Ragged(found.nodes, graphs.nodes.sizes)
        edges = Ragged(found.edges, graphs.edges.sizes)
        return [Relaxed(nodes[i], edges[i]) for i in range(len(graphs))]

    def _votes(self, graphs: Graphs, outputs: Any) -> Votes:
        sizes = graphs.nodes.sizes
        nodes = marginals_of(outputs, sizes, self._labels)
        return self.layout_.votes(
            nodes, pair_marginals_of(outputs, sizes, graphs.ends, self._labels)
        )

    def _differences(self, graphs: Graphs, Y: Any, Y_hat: Any) -> Votes:
        """The votes of the true labels minus the votes of the labels found."""
        if not isinstance(Y_hat, Labellings) and any(isinstance(y, Relaxed) for y in Y_hat):
            true, found = self._votes(graphs, Y), self._votes(graphs, Y_hat)
            return true._replace(
                of_node=true.of_node - found.of_node, of_edge=true.of_edge - found.of_edge
            )
        codes, others = (self._labellings(y, graphs).codes.values for y in (Y, Y_hat))
        return self.layout_.difference(graphs, codes, others)
