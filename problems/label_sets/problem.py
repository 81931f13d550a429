"""Multi-label classification as a structured problem: an output is a set of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from structsvm.contract.constraints import WeightConstraints
from structsvm.data.arrays import Numbers, Vector
from structsvm.data.containers import require_examples
from structsvm.data.matrices import require_matrix
from structsvm.data.validation import require_number
from structsvm.docstrings import documented
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.rows import as_row
from structsvm.problems.graphs.inference.forest import is_forest
from structsvm.problems.label_sets.data import (
    FEW_LABELS,
    Cost,
    Structure,
    checked_indicators,
    f1_losses,
    label_costs,
    label_edges,
)
from structsvm.problems.label_sets.f1 import IndependentF1
from structsvm.problems.label_sets.search import (
    Cut,
    Enumeration,
    LabelForest,
    LinearRelaxation,
    all_label_sets,
)
from structsvm.problems.label_sets.task import LabelSetTask, LoopyTask, RelaxedTask

#: The searches of oracles, by name.
INFERENCE: dict[str, Callable[..., Any]] = {
    "forest": LabelForest,
    "enumeration": Enumeration,
    "counts": IndependentF1,
    "cut": Cut,
    "relaxation": LinearRelaxation,
}


def _f1_refused(found: str) -> ValueError:
    return ValueError(
        f"cost='f1' needs structure='independent', or at most {FEW_LABELS} labels, and "
        f"attractive=False; got {found}"
    )


class LabelSet(SoftByTask):
    """Multi-label classification: scores for labels, and for pairs of labels that occur together.

    X is an array or a scipy.sparse CSR matrix of shape (n, d). Y is an indicator matrix of shape
    (n, n_labels), with 1 if an example has a label and otherwise 0; an output is a row of Y. Psi(x,
    y) has a block of d entries for each label, which holds x if y has the label. For each edge of a
    graph over the labels, Psi(x, y) has an entry that equals ``pair_scale`` if y has both labels,
    otherwise 0. The weight vector w is the flattened (n_labels, d) matrix of label weights,
    followed by the weights of the m edges of the graph. The problem adds no intercept: append a
    constant column to X for it.

    All oracles are exact. If the graph is a forest, which need not be connected, the oracles
    eliminate its leaves. If the graph has cycles, the oracles score all label sets. With more than
    14 labels, use :class:`RelaxedLabelSet` or :class:`AttractiveLabelSet` for graphs with cycles.
    With a float32 X the scores are in float32.

    Parameters
    ----------
    structure : {'auto', 'independent', 'tree', 'pairs'}, networkx graph or sequence of pairs, \
            default='auto'
        The graph over the labels. 'independent' means no edges, and 'pairs' all edges. 'tree' means
        the spanning tree of largest mutual information in Y (Chow & Liu 1968). The nodes of a
        networkx graph, or of a sequence of edges, are column numbers of Y. 'auto' is 'pairs' for at
        most 14 labels, otherwise 'tree'.
    cost : 'hamming', 'f1' or array-like of shape (n_labels,) or (n_labels, 2), default='hamming'
        The loss. 'hamming' is the fraction of labels that are wrong. An array holds the cost of
        each label, and the loss is the sum of the costs of the wrong labels, divided by the number
        of labels. Two columns hold the costs of missing a label and of predicting it wrongly. 'f1'
        is 1 - F1 of the example, where F1 of two empty sets is 1. F1 needs a graph without edges,
        or at most 14 labels.
    pair_scale : float, default=1.0
        The value of the joint feature of an edge if both labels are in the set, > 0. With a larger
        ``pair_scale``, the weights of edges are penalised less.

    Attributes
    ----------
    edges_ : ndarray of shape (m, 2)
        The edges of the graph, as pairs of column numbers of Y.
    inference_ : {'forest', 'enumeration', 'counts'}
        The name of the search; 'counts' is for F1 without edges.
    n_labels_, n_features_ : int
        The number of labels, and the number of columns of X.
    max_loss : float
        The largest value of the loss.

    References
    ----------
    Finley & Joachims, Training Structural SVMs when Exact Inference is Intractable, ICML 2008:
    section 4 for ``structure='pairs'``.

    Examples
    --------
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import LabelSet
    >>> X, Y = LabelSet.example_data()
    >>> svm = StructuredSVM(LabelSet(structure="tree")).fit(X[:20], Y[:20])
    >>> svm.score(X[20:], Y[20:])
    0.833...
    >>> print(svm.problem_.edges_.tolist())
    [[0, 1], [0, 2]]
    """

    parallelism = "threads"

    def __init__(
        self, structure: Structure = "auto", cost: Cost = "hamming", pair_scale: float = 1.0
    ) -> None:
        self.structure = structure
        self.cost = cost
        self.pair_scale = pair_scale

    def initialize(self, X: Any, Y: Any) -> None:
        require_matrix(X)
        require_number("pair_scale", self.pair_scale, "> 0")
        if Y is None:
            raise ValueError(f"{type(self).__name__} needs the outputs Y; it is None")
        indicators = checked_indicators(Y)
        require_examples(X, Y=indicators)
        self.n_labels_, self.n_features_ = indicators.shape[1], X.shape[1]
        self.costs_ = label_costs(self.cost, self.n_labels_)
        self.max_loss = 1.0 if self.costs_ is None else self.costs_.largest
        self.edges_ = label_edges(self.structure, indicators, range(self.n_labels_))
        self.inference_ = self._chosen_inference()
        self.search_: Any = INFERENCE[self.inference_](self.edges_, self.n_labels_)
        self.size_joint_feature = self.n_labels_ * self.n_features_ + len(self.edges_)
        self.work = self.n_labels_ * X.size / X.shape[0] + self.search_.work

    def task(self, X: Any, Y: Any = None) -> LabelSetTask:
        return LabelSetTask(self, X, Y)

    def one(self, x: Any) -> Any:
        return as_row(x)

    def labelled(self, Y: Any) -> Any:
        """Return the label sets as an array of int8, as the task reads them."""
        return checked_indicators(Y, self.n_labels_)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        no_labels = np.zeros((1, self.n_labels_))
        row = -self.task(self.one(x), no_labels).differences(np.asarray(y)[None], [0])
        return row if sparse.issparse(row) else row[0]

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.losses(np.asarray(y)[None], [y_hat])[0])

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``soft_oracle(x, y, w, mu).value`` with respect to x.

        Returns
        -------
        ndarray of the shape of x
        """
        _, found = self.task_of_one(x, y).distribution(w, mu, np.ones(1))
        return (found.labels[0] - np.asarray(y)) @ self.split(w)[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        yield from all_label_sets(self.n_labels_)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return thirty rows of four numbers and three labels; the last label implies the first."""
        rng = np.random.default_rng(0)
        Y = rng.integers(2, size=(30, 3))
        Y[:, 2] &= Y[:, 0]
        return np.hstack([Y + 0.5 * rng.normal(size=Y.shape), np.ones((30, 1))]), Y

    # ------------------------------------------------------------------ for the task

    def losses(self, Y: Any, Y_hat: Any) -> Vector:
        """Return the losses of n label sets, shape (n,)."""
        (true, _), (found, _) = self.parts(Y), self.parts(Y_hat)
        return f1_losses(true, found) if self.costs_ is None else self.costs_.of(true, found)

    def parts(self, Y: Any) -> tuple[Vector, Vector]:
        """Return indicators of the labels in each set, (n, n_labels), and of the edges, (n, m)."""
        labels, (a, b) = np.asarray(Y, dtype=np.float64), self.edges_.T
        return labels, labels[:, a] * labels[:, b]

    def split(self, w: Vector) -> tuple[Vector, Vector]:
        """Return the weights of labels, (n_labels, d), and the weights of edges, (m,)."""
        first = len(w) - len(self.edges_)
        return w[:first].reshape(self.n_labels_, -1), w[first:]

    # ------------------------------------------------------------------ inside

    def _chosen_inference(self) -> str:
        """Return the name of the inference for the edges and the loss of the problem."""
        if self.costs_ is None and not len(self.edges_):
            return "counts"
        if self.costs_ is not None and is_forest(self.n_labels_, self.edges_):
            return "forest"
        if self.n_labels_ <= FEW_LABELS:
            return "enumeration"
        if self.costs_ is None:
            raise _f1_refused(f"{len(self.edges_)} pairs and {self.n_labels_} labels")
        raise ValueError(
            f"a graph with cycles over {self.n_labels_} labels has too many label sets, more than "
            f"2^{FEW_LABELS}; use RelaxedLabelSet, or structure='tree'"
        )


class _LoopyLabelSet(LabelSet):
    """Base class for graphs with cycles, with neither a soft oracle nor the F1 loss.

    Parameters
    ----------
    structure : str, networkx graph or sequence of pairs, default='pairs'
        The graph over the labels. 'independent' means no edges, and 'pairs' all edges. 'tree' means
        the spanning tree of largest mutual information in Y (Chow & Liu 1968). The nodes of a
        networkx graph, or of a sequence of edges, are column numbers of Y.
    cost : 'hamming' or array-like of shape (n_labels,) or (n_labels, 2), default='hamming'
        The loss. 'hamming' is the fraction of labels that are wrong. An array holds the cost of
        each label, and the loss is the sum of the costs of the wrong labels, divided by the number
        of labels. Two columns hold the costs of missing a label and of predicting it wrongly.
    """

    # The log-partition function of a graph with cycles is not available.
    soft_oracle = soft_input_gradient = None  # type: ignore[assignment]
    _inference: str

    def __init__(
        self,
        structure: Structure = "pairs",
        cost: Literal["hamming"] | Numbers = "hamming",
        pair_scale: float = 1.0,
    ) -> None:
        super().__init__(structure, cost, pair_scale)

    def task(self, X: Any, Y: Any = None) -> LoopyTask:
        return LoopyTask(self, X, Y)

    def _chosen_inference(self) -> str:
        if self.costs_ is None:
            raise _f1_refused(f"{type(self).__name__} with {self.n_labels_} labels")
        return self._inference


@documented
class RelaxedLabelSet(_LoopyLabelSet):
    """Multi-label classification by a relaxation, for graphs with cycles over any number of labels.

    Inputs, outputs and joint features are as in :class:`LabelSet`. The separation oracle
    overgenerates: by a maximum flow it solves the linear relaxation, in which labels may be 1/2.
    Predictions round the relaxation, and then change single labels while changes raise the score.

    ``help`` also shows the inherited parameters and attributes.

    Attributes
    ----------
    inference_ : str
        The search, always 'relaxation'.

    References
    ----------
    Finley & Joachims, Training Structural SVMs when Exact Inference is Intractable, ICML 2008.
    Finley & Joachims also solve the relaxation.

    Examples
    --------
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import RelaxedLabelSet
    >>> X, Y = RelaxedLabelSet.example_data()
    >>> svm = StructuredSVM(RelaxedLabelSet()).fit(X[:20], Y[:20])
    >>> svm.score(X[20:], Y[20:])
    0.8
    """

    oracle_quality = "overgenerating"
    oracle_cost = "expensive"
    _inference = "relaxation"

    def task(self, X: Any, Y: Any = None) -> RelaxedTask:
        return RelaxedTask(self, X, Y)

    def parts(self, Y: Any) -> tuple[Vector, Vector]:
        labels, edges = np.split(np.asarray(Y, dtype=np.float64), [self.n_labels_], axis=1)
        # The relaxation has values for edges; for label sets these follow from the labels.
        return (labels, edges) if edges.size else super().parts(labels)


@documented
class AttractiveLabelSet(_LoopyLabelSet):
    """Multi-label classification with labels that support each other, by exact minimum cuts.

    Inputs, outputs and joint features are as in :class:`LabelSet`, for any graph over any number of
    labels. The weights of edges are at least 0, so that labels do not exclude each other.

    ``help`` also shows the inherited parameters and attributes.

    Attributes
    ----------
    inference_ : str
        The search, always 'cut'.

    References
    ----------
    Taskar, Chatalbashev & Koller, Learning Associative Markov Networks, ICML 2004.

    Examples
    --------
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import AttractiveLabelSet
    >>> X, Y = AttractiveLabelSet.example_data()
    >>> svm = StructuredSVM(AttractiveLabelSet()).fit(X[:20], Y[:20])
    >>> svm.score(X[20:], Y[20:])
    0.833...
    >>> print(svm.w_[-3:].min())
    0.0
    """

    _inference = "cut"

    def constraints(self) -> WeightConstraints:
        bounds = np.full(self.size_joint_feature, -np.inf)
        bounds[self.n_labels_ * self.n_features_ :] = 0
        return WeightConstraints(lower=bounds)
