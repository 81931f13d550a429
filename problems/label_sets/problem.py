"""Multi-label classification as a structured problem: an output is a set of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.minibatches import MiniBatch
from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import Axes, SoftOutput, SoftSum
from structsvm.data.arrays import Vector
from structsvm.data.containers import require_pairs
from structsvm.data.matrices import (
    columns_in_use,
    in_floats,
    product_dtype,
    require_matrix,
    weights_for,
)
from structsvm.data.validation import require_positive
from structsvm.problems.classification.curvature_axes import AxesBefore, feature_axes
from structsvm.problems.classification.products import combined, products, squared
from structsvm.problems.classification.rows import as_row
from structsvm.problems.graphs.inference import is_forest
from structsvm.problems.label_sets.enumeration import Enumeration, all_label_sets
from structsvm.problems.label_sets.f1 import IndependentF1
from structsvm.problems.label_sets.flow import Cut, LinearRelaxation
from structsvm.problems.label_sets.forest import LabelForest
from structsvm.problems.label_sets.indicators import checked_indicators
from structsvm.problems.label_sets.losses import Cost, LabelCosts, checked_costs, f1_losses
from structsvm.problems.label_sets.marginals import LabelSetMarginals
from structsvm.problems.label_sets.structure import FEW_LABELS, Structure, label_edges

#: Rows of a mini-batch.
ROWS = 256
#: How oracles search, by name.
INFERENCE = {
    "forest": LabelForest,
    "enumeration": Enumeration,
    "counts": IndependentF1,
    "cut": Cut,
    "relaxation": LinearRelaxation,
}


class LabelSet(Problem):
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
        require_positive("pair_scale", self.pair_scale)
        if Y is None:
            raise ValueError(f"{type(self).__name__} needs the outputs Y; it is None")
        indicators = checked_indicators(Y)
        require_pairs(X, indicators)
        self.n_labels_, self.n_features_ = indicators.shape[1], X.shape[1]
        self._costs = self._label_costs()
        self.max_loss = 1.0 if self._costs is None else self._costs.largest
        self.edges_ = label_edges(self.structure, indicators, range(self.n_labels_))
        self.inference_ = self._chosen_inference()
        self._search: Any = INFERENCE[self.inference_](self.edges_, self.n_labels_)
        self.size_joint_feature = self.n_labels_ * self.n_features_ + len(self.edges_)
        numbers = X.nnz if sparse.issparse(X) else X.size
        self.work = self.n_labels_ * numbers / X.shape[0] + self._search.work

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        if Y is None:  # to predict, rows that ``initialize`` has not seen
            require_matrix(X)
        return in_floats(X), None if Y is None else checked_indicators(Y, self.n_labels_)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        labels, pairs = self._parts(np.asarray(y)[None])
        pairs = self.pair_scale * pairs
        if sparse.issparse(x):
            of_labels = sparse.kron(labels, as_row(x))
            return sparse.hstack([of_labels, pairs], format="csr")
        return np.concatenate([np.outer(labels, as_row(x)).ravel(), pairs[0]])

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.batch_loss(np.asarray(y)[None], [y_hat])[0])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle(as_row(x), np.asarray(y)[None], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode(as_row(x), w)[0]

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        found = self.sum_soft_oracle(as_row(x), np.asarray(y)[None], w, mu, np.ones(1))
        return SoftOutput(float(found.values[0]), found.joint_feature_difference, found.loss)

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        y = np.asarray(y)
        _, found = self._distribution(as_row(x), y[None], w, mu, np.ones(1))
        return (found.labels[0] - y) @ self._split(w)[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        return iter(all_label_sets(self.n_labels_))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Thirty rows of four numbers with three labels; the last label needs the first."""
        rng = np.random.default_rng(0)
        Y = rng.integers(2, size=(30, 3))
        Y[:, 2] &= Y[:, 0]
        return np.hstack([Y + 0.5 * rng.normal(size=Y.shape), np.ones((30, 1))]), Y

    # ------------------------------------------------------------------ all examples at once

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        labels, pairs = self._scores(X, w)
        if self._costs is None:
            return self._search.best(labels, pairs, Y)
        return self._search.best(self._costs.added(labels, Y), pairs)

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        return self._search.best(*self._scores(X, w))

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        (true, _), (found, _) = self._parts(Y), self._parts(Y_hat)
        return f1_losses(true, found) if self._costs is None else self._costs.of(true, found)

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        labels, pairs = self._differences(Y, Y_hat)
        pairs *= self.pair_scale
        if not sparse.issparse(X):
            of_labels = labels[:, :, None] * np.asarray(X, dtype=np.float64)[:, None, :]
            return np.hstack([of_labels.reshape(len(labels), -1), pairs])
        rows, columns = labels.nonzero()
        picked, d = X[rows].astype(np.float64), self.n_features_
        counts = np.diff(picked.indptr)
        places = (np.repeat(rows, counts), picked.indices + np.repeat(columns * d, counts))
        values = picked.data * np.repeat(labels[rows, columns], counts)
        of_labels = sparse.csr_matrix((values, places), (len(labels), labels.shape[1] * d))
        return sparse.hstack([of_labels, pairs], format="csr")

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        labels, pairs = self._differences(Y, Y_hat)
        return self._summed(weights[:, None] * labels, X, weights @ pairs)

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> SoftSum:
        true, both = self._parts(Y)
        truth, found = self._distribution(X, Y, w, mu, weights)
        values, loss = mu * found.log_partition - truth, found.loss
        if self._costs is not None:
            values += self._costs.constants(true)
            loss = float(weights @ self._costs.of(true, found.labels))
        labels, pairs = weights[:, None] * (true - found.labels), weights @ both - found.pairs
        return SoftSum(values, self._summed(labels, X, pairs), loss)

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Vector:
        _, found = self._distribution(X, Y, w, mu, weights)
        # As if an edge had the same probability in all examples.
        total = float(weights.sum()) or 1.0
        pairs = self.pair_scale * total * _variance(found.pairs / total)
        labels = weights[:, None] * _variance(found.labels)
        return self._summed(labels, squared(X), pairs)

    def curvature_axes(self, X: Any, Y: Any) -> Axes | None:
        features = feature_axes(X, self.n_labels_)
        return None if features is None else AxesBefore(features, self.n_labels_ * self.n_features_)

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        if not sparse.issparse(X):
            return [MiniBatch(np.arange(len(Y)), None, X, Y)]
        number = max(1, len(Y) // ROWS)
        places = [np.arange(j, len(Y), number) for j in range(number)]
        return [self._minibatch(some, X[some], Y[some]) for some in places]

    def probabilities(self, X: Any, w: Vector, temperature: float) -> Vector:
        """The probability of every label for every row, shape (n, n_labels).

        A label set has a probability ~ exp(<w, Psi> / temperature).
        """
        labels, pairs = self._scores(X, w)
        labels, alike = labels.astype(np.float64), np.ones(len(labels))
        truth = () if self._costs is not None else (np.zeros_like(labels), 0.0)
        found = self._search.soft(labels / temperature, pairs / temperature, alike, *truth)
        return np.clip(found.labels, 0.0, 1.0)  # sums may round to more

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
        if self._costs is None and not len(self.edges_):
            return "counts"
        if self._costs is not None and is_forest(self.n_labels_, self.edges_):
            return "forest"
        if self.n_labels_ <= FEW_LABELS:
            return "enumeration"
        if self._costs is None:
            raise ValueError(
                f"cost='f1' with edges between labels enumerates the label sets, of at most "
                f"{FEW_LABELS} labels; there are {self.n_labels_}: set structure='independent'"
            )
        raise ValueError(
            f"a graph with cycles over {self.n_labels_} labels has too many label sets, more than "
            f"2^{FEW_LABELS}; use RelaxedLabelSet, or structure='tree'"
        )

    def _scores(self, X: Any, w: Vector) -> tuple[Vector, Vector]:
        """The scores of labels, shape (n, n_labels), and of edges, shape (m,)."""
        W, pairs = self._split(w)
        if X.ndim != 2 or X.shape[1] != W.shape[1]:
            raise ValueError(f"X has shape {X.shape}; expected {W.shape[1]} columns")
        return products(weights_for(X, W), X).T, self.pair_scale * pairs

    def _split(self, w: Vector) -> tuple[Vector, Vector]:
        """The weights of labels, a row for each, and of edges."""
        labels, pairs = np.split(w, [len(w) - len(self.edges_)])
        return labels.reshape(self.n_labels_, -1), pairs

    def _distribution(
        self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector
    ) -> tuple[Vector, LabelSetMarginals]:
        """The scores of the true label sets, and the distribution at temperature mu."""
        labels, pairs = self._scores(X, w)
        true, both = self._parts(Y)
        truth = (true * labels).sum(axis=1) + both @ pairs
        if self._costs is None:
            return truth, self._search.soft(labels / mu, pairs / mu, weights, true, 1 / mu)
        augmented = self._costs.added(labels, true)
        return truth, self._search.soft(augmented / mu, pairs / mu, weights)

    def _both(self, Y: Any) -> Any:
        """Whether both labels of each edge are in each label set, shape (n, m)."""
        a, b = self.edges_.T
        return Y[:, a] * Y[:, b]

    def _parts(self, Y: Any) -> tuple[Vector, Vector]:
        """Labels, shape (n, n_labels), and edges with both labels, shape (n, m)."""
        labels = np.asarray(Y, dtype=np.float64)
        return labels, self._both(labels)

    def _differences(self, Y: Any, Y_hat: Any) -> tuple[Vector, Vector]:
        """The parts of Y minus the parts of Y_hat."""
        (labels, pairs), (others, their_pairs) = self._parts(Y), self._parts(Y_hat)
        return labels - others, pairs - their_pairs

    def _summed(self, labels: Vector, X: Any, pairs: Vector) -> Vector:
        """A sum of joint features: of rows with these weights for each label, and of edges."""
        of_labels = combined(labels.T.astype(product_dtype(X)), X)
        return np.concatenate([of_labels.ravel(), self.pair_scale * pairs], dtype=np.float64)

    def _minibatch(self, places: Any, X: Any, Y: Any) -> MiniBatch:
        """Some rows, on the columns that they use, and all edges."""
        features, rows = columns_in_use(X)
        d, first = self.n_features_, self.n_labels_ * self.n_features_
        of_labels = (np.arange(self.n_labels_)[:, None] * d + features).ravel()
        columns = np.concatenate([of_labels, first + np.arange(len(self.edges_))])
        return MiniBatch(places, columns, rows, Y)


def _variance(p: Vector) -> Vector:
    """The variance of what is there with probability p, which may exceed 1 by rounding."""
    return np.maximum(p * (1 - p), 0)
