"""Bugs in what speeds up smoothed training: axes, mini-batches and scores of all outputs."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_labels import (
    COSTS,
    Documents,
    K,
    Principal,
    SoftLabels,
    documents,
    expected_difference,
    many_labels,
    margins,
)
from structsvm import MiniBatch

# -------------------------------------------------------------- curvature_axes


class InPlace(Principal):
    def times(self, factors, w):
        w[:] = super().times(factors, w)
        return w


class OfOneVector(Principal):
    def times(self, factors, w):
        return ((w.reshape(K, -1) @ self.axes * factors) @ self.axes.T).ravel()


class NotOfLengthOne(Principal):
    def __init__(self, X):
        self.axes = X.T @ X


class OneTooMany(Principal):
    def along(self, curvature):
        return np.append(super().along(curvature), 0.0)


class Reciprocal(Principal):
    def times(self, factors, w):
        return super().times(1 / factors, w)


@planted(many_labels, {"curvature_axes"}, "Stretch w along the axes: a new array")
class AxesStretchInPlace(SoftLabels):
    def curvature_axes(self, X, Y):
        return InPlace(X)


@planted(many_labels, {"curvature_axes"}, "w is of shape (size,) or (p, size)", listed=False)
class AxesTakeOneVectorAlone(SoftLabels):
    def curvature_axes(self, X, Y):
        return OfOneVector(X)


@planted(many_labels, {"curvature_axes"}, "Orthonormal axes of w")
class AxesAreNotOfLengthOne(SoftLabels):
    def curvature_axes(self, X, Y):
        return NotOfLengthOne(X)


@planted(many_labels, {"curvature_axes"}, "factors is of shape (m,)", listed=False)
class AxesHaveAGroupTooMany(SoftLabels):
    def curvature_axes(self, X, Y):
        return OneTooMany(X)


@planted(many_labels, {"curvature_axes"}, "Stretch w along the axes of each group by its factor")
class AxesDivideByTheFactors(SoftLabels):
    def curvature_axes(self, X, Y):
        return Reciprocal(X)


# ----------------------------------------------------------------- minibatches


@planted(many_labels, {"minibatches"}, "every example is in one mini-batch")
class BatchesLeaveOutTheRest(SoftLabels):
    def minibatches(self, X, Y):
        parts = [np.arange(i, i + 3) for i in range(0, len(Y) - 2, 3)]
        return [MiniBatch(rows, None, X[rows], Y[rows]) for rows in parts]


@planted(many_labels, {"minibatches"}, "examples : places among those divided", listed=False)
class BatchesCountFromZeroEach(SoftLabels):
    def minibatches(self, X, Y):
        return [b._replace(examples=np.arange(len(b.Y))) for b in super().minibatches(X, Y)]


@planted(documents, {"minibatches"}, "X, Y in the form that the soft oracles take with w[columns]")
class BatchesKeepAllWords(Documents):
    def minibatches(self, X, Y):
        return [b._replace(X=X[b.examples]) for b in super().minibatches(X, Y)]


@planted(documents, {"minibatches"}, "the rising places in w of the entries that they use")
class BatchesNameColumnsOfTheFirstLabel(Documents):
    def minibatches(self, X, Y):
        return [b._replace(columns=b.columns % X.shape[1]) for b in super().minibatches(X, Y)]


# -------------------------------------- score_outputs, sum_expected_difference


@planted(many_labels, {"score_outputs"}, "loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i, z)>")
class OutputScoresTransposeTheCosts(SoftLabels):
    def score_outputs(self, X, Y, w):
        return margins(X, Y, w) - COSTS[Y] + COSTS.T[Y]


@planted(documents, {"score_outputs"}, "called with mini-batches, and with their entries of w")
class OutputScoresExpectTheWholeW(Documents):
    def score_outputs(self, X, Y, w):
        s = X @ w.reshape(K, self.size_joint_feature // K).T
        return COSTS[Y] + s - s[np.arange(len(Y)), Y][:, None]


@planted(many_labels, {"score_outputs"}, "loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i, z)>")
class OutputScoresAreNeverNegative(SoftLabels):
    def score_outputs(self, X, Y, w):
        return np.maximum(margins(X, Y, w), 0)


@planted(many_labels, {"sum_expected_difference"}, "multiples or differences of probabilities")
class ExpectedDifferenceClipsProbabilities(SoftLabels):
    def sum_expected_difference(self, X, Y, probabilities):
        return expected_difference(X, Y, np.maximum(probabilities, 0))
