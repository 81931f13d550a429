"""The task of multiclass classification: one matrix product scores all rows for all classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import softmax

from structsvm.contract.products import Products
from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense, take
from structsvm.data.matrices import product_dtype, weights_for
from structsvm.problems.classification.curvature_axes import feature_axes
from structsvm.problems.classification.products import combined, products, squared
from structsvm.problems.classification.rows import RowsTask

if TYPE_CHECKING:
    from structsvm.problems.classification.multiclass.problem import Multiclass

#: Logarithm of the smallest ratio of two probabilities: the exp of a lower score would be a
#: subnormal float32, with which processors are slow.
LOWEST = -80.0


class MulticlassTask(RowsTask):
    """The task whose examples are the rows of a matrix with their class codes."""

    problem: Multiclass

    # ------------------------------------------------------------------ searches and losses

    def search(self, w: Vector) -> Any:
        scores = self._scores(w)
        # The score of the true class is left out: it is the same for all classes of an example.
        scores += self.problem.cost_[self._codes(self.Y)]
        return self.problem.labels_.coded(scores.argmax(axis=1))

    def search_rescaled(self, w: Vector) -> Any:
        codes, scores = self._codes(self.Y), self._scores(w)
        # Slack rescaling: Delta (1 - <w, dPsi>), where <w, dPsi> is the true score minus another.
        scores += 1 - scores[np.arange(len(codes)), codes][:, None]
        return self.problem.labels_.coded((self.problem.cost_[codes] * scores).argmax(axis=1))

    def decode(self, w: Vector) -> Any:
        return self.problem.classes_[self._scores(w).argmax(axis=1)]

    def probabilities(self, w: Vector, temperature: float) -> Vector:
        """Return class probabilities, proportional to exp(score / temperature), shape (n, k)."""
        return np.asarray(softmax(self._scores(w).astype(np.float64) / temperature, axis=1))

    def probabilities_of_truth(self, w: Vector, temperature: float) -> Vector:
        """Return the probabilities of the true classes."""
        own = np.arange(self.n), self._codes(self.Y)
        return np.asarray(self.probabilities(w, temperature)[own])

    def losses(self, outputs: Any) -> Vector:
        return np.asarray(self.problem.cost_[self._codes(self.Y), self._codes(outputs)])

    # ------------------------------------------------------------------ sums of joint features

    def joint_features(self, outputs: Any, places: Sequence[int]) -> Any:
        X, codes = take(self.X, places), self._codes(take(outputs, places))
        if sparse.issparse(X):
            return self.problem.in_blocks(X, codes)
        return self._dense_features(np.asarray(X, dtype=np.float64), codes)

    def _dense_features(self, X: Vector, codes: Indices) -> Vector:
        features = np.zeros((len(X), len(self.problem.classes_), X.shape[1]))
        features[np.arange(len(X)), codes] = X
        return features.reshape(len(X), -1)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        return self.joint_features(self.Y, places) - self.joint_features(outputs, places)

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        true, predicted = self._codes(self.Y), self._codes(outputs)
        wrong = np.flatnonzero(true != predicted)  # the right ones cancel out
        shape = (len(self.problem.classes_), len(weights))
        classes = np.concatenate([true[wrong], predicted[wrong]])
        # In X's dtype: float64 votes would convert all of a float32 X in the product.
        values = np.concatenate([weights[wrong], -weights[wrong]]).astype(product_dtype(self.X))
        votes = sparse.csr_matrix((values, (classes, np.tile(wrong, 2))), shape=shape)
        return self.problem.of_classes(dense(votes @ self.X).astype(np.float64, copy=False))

    # ------------------------------------------------------------------ classes as parts

    def part_names(self, i: int) -> list[Any]:
        return [self.problem.classes_]

    def part_places(self, outputs: Any) -> list[Indices]:
        return list(self._codes(outputs)[:, None])

    def decode_with(self, w: Vector, places: Sequence[int]) -> Any:
        return self.problem.classes_[np.asarray(places)]

    def max_marginals(self, w: Vector) -> list[Vector]:
        return list(self._scores(w)[:, None])

    # ------------------------------------------------------------------ the soft oracle

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        codes, (k, d) = self._codes(self.Y), (len(self.problem.classes_), self.X.shape[1])
        W = self._in_units(w, mu)
        values, slacks = np.empty(len(codes)), np.empty(len(codes))
        difference, loss = np.zeros((k, d), W.dtype), 0.0
        # As many rows as fit in a processor's cache together with their k scores and d features.
        step = len(codes) if sparse.issparse(self.X) else max(128, min(150_000 // k, 300_000 // d))
        for rows in (slice(start, start + step) for start in range(0, len(codes), step)):
            x, y, weight = self.X[rows], codes[rows], weights[rows]
            own = _own_places(y)
            p, partition, slacks[rows] = self._soft_scores(W, x, y, own, mu)
            values[rows] = np.log(partition)
            flat = p.reshape(-1)
            certainty = flat[own] / partition
            p *= (weight / partition).astype(p.dtype)
            if self.problem.cost is None:
                # With 0/1 loss the expected loss is the probability of all wrong classes.
                loss += float(weight @ (1 - certainty.astype(np.float64)))
            else:
                loss += float(np.sum(p * self.problem.cost_.T[:, y]))
            # One product then sums E[Psi] - Psi(x, y), without a second pass for Psi(x, y).
            flat[own] = weight * (certainty - 1)
            difference -= combined(p, x)
        # ``values`` are relative to the largest score; adding slacks relates them to the truth.
        row = self.problem.of_classes(difference)
        return SoftSum(mu * (values + slacks), row, loss, mu * slacks)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        codes = self._codes(self.Y)
        W = self._in_units(w, mu)
        p, partition, _ = self._soft_scores(W, self.X, codes, _own_places(codes), mu)
        p /= partition
        squares = squared(self.X.astype(p.dtype, copy=False))
        variances = self.problem.block_variances(p) * weights.astype(p.dtype)
        return combined(variances, squares).astype(np.float64).ravel()

    def axes(self) -> Axes | None:
        return feature_axes(self.X, self.size // self.problem.n_features_)

    def _in_units(self, w: Vector, mu: float) -> Any:
        W = self.problem.class_weights(w)
        return np.divide(W, mu, dtype=product_dtype(self.X), casting="same_kind")

    def _soft_scores(self, W: Any, x: Any, y: Any, own: Any, mu: float) -> tuple[Any, Any, Any]:
        """Return exp(score - largest), the sums over the classes, and the slacks.

        The scores are loss-augmented. Like the weights ``W``, the scores are divided by ``mu``.
        ``own`` holds the indices of the true classes in the flattened scores.
        """
        scores = products(W, x)
        flat = scores.reshape(-1)
        truth = flat[own]
        if self.problem.cost is None:  # to lower the true score is less work than to raise others
            truth -= 1 / mu
            flat[own] = truth
        else:
            scores += (self.problem.cost_.T / mu).astype(scores.dtype)[:, y]
        largest = scores.max(axis=0)
        scores -= largest
        np.maximum(scores, LOWEST, out=scores)
        exp = np.exp(scores, out=scores)
        return exp, exp.sum(axis=0), largest - truth

    # ------------------------------------------------------------------ scores and features

    def score_outputs(self, w: Vector) -> Vector:
        codes, W = self._codes(self.Y), self.problem.class_weights(w)
        scores = products(W.astype(product_dtype(self.X), copy=False), self.X).T
        own = scores[np.arange(len(codes)), codes]
        return np.asarray(self.problem.cost_[codes] + (scores - own[:, None]))

    def expected_difference(self, probabilities: Vector) -> Vector:
        codes = self._codes(self.Y)
        votes = -probabilities.T.astype(product_dtype(self.X))
        votes[codes, np.arange(len(codes))] += probabilities.sum(axis=1)
        return self.problem.of_classes(combined(votes, self.X))

    def products(self) -> Products:
        return Products(None, self._codes(self.Y), self.X)

    # ------------------------------------------------------------------ inside

    def _codes(self, labels: Any) -> Any:
        return self.problem.labels_.codes(labels)

    def _scores(self, w: Vector) -> Vector:
        return np.asarray(self.X @ weights_for(self.X, self.problem.class_weights(w)).T)


def _own_places(codes: Indices) -> Indices:
    """Return the indices of the true classes in the flattened scores of shape (k, n)."""
    return codes * len(codes) + np.arange(len(codes))
