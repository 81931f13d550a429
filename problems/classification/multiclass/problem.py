"""Multiclass classification as a structured problem: an output is one of k classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp, softmax

from structsvm.contract.minibatches import MiniBatch, Products
from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import Axes, SoftOutput, SoftSum
from structsvm.contract.tensors import TensorInference
from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.data.matrices import (
    checked_numbers,
    columns_in_use,
    in_floats,
    product_dtype,
    require_matrix,
    weights_for,
)
from structsvm.problems.classification.curvature_axes import feature_axes
from structsvm.problems.classification.labels import Coded, Labels
from structsvm.problems.classification.products import combined, products, squared
from structsvm.problems.classification.rows import as_row

#: Log of the smallest ratio of two probabilities: the exp of a lower score would be a subnormal
#: float32, with which processors are slow.
LOWEST = -80.0
#: Rows of a mini-batch,
ROWS = 256
#: but fewer where that makes no more than this many mini-batches,
FEW_BATCHES = 16
#: and at least this many.
FEWEST_ROWS = 32
#: A mini-batch has columns of its own where its rows use at most this fraction of the features.
FEW_FEATURES = 0.25


class Multiclass(Problem):
    """Multiclass classification: Psi(x, y) = e_y (x) x, with a cost matrix as loss.

    w is the (k, d) matrix of class weights, flattened row by row: ``w.reshape(k, d)``. All oracles
    are exact and cost one matrix product for the whole data. X is an array or a scipy.sparse CSR
    matrix of shape (n, d); with a float32 X the products are in float32, and the certificate holds
    to their rounding. Labels may be of any sortable kind; a label that ``initialize`` has not seen
    raises ValueError.

    Parameters
    ----------
    cost : array-like of shape (k, k), optional
        ``cost[i, j]`` is the loss of predicting the j-th class for the i-th, in sorted order of
        the labels; >= 0, with a zero diagonal. Default: 0/1 loss.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    max_loss : float
        The largest entry of the cost matrix.

    References
    ----------
    Crammer & Singer, On the Algorithmic Implementation of Multiclass Kernel-based Vector Machines,
    JMLR 2001, for the 0/1 loss.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Multiclass
    >>> X, y = np.array([[2.0, 0.0], [0.0, 2.0]]), ["left", "right"]
    >>> svm = StructuredSVM(Multiclass(cost=[[0, 5], [1, 0]]), C=10.0).fit(X, y)
    >>> print(svm.predict(X))
    ['left' 'right']
    """

    parallelism = "threads"

    def __init__(self, cost: Any = None) -> None:
        self.cost = cost

    def initialize(self, X: Any, Y: Any) -> None:
        require_matrix(X)
        self._labels = Labels(Y)
        self.classes_, k = self._labels.names, len(self._labels)
        self.n_features_ = X.shape[1]
        self.size_joint_feature = k * self.n_features_
        self.cost_ = self.cost_matrix(self.classes_)
        self.max_loss = float(self.cost_.max())
        self.work = k * (X.nnz if sparse.issparse(X) else X.size) / X.shape[0]

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        if Y is None:  # to predict, rows that ``initialize`` has not seen
            require_matrix(X)
        # Labels are looked up once here, and not in every pass over the data.
        return in_floats(X), None if Y is None else self.coded(Y)

    def coded(self, Y: Any) -> Coded:
        """The labels with their numbers, as the batch forms read them."""
        return Coded(self._labels.codes(Y), self.classes_)

    def class_weights(self, w: Vector) -> Vector:
        """The weights of every class.

        Parameters
        ----------
        w : ndarray of shape (size_joint_feature,)
            Or its entries for d of the features.

        Returns
        -------
        ndarray of shape (k, d)
            In the order of ``classes_``.
        """
        return w.reshape(len(self.classes_), -1)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        if sparse.issparse(x):
            return self._in_blocks(as_row(x), self._labels.codes([y]))
        psi = np.zeros((len(self.classes_), self.n_features_))
        psi[self._labels.codes([y])[0]] = _features(x)
        return self._joint(psi)

    def loss(self, y: Any, y_hat: Any) -> float:
        true, predicted = self._labels.codes([y, y_hat])
        return float(self.cost_[true, predicted])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle(as_row(x), [y], w)[0]

    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_slack_oracle(as_row(x), [y], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode(as_row(x), w)[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        return self.classes_

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        true = self._labels.codes([y])[0]
        scores = self._scores(as_row(x), w)[0].astype(np.float64)
        # The truth's own entry is 0, so the value, a smoothed slack, is at least 0.
        augmented = self.cost_[true] + scores - scores[true]
        scaled = augmented / mu
        log_partition = float(logsumexp(scaled))
        probability = np.exp(scaled - log_partition)
        # Psi(x, y) minus its expectation under the softmax of the loss-augmented scores.
        difference = -np.outer(probability, _features(x))
        difference[true] += _features(x)
        return SoftOutput(
            mu * log_partition, self._joint(difference), float(probability @ self.cost_[true])
        )

    def tensor_inference(self) -> TensorInference:
        from structsvm.problems.classification.multiclass.tensors import ClassTensors

        return ClassTensors(self)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Thirty rows in the plane, of three classes."""
        rng = np.random.default_rng(0)
        y = np.arange(30) % 3
        return rng.normal(size=(30, 2)) + 2 * np.eye(3)[y, :2], np.array(["a", "b", "c"])[y]

    # ------------------------------------------------------------------ all examples at once

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        scores = self._scores(X, w)
        # The truth's score is left out: it is the same for all classes of an example.
        scores += self.cost_[self._labels.codes(Y)]
        return self._labels.coded(scores.argmax(axis=1))

    def batch_slack_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        codes, scores = self._labels.codes(Y), self._scores(X, w)
        # Slack rescaling: Delta (1 - <w, dPsi>), with <w, dPsi> the truth's score less the class's.
        scores += 1 - scores[np.arange(len(codes)), codes][:, None]
        return self._labels.coded((self.cost_[codes] * scores).argmax(axis=1))

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        return self.classes_[self._scores(X, w).argmax(axis=1)]

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        return self.cost_[self._labels.codes(Y), self._labels.codes(Y_hat)]

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        true, predicted = self._labels.codes(Y), self._labels.codes(Y_hat)
        if sparse.issparse(X):
            return self._in_blocks(X, true) - self._in_blocks(X, predicted)
        x, rows = np.asarray(X, dtype=np.float64), np.arange(len(true))
        difference = np.zeros((len(x), len(self.classes_), x.shape[1]))
        difference[rows, true] += x
        difference[rows, predicted] -= x
        return difference.reshape(len(x), -1)

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        true, predicted = self._labels.codes(Y), self._labels.codes(Y_hat)
        wrong = np.flatnonzero(true != predicted)  # the others cancel out
        shape = (len(self.classes_), len(weights))
        classes = np.concatenate([true[wrong], predicted[wrong]])
        # In X's dtype: float64 votes would convert all of a float32 X in the product.
        values = np.concatenate([weights[wrong], -weights[wrong]]).astype(product_dtype(X))
        votes = sparse.csr_matrix((values, (classes, np.tile(wrong, 2))), shape=shape)
        return self._joint(dense(votes @ X).astype(np.float64, copy=False))

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> SoftSum:
        codes, (k, d) = self._labels.codes(Y), (len(self.classes_), X.shape[1])
        W = _in_units(self.class_weights(w), mu, X)
        values, slacks = np.empty(len(codes)), np.empty(len(codes))
        difference, loss = np.zeros((k, d), W.dtype), 0.0
        step = len(codes) if sparse.issparse(X) else _cached_rows(k, d)
        for rows in (slice(start, start + step) for start in range(0, len(codes), step)):
            x, y, weight = X[rows], codes[rows], weights[rows]
            # Places of the truths in the flattened scores, which have a row for each class.
            own = y * len(y) + np.arange(len(y))
            p, partition, slacks[rows] = self._soft_scores(W, x, y, own, mu)
            values[rows] = np.log(partition)
            flat = p.reshape(-1)
            certainty = flat[own] / partition
            p *= (weight / partition).astype(p.dtype)
            if self.cost is None:
                # With 0/1 loss the expected loss is the probability of all classes but the truth.
                loss += float(weight @ (1 - certainty.astype(np.float64)))
            else:
                loss += float(np.sum(p * self.cost_.T[:, y]))
            # One product then sums E[Psi] - Psi(x, y): no second pass for the truths.
            flat[own] = weight * (certainty - 1)
            difference -= combined(p, x)
        # ``values`` are relative to the largest score; adding the slack relates them to the truth.
        return SoftSum(mu * (values + slacks), self._joint(difference), loss, mu * slacks)

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Vector:
        codes = self._labels.codes(Y)
        W = _in_units(self.class_weights(w), mu, X)
        own = codes * len(codes) + np.arange(len(codes))
        p, partition, _ = self._soft_scores(W, X, codes, own, mu)
        p /= partition
        squares = squared(X.astype(p.dtype, copy=False))
        variances = self._block_variances(p) * weights.astype(p.dtype)
        return combined(variances, squares).astype(np.float64).ravel()

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        if not sparse.issparse(X):
            return [MiniBatch(np.arange(len(Y)), None, X, Y)]
        number = max(1, len(Y) // ROWS, min(FEW_BATCHES, len(Y) // FEWEST_ROWS))
        # Every m-th row: data are often sorted by class.
        places = [np.arange(j, len(Y), number) for j in range(number)]
        return [self._minibatch(some, X[some], Y[some]) for some in places]

    def score_outputs(self, X: Any, Y: Any, w: Vector) -> Vector:
        codes = self._labels.codes(Y)
        scores = products(self.class_weights(w).astype(product_dtype(X), copy=False), X).T
        own = scores[np.arange(len(codes)), codes]
        return self.cost_[codes] + (scores - own[:, None])

    def sum_expected_difference(self, X: Any, Y: Any, probabilities: Vector) -> Vector:
        codes = self._labels.codes(Y)
        votes = -probabilities.T.astype(product_dtype(X))
        votes[codes, np.arange(len(codes))] += probabilities.sum(axis=1)
        return self._joint(combined(votes, X))

    def example_products(self, X: Any, Y: Any) -> Products:
        rows, true = X.astype(np.float64, copy=False), self._labels.codes(Y)
        n, d = rows.shape
        if 2 * d < n:
            return Products(None, true, dense(rows))
        return Products(dense(rows @ rows.T), true)

    def curvature_axes(self, X: Any, Y: Any) -> Axes | None:
        return feature_axes(X, self.size_joint_feature // self.n_features_)

    def cost_matrix(self, classes: NDArray[Any]) -> Vector:
        """The cost of every mistake between these classes, shape (k, k); see ``cost``."""
        return checked_cost(self.cost, len(classes))

    def probabilities(self, X: Any, w: Vector, temperature: float) -> Vector:
        """The probability of every class for every row, ~ exp(score / temperature), (n, k)."""
        return np.asarray(softmax(self._scores(X, w).astype(np.float64) / temperature, axis=1))

    # ------------------------------------------------------------------ inside

    def _joint(self, sums: Vector) -> Vector:
        """The joint feature of rows that were summed by class, shape (k, d)."""
        return sums.ravel()

    def _block_variances(self, p: Vector) -> Vector:
        """The variances of what multiplies the features in the blocks of w, from probabilities."""
        return p * (1 - p)

    def _soft_scores(self, W: Any, x: Any, y: Any, own: Any, mu: float) -> tuple[Any, Any, Any]:
        """exp of the loss-augmented scores below the largest, their sums, and the slacks.

        All scores are in units of mu, as W is. Classes are rows here: what runs over the classes
        of an example is then vectorised over the examples. ``own`` has the places of the true
        classes in the flattened array.
        """
        scores = products(W, x)
        flat = scores.reshape(-1)
        truth = flat[own]
        if self.cost is None:  # to lower the truth is less work than to raise all others
            truth -= 1 / mu
            flat[own] = truth
        else:
            scores += (self.cost_.T / mu).astype(scores.dtype)[:, y]
        largest = scores.max(axis=0)
        scores -= largest
        np.maximum(scores, LOWEST, out=scores)
        exp = np.exp(scores, out=scores)
        return exp, exp.sum(axis=0), largest - truth

    def _minibatch(self, places: Any, X: Any, Y: Any) -> MiniBatch:
        """Some rows, on the columns that they use."""
        features, rows = columns_in_use(X)
        if len(features) > FEW_FEATURES * X.shape[1]:
            return MiniBatch(places, None, X, Y)
        blocks = np.arange(0, self.size_joint_feature, self.n_features_)
        columns = blocks[:, None] + features
        return MiniBatch(places, columns.ravel(), rows, Y)

    def _in_blocks(self, X: Any, codes: Any) -> Any:
        """Joint features of sparse rows: each row in the block of columns of its class."""
        columns = X.indices + np.repeat(codes * self.n_features_, np.diff(X.indptr))
        return sparse.csr_matrix(
            (X.data, columns, X.indptr), (len(codes), len(self.classes_) * self.n_features_)
        )

    def _scores(self, X: Any, w: Vector) -> Vector:
        if X.ndim != 2 or X.shape[1] != self.n_features_:
            raise ValueError(f"X has shape {X.shape}; expected {self.n_features_} columns")
        return np.asarray(X @ weights_for(X, self.class_weights(w)).T)


def _in_units(W: Any, mu: float, X: Any) -> Any:
    """W / mu in the precision of products with X."""
    return np.divide(W, mu, dtype=product_dtype(X), casting="same_kind")


def _cached_rows(k: int, d: int) -> int:
    """Number of rows that, with their scores, fit in a processor's cache."""
    # k scores and d features a row: whichever fills the cache first is the limit.
    return max(128, min(150_000 // k, 300_000 // d))


def _features(x: Any) -> Vector:
    return dense(as_row(x)).ravel().astype(np.float64, copy=False)


def checked_cost(cost: Any, k: int) -> Vector:
    if cost is None:
        return 1.0 - np.eye(k)
    matrix = checked_numbers("cost", cost)
    if matrix.shape != (k, k):
        raise ValueError(f"cost must be of shape ({k}, {k}), one row per class; got {matrix.shape}")
    wrong = ~np.isfinite(matrix) | (matrix < 0) | (np.eye(k, dtype=bool) & (matrix != 0))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"cost must be finite, >= 0, and 0 on the diagonal; cost[{i}, {j}] is {matrix[i, j]:g}"
        )
    if not matrix.any():
        raise ValueError("cost must be > 0 for some mistake; all its entries are 0")
    return matrix
