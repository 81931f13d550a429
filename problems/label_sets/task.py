"""The tasks of multi-label classification of many rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import take
from structsvm.data.matrices import product_dtype, weights_for
from structsvm.problems.classification.curvature_axes import AxesBefore, feature_axes
from structsvm.problems.classification.products import combined, products, squared
from structsvm.problems.classification.rows import RowsTask
from structsvm.problems.label_sets.search import LabelSetMarginals

if TYPE_CHECKING:
    from structsvm.problems.label_sets.problem import LabelSet


class LabelSetTask(RowsTask):
    """The task of rows of a matrix and their label sets; an array of int8 holds the sets."""

    problem: LabelSet

    # ------------------------------------------------------------------ searches and losses

    def search(self, w: Vector) -> Any:
        labels, pairs = self._scores(w)
        if self.problem.costs_ is None:
            return self.problem.search_.best(labels, pairs, self.Y)
        return self.problem.search_.best(self.problem.costs_.added(labels, self.Y), pairs)

    def decode(self, w: Vector) -> Any:
        return self._best(*self._scores(w))

    def probabilities(self, w: Vector, temperature: float) -> Vector:
        """Return the probability of every label for every row, shape (n, n_labels).

        The probability of a label set is proportional to exp(<w, Psi> / temperature).
        """
        labels, pairs = self._scores(w)
        labels, alike = labels.astype(np.float64), np.ones(self.n)
        truth = () if self.problem.costs_ is not None else (np.zeros_like(labels), 0.0)
        found = self.problem.search_.soft(labels / temperature, pairs / temperature, alike, *truth)
        return np.asarray(found.labels).clip(0.0, 1.0)  # rounding may take sums above 1

    def losses(self, outputs: Any) -> Vector:
        return self.problem.losses(self.Y, outputs)

    # ------------------------------------------------------------------ sums of joint features

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        labels, pairs = self._changes(take(self.Y, places), take(outputs, places))
        X, pairs = take(self.X, places), self.problem.pair_scale * pairs
        if not sparse.issparse(X):
            of_labels = labels[:, :, None] * np.asarray(X, dtype=np.float64)[:, None, :]
            return np.hstack([of_labels.reshape(len(labels), -1), pairs])
        rows, columns = labels.nonzero()
        picked, d = X[rows].astype(np.float64), X.shape[1]
        counts = np.diff(picked.indptr)
        entries = (np.repeat(rows, counts), picked.indices + np.repeat(columns * d, counts))
        values = picked.data * np.repeat(labels[rows, columns], counts)
        of_labels = sparse.csr_matrix((values, entries), (len(labels), labels.shape[1] * d))
        return sparse.hstack([of_labels, pairs], format="csr")

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        labels, pairs = self._changes(self.Y, outputs)
        return self._summed(weights[:, None] * labels, self.X, weights @ pairs)

    def _changes(self, Y: Any, outputs: Any) -> tuple[Vector, Vector]:
        """Return the indicators of labels and edges in Y minus the indicators in ``outputs``."""
        (labels, pairs), (others, their_pairs) = map(self.problem.parts, (Y, outputs))
        return labels - others, pairs - their_pairs

    def _summed(self, labels: Vector, X: Any, pairs: Vector) -> Vector:
        """Return a sum of joint features; ``labels`` holds a weight for each row and label."""
        of_labels = combined(labels.T.astype(product_dtype(X)), X)
        pairs = self.problem.pair_scale * pairs
        return np.concatenate([of_labels.ravel(), pairs], dtype=np.float64)

    # ------------------------------------------------------------------ labels as parts

    column_at_risk = 1

    def part_names(self, i: int) -> list[Any]:
        return [[False, True]] * self.problem.n_labels_

    def part_places(self, outputs: Any) -> list[Indices]:
        labels = self.problem.labelled(outputs)
        return list(2 * np.arange(labels.shape[1]) + labels)

    def decode_with(self, w: Vector, places: Sequence[int]) -> Any:
        labels, pairs = self._scores(w)
        labels, (label, present) = labels.astype(np.float64), np.divmod(np.asarray(places), 2)
        # More than all other scores together.
        large = 1 + 2 * (np.abs(labels).sum(axis=1) + np.abs(pairs).sum())
        labels[np.arange(self.n), label] = np.where(present, large, -large)
        return self._best(labels, pairs)

    def max_marginals(self, w: Vector) -> list[Vector]:
        gains = self.problem.search_.gains(*self._scores(w))
        return list(np.stack([np.zeros_like(gains), gains], axis=2))

    # ------------------------------------------------------------------ the soft oracle

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        true, both = self.problem.parts(self.Y)
        truth, found = self.distribution(w, mu, weights)
        values, loss = mu * found.log_partition - truth, found.loss
        if self.problem.costs_ is not None:
            values += self.problem.costs_.constants(true)
            loss = float(weights @ self.problem.costs_.of(true, found.labels))
        labels, pairs = weights[:, None] * (true - found.labels), weights @ both - found.pairs
        return SoftSum(values, self._summed(labels, self.X, pairs), loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        _, found = self.distribution(w, mu, weights)
        # An approximation: an edge is treated as equally probable in all examples.
        total = float(weights.sum()) or 1.0
        pairs = self.problem.pair_scale * total * variance(found.pairs / total)
        labels = weights[:, None] * variance(found.labels)
        return self._summed(labels, squared(self.X), pairs)

    def axes(self) -> Axes | None:
        features, k = feature_axes(self.X, self.problem.n_labels_), len(self.problem.edges_)
        return None if features is None else AxesBefore(features, self.size - k)

    def distribution(
        self, w: Vector, mu: float, weights: Vector
    ) -> tuple[Vector, LabelSetMarginals]:
        """Return the scores of the true label sets, and the distribution at temperature mu."""
        labels, pairs = self._scores(w)
        true, both = self.problem.parts(self.Y)
        truth, search = (true * labels).sum(axis=1) + both @ pairs, self.problem.search_
        if self.problem.costs_ is None:
            return truth, search.soft(labels / mu, pairs / mu, weights, true, 1 / mu)
        augmented = self.problem.costs_.added(labels, true)
        return truth, search.soft(augmented / mu, pairs / mu, weights)

    def _best(self, labels: Vector, pairs: Vector) -> Any:
        return self.problem.search_.best(labels, pairs)

    def _scores(self, w: Vector) -> tuple[Vector, Vector]:
        """Return the scores of labels, shape (n, n_labels), and of edges, shape (m,)."""
        W, pairs = self.problem.split(w)
        return products(weights_for(self.X, W), self.X).T, self.problem.pair_scale * pairs


class LoopyTask(LabelSetTask):
    """The task for graphs with cycles, whose log-partition function is not available."""

    soft: Any = None
    curvature: Any = None
    axes: Any = None
    max_marginals: Any = None


class RelaxedTask(LoopyTask):
    """The task whose predictions round the linear relaxation."""

    def _best(self, labels: Vector, pairs: Vector) -> Any:
        return self.problem.search_.rounded(labels, pairs)


def variance(p: Vector) -> Vector:
    """Return the variance of an indicator of probability p; by rounding, p may exceed 1."""
    return np.maximum(p * (1 - p), 0)
