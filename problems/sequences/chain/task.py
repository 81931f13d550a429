"""Chains bound to their data: all sequences searched at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples, take
from structsvm.problems.classification.curvature_axes import feature_axes
from structsvm.problems.classification.states import AllStates
from structsvm.problems.sequences.chain.curvature_axes import ChainAxes
from structsvm.problems.sequences.chain.differences import (
    difference_rows,
    difference_sum,
    pair_counts,
)
from structsvm.problems.sequences.chain.inference import ChainMarginals, marginals, viterbi
from structsvm.problems.sequences.chain.n_best import n_best
from structsvm.problems.sequences.chain.packed import (
    Packed,
    PackedFeatures,
    checked_arrays,
    packed,
)
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.sequences.chain.problem import Chain

#: Smallest probability: below it float32 is subnormal, with which processors are slow.
SMALLEST = float(np.finfo(np.float32).tiny)


class ChainTask(Task):
    """A :class:`Chain` and n sequences, packed."""

    problem: Chain
    X: PackedFeatures
    Y: Any  # Packed, but annotations until ``with_labels`` where labels are known in part

    def __init__(self, problem: Chain, X: Any, Y: Any = None) -> None:
        if Y is None and not isinstance(X, Packed):  # to predict: ``initialize`` has not seen them
            X = checked_arrays(X)
        X = _packed_features(problem, X)
        if problem.allowed_ is not None:
            problem.allowed_.require_possible(X.layout.lengths)
        super().__init__(problem, X, None if Y is None else problem.labelling(Y, X.layout))

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.labelling(labels, self.X.layout))

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Packed:
        unary, transition = self.scores(w)
        # Every label but the true one scores more by the weight of the position.
        unary.reshape(-1)[_own(self.Y.rows)] -= self.problem.position_losses(self.Y)
        return self._best(unary, transition)

    def decode(self, w: Vector) -> Packed:
        return self._best(*self.scores(w))

    def losses(self, outputs: Any) -> Vector:
        return self.problem.losses(self.Y, self.problem.labelling(outputs, self.X.layout))

    # ------------------------------------------------------------------ joint features

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        if len(places) < self.n:
            return self.part(np.asarray(places)).differences(take(outputs, places), places)
        found = self.problem.labelling(outputs, self.X.layout)
        return difference_rows(self.X, self.Y.rows, found.rows)

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        found = self.problem.labelling(outputs, self.X.layout)
        return difference_sum(self.X, self.Y.rows, found.rows, weights)

    # ------------------------------------------------------------------ the soft oracle

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        X, codes, losses = self.X, self.Y.rows, self.problem.position_losses(self.Y)
        truth, (log_partition, labels, pairs) = self._distribution(w, mu, weights)
        # Lowering the truth instead of raising the others lowered every labelling by its losses.
        values = mu * (log_partition - X.layout.sums(truth)) + X.layout.sums(losses)
        np.maximum(labels, SMALLEST, out=labels)
        own = _own(codes)
        flat = labels.reshape(-1)
        certainty = flat[own]
        flat[own] = certainty - 1
        weight = weights[X.layout.sequence]
        labels *= weight.astype(labels.dtype)
        unary = X.features.sums(labels.astype(X.rows.dtype, copy=False))
        difference = np.empty(len(unary) + pairs.size, unary.dtype)
        np.negative(unary, out=difference[: len(unary)])
        counts = pair_counts(codes, X.layout, len(pairs), weight)
        difference[len(unary) :] = (counts - pairs).ravel()
        loss = float(weight @ (losses * (1 - certainty)))
        return SoftSum(values, difference, loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        X, (_, (_, labels, pairs)) = self.X, self._distribution(w, mu, weights)
        weight = weights[X.layout.sequence]
        # As if the labels of different positions were independent.
        variances = np.maximum(labels * (1 - labels) * weight.astype(labels.dtype), SMALLEST)
        unary = X.features.squared().sums(variances.astype(X.rows.dtype, copy=False))
        share = pairs / max(1.0, float(weight[self.n :].sum()))
        parts = [unary, np.maximum(pairs * (1 - share), 0).ravel()]
        return np.concatenate(parts).astype(np.float64)

    def axes(self) -> Axes | None:
        if not isinstance(self.X.states, AllStates):
            return None
        features = feature_axes(self.X.rows, self.X.states.k)
        return None if features is None else ChainAxes(features, self.problem.n_features_)

    # ------------------------------------------------------------------ more than one labelling

    def n_best(self, w: Vector, n: int) -> Iterator[tuple[Any, Vector]]:
        """Yield for each input the n labellings of highest score, and their scores, falling.

        Labels of shape (m, length) and scores of shape (m,); m < n if fewer labellings exist.
        """
        (unary, transition), layout = self.scores(w), self.X.layout
        for i, length in enumerate(layout.lengths):
            places = layout.positions(i, np.arange(length))
            codes, scores = n_best(unary[:, places].T, transition, n)
            yield self.problem.classes_[codes], scores

    def probabilities(self, w: Vector, temperature: float) -> Packed:
        """The probability of every label at every position, an array (length, k) for each input.

        A labelling has a probability proportional to exp(<w, Psi> / temperature).
        """
        found = self._marginals(*self.scores(w, temperature), np.ones(self.n))
        return Packed(found.labels.T, self.X.layout)

    # ------------------------------------------------------------------ scores

    def scores(self, w: Vector, mu: float = 1.0) -> tuple[Vector, Vector]:
        """The scores of labels and transitions in units of mu, as :mod:`inference` takes them."""
        X, k = self.X, self.X.states.k
        weights, transition = np.split(w, [-k * k])
        weights = np.divide(weights, mu, dtype=X.rows.dtype, casting="same_kind")
        unary, transition = X.features.scores(weights), transition.reshape(k, k) / mu
        if self.problem.allowed_ is not None:
            transition = self.problem.allowed_.forbid(unary, transition, X.layout)
        return unary, transition

    def _best(self, unary: Vector, transition: Vector) -> Packed:
        layout = self.X.layout
        return Packed(viterbi(unary, transition, layout), layout, self.problem.classes_)

    def _marginals(self, unary: Vector, transition: Vector, weights: Vector) -> ChainMarginals:
        restricted = self.problem.allowed_ is not None
        return marginals(unary, transition, self.X.layout, weights, restricted)

    def _distribution(self, w: Vector, mu: float, weights: Vector) -> tuple[Vector, ChainMarginals]:
        """The scores of the true labels, and the marginals.

        The weights of the examples are in the sum of the pairs only.
        """
        unary, transition = self.scores(w, mu)
        codes, later = self.Y.rows, slice(self.n, None)
        own, flat = _own(codes), unary.reshape(-1)
        # Taken before the loss enters: the value is relative to the plain score of the truth.
        truth = flat[own].astype(np.float64)
        truth[later] += transition[codes[self.X.layout.before], codes[later]]
        # To lower the truth is less work than to raise all others.
        flat[own] -= self.problem.position_losses(self.Y) / mu
        return truth, self._marginals(unary, transition, weights)


def _packed_features(problem: Chain, X: Any) -> PackedFeatures:
    """The inputs packed, for products."""
    if not isinstance(X, Packed):
        arrays, d = [X[i] for i in range(n_examples(X))], problem.n_features_
        for i, x in enumerate(arrays):
            if x.ndim != 2 or x.shape[1] != d:
                raise ValueError(f"X[{i}] has shape {x.shape}; expected {d} columns")
        X = packed(arrays)
    return X if isinstance(X, PackedFeatures) else PackedFeatures(X.rows, X.layout, problem.states_)


def _own(codes: Any) -> Any:
    """The places of the true labels in a flattened array with a row for each label."""
    return codes * len(codes) + np.arange(len(codes))
