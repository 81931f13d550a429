"""Multi-label classification as a structured problem: an output is a set of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import require_examples
from structsvm.data.matrices import require_matrix
from structsvm.data.validation import require_number
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.rows import as_row
from structsvm.problems.graphs.inference import is_forest
from structsvm.problems.label_sets.enumeration import Enumeration, all_label_sets
from structsvm.problems.label_sets.f1 import IndependentF1
from structsvm.problems.label_sets.flow import Cut, LinearRelaxation
from structsvm.problems.label_sets.forest import LabelForest
from structsvm.problems.label_sets.indicators import checked_indicators
from structsvm.problems.label_sets.losses import Cost, LabelCosts, checked_costs, f1_losses
from structsvm.problems.label_sets.structure import FEW_LABELS, Structure, label_edges
from structsvm.problems.label_sets.task import LabelSetTask

#: How oracles search, by name.
INFERENCE: dict[str, Callable[..., Any]] = {
    "forest": LabelForest,
    "enumeration": Enumeration,
    "counts": IndependentF1,
    "cut": Cut,
    "relaxation": LinearRelaxation,
}


class LabelSet(SoftByTask):
    """Multi-label classification: scores for labels, and for pairs of them that occur together.

    X is an array or a scipy.sparse CSR matrix of shape (n, d), Y an indicator matrix of shape
    (n, n_labels), 1 where an example has a label and else 0; an output is a row of it. Psi(x, y)
    is x for each label of y, and ``pair_scale`` for each edge of a graph over the labels that has
    both ends in y: w is the (n_labels, d) matrix of label weights, flattened, and the weights of
    the m edges. No feature is constant: append one to X for an intercept.

    All oracles are exact. Where the graph is a forest they eliminate its leaves; a forest need not
    be connected. A graph with cycles takes the scores of all 2^n_labels sets, for at most 14
    labels; :class:`RelaxedLabelSet` and :class:`AttractiveLabelSet` take more. With a float32 X the
    scores are in float32.

    Parameters
    ----------
    structure : {'auto', 'independent', 'tree', 'pairs'}, networkx graph or sequence of pairs, \
            default='auto'
        The graph over the labels: 'independent', no edges; 'tree', the spanning tree of largest
        mutual information in Y (Chow & Liu 1968); 'pairs', all edges; or edges between the numbers
        of columns of Y. 'auto' is 'pairs' for at most 14 labels, else 'tree'.
    cost : 'hamming', 'f1' or array-like of shape (n_labels,) or (n_labels, 2), default='hamming'
        The loss. 'hamming' is the fraction of labels that are wrong. An array holds the costs of
        getting labels wrong, or of missing them and of predicting them where they are not; the loss
        is their mean over the labels. 'f1' is 1 - F1 of the example, where F1 of two empty sets is
        1; it needs a graph without edges, or at most 14 labels.
    pair_scale : float, default=1.0
        The joint feature of an edge, > 0. The larger it is, the less its weight costs.

    Attributes
    ----------
    edges_ : ndarray of shape (m, 2)
        The edges of the graph, as numbers of columns of Y.
    inference_ : {'forest', 'enumeration', 'counts'}
        How the oracles search; 'counts' is for F1 without edges.
    n_labels_, n_features_ : int
        Number of columns of Y and of X.
    max_loss : float
        The largest value of the loss.

    References
    ----------
    Finley & Joachims, Training Structural SVMs when Exact Inference is Intractable, ICML 2008,
    section 4: 'pairs', with one weight for each pair as here, and features of x for the labels.

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
        self.costs_ = self._label_costs()
        self.max_loss = 1.0 if self.costs_ is None else self.costs_.largest
        self.edges_ = label_edges(self.structure, indicators, range(self.n_labels_))
        self.inference_ = self._chosen_inference()
        self.search_: Any = INFERENCE[self.inference_](self.edges_, self.n_labels_)
        self.size_joint_feature = self.n_labels_ * self.n_features_ + len(self.edges_)
        numbers = X.nnz if sparse.issparse(X) else X.size
        self.work = self.n_labels_ * numbers / X.shape[0] + self.search_.work

    def task(self, X: Any, Y: Any = None) -> LabelSetTask:
        return LabelSetTask(self, X, Y)

    def one(self, x: Any) -> Any:
        return as_row(x)

    def labelled(self, Y: Any) -> Any:
        """The label sets as an array of int8, as the task reads them."""
        return checked_indicators(Y, self.n_labels_)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        labels, pairs = self.parts(np.asarray(y)[None])
        pairs = self.pair_scale * pairs
        if sparse.issparse(x):
            of_labels = sparse.kron(labels, as_row(x))
            return sparse.hstack([of_labels, pairs], format="csr")
        return np.concatenate([np.outer(labels, as_row(x)).ravel(), pairs[0]])

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.losses(np.asarray(y)[None], [y_hat])[0])

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        _, found = self.task_of_one(x, y).distribution(w, mu, np.ones(1))
        return (found.labels[0] - np.asarray(y)) @ self.split(w)[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        return iter(all_label_sets(self.n_labels_))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Thirty rows of four numbers with three labels; the last label needs the first."""
        rng = np.random.default_rng(0)
        Y = rng.integers(2, size=(30, 3))
        Y[:, 2] &= Y[:, 0]
        return np.hstack([Y + 0.5 * rng.normal(size=Y.shape), np.ones((30, 1))]), Y

    # ------------------------------------------------------------------ for the task

    def losses(self, Y: Any, Y_hat: Any) -> Vector:
        """The losses of n label sets, shape (n,)."""
        (true, _), (found, _) = self.parts(Y), self.parts(Y_hat)
        return f1_losses(true, found) if self.costs_ is None else self.costs_.of(true, found)

    def parts(self, Y: Any) -> tuple[Vector, Vector]:
        """Labels, shape (n, n_labels), and edges with both labels, shape (n, m)."""
        labels = np.asarray(Y, dtype=np.float64)
        return labels, self.both(labels)

    def both(self, labels: Any) -> Any:
        """Whether both labels of each edge are in each label set, shape (n, m)."""
        a, b = self.edges_.T
        return labels[:, a] * labels[:, b]

    def split(self, w: Vector) -> tuple[Vector, Vector]:
        """The weights of labels, a row for each, and of edges."""
        labels, pairs = np.split(w, [len(w) - len(self.edges_)])
        return labels.reshape(self.n_labels_, -1), pairs

    # ------------------------------------------------------------------ inside

    def _label_costs(self) -> LabelCosts | None:
        """The costs of labels; None for F1."""
        if isinstance(self.cost, str):
            if self.cost not in ("hamming", "f1"):
                raise ValueError(f"cost must be 'hamming', 'f1' or an array; got {self.cost!r}")
            return None if self.cost == "f1" else LabelCosts(np.ones(self.n_labels_))
        return LabelCosts(checked_costs(self.cost, self.n_labels_))

    def _chosen_inference(self) -> str:
        """The name of the inference for these edges and this loss."""
        if self.costs_ is None and not len(self.edges_):
            return "counts"
        if self.costs_ is not None and is_forest(self.n_labels_, self.edges_):
            return "forest"
        if self.n_labels_ <= FEW_LABELS:
            return "enumeration"
        if self.costs_ is None:
            raise ValueError(
                f"cost='f1' with edges between labels enumerates the label sets, of at most "
                f"{FEW_LABELS} labels; there are {self.n_labels_}: set structure='independent'"
            )
        raise ValueError(
            f"a graph with cycles over {self.n_labels_} labels has too many label sets, more than "
            f"2^{FEW_LABELS}; use RelaxedLabelSet, or structure='tree'"
        )
