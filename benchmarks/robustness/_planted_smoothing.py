"""Bugs in what speeds up smoothed training: axes, mini-batches and scores of all outputs."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted_task
from benchmarks.robustness._planted_labels import (
    COSTS,
    Documents,
    DocumentsTask,
    K,
    Principal,
    SoftLabels,
    SoftLabelsTask,
    documents,
    expected_difference,
    many_labels,
    margins,
)
from structsvm import MiniBatch

# ------------------------------------------------------------------ axes


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


@planted_task(SoftLabels, many_labels, "axes", "Stretch w along the axes: a new array")
class AxesStretchInPlace(SoftLabelsTask):
    def axes(self):
        return InPlace(self.X)


@planted_task(SoftLabels, many_labels, "axes", "w is of shape (size,) or (p, size)", listed=False)
class AxesTakeOneVectorAlone(SoftLabelsTask):
    def axes(self):
        return OfOneVector(self.X)


@planted_task(SoftLabels, many_labels, "axes", "Orthonormal axes of w")
class AxesAreNotOfLengthOne(SoftLabelsTask):
    def axes(self):
        return NotOfLengthOne(self.X)


@planted_task(SoftLabels, many_labels, "axes", "factors is of shape (m,)", listed=False)
class AxesHaveAGroupTooMany(SoftLabelsTask):
    def axes(self):
        return OneTooMany(self.X)


@planted_task(
    SoftLabels, many_labels, "axes", "Stretch w along the axes of each group by its factor"
)
class AxesDivideByTheFactors(SoftLabelsTask):
    def axes(self):
        return Reciprocal(self.X)


# ----------------------------------------------------------------- minibatches


@planted_task(SoftLabels, many_labels, "minibatches", "every example is in one mini-batch")
class BatchesLeaveOutTheRest(SoftLabelsTask):
    def minibatches(self):
        parts = [np.arange(i, i + 3) for i in range(0, self.n - 2, 3)]
        return [MiniBatch(rows, None, self.part(rows)) for rows in parts]


@planted_task(
    SoftLabels, many_labels, "minibatches", "examples : places among those divided", listed=False
)
class BatchesCountFromZeroEach(SoftLabelsTask):
    def minibatches(self):
        return [b._replace(examples=np.arange(b.task.n)) for b in super().minibatches()]


@planted_task(
    Documents,
    documents,
    "minibatches",
    "X, Y in the form that the soft oracles take with w[columns]",
)
class BatchesKeepAllWords(DocumentsTask):
    def minibatches(self):
        found = super().minibatches()
        for batch in found:
            batch.task.X = self.X[batch.examples]
        return found


@planted_task(
    Documents, documents, "minibatches", "the rising places in w of the entries that they use"
)
class BatchesNameColumnsOfTheFirstLabel(DocumentsTask):
    def minibatches(self):
        return [b._replace(columns=b.columns % self.X.shape[1]) for b in super().minibatches()]


# ----------------------------------------- score_outputs, expected_difference


@planted_task(
    SoftLabels, many_labels, "score_outputs", "loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i, z)>"
)
class OutputScoresTransposeTheCosts(SoftLabelsTask):
    def score_outputs(self, w):
        return margins(self.X, self.Y, w) - COSTS[self.Y] + COSTS.T[self.Y]


@planted_task(
    Documents, documents, "score_outputs", "called with mini-batches, and with their entries of w"
)
class OutputScoresExpectTheWholeW(DocumentsTask):
    def score_outputs(self, w):
        s = self.X @ w.reshape(K, self.problem.size_joint_feature // K).T
        return COSTS[self.Y] + s - s[np.arange(self.n), self.Y][:, None]


@planted_task(
    SoftLabels, many_labels, "score_outputs", "loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i, z)>"
)
class OutputScoresAreNeverNegative(SoftLabelsTask):
    def score_outputs(self, w):
        return np.maximum(margins(self.X, self.Y, w), 0)


@planted_task(
    SoftLabels, many_labels, "expected_difference", "multiples or differences of probabilities"
)
class ExpectedDifferenceClipsProbabilities(SoftLabelsTask):
    def expected_difference(self, probabilities):
        return expected_difference(self.X, self.Y, np.maximum(probabilities, 0))
