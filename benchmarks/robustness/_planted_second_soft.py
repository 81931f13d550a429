"""The second set: bugs in soft oracles, curvatures, mini-batches and gradients."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted, planted_task
from benchmarks.robustness._planted_grid import DifferentiableGrid, grid
from benchmarks.robustness._planted_labels import (
    SoftLabels,
    SoftLabelsTask,
    labels,
    many_labels,
    margins,
    softmax,
)
from benchmarks.robustness._planted_tagging import FastTagging, sequences

VALUE = "value : mu * log sum_y' exp(s(y') / mu)"


@planted(labels, {"soft_oracle"}, VALUE)
class SoftValueIsNotTimesTheTemperature(SoftLabels):
    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        return found._replace(value=found.value / mu)


@planted(grid, {"soft_oracle"}, VALUE, listed=False)
class SoftValueIsTheMaximum(DifferentiableGrid):
    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        return found._replace(value=super().soft_oracle(x, y, w, 1e-9).value)


@planted(sequences, {"soft_oracle"}, "its negative is the gradient of value in w")
class SoftDifferenceIsTheGradient(FastTagging):
    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        return found._replace(joint_feature_difference=-found.joint_feature_difference)


@planted_task(SoftLabels, many_labels, "soft", "The sum of SoftOutput.loss, times the weights")
class SoftSumLeavesTheWeightsOutOfTheLoss(SoftLabelsTask):
    def soft(self, w, mu, weights):
        plain = super().soft(w, mu, np.ones(self.n))
        return super().soft(w, mu, weights)._replace(loss=plain.loss)


@planted_task(SoftLabels, many_labels, "soft", "values : SoftOutput.value of each example")
class SoftSumWeighsTheValues(SoftLabelsTask):
    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        return found._replace(values=found.values * weights)


@planted_task(SoftLabels, many_labels, "curvature", "Ensures: finite and >= 0", listed=False)
class CurvatureSubtractsTheSquareTwice(SoftLabelsTask):
    def curvature(self, w, mu, weights):
        p = softmax(margins(self.X, self.Y, w), mu)[1]
        return ((self.X**2).T @ (p * (1 - 2 * p) * weights[:, None])).T.ravel()


@planted_task(SoftLabels, many_labels, "minibatches", "every example is in one mini-batch")
class BatchesOverlap(SoftLabelsTask):
    def minibatches(self):
        found = super().minibatches()
        return [*found, found[0]]


@planted_task(
    SoftLabels, many_labels, "score_outputs", "the score of output z of example i", listed=False
)
class OutputScoresAreRelativeToTheBest(SoftLabelsTask):
    def score_outputs(self, w):
        return margins(self.X, self.Y, w) - margins(self.X, self.Y, w).max(axis=1, keepdims=True)


@planted_task(
    SoftLabels, many_labels, "expected_difference", "The expectation of Psi(x_i, y_i) - Psi(x_i, z)"
)
class ExpectedDifferenceIsAMean(SoftLabelsTask):
    def expected_difference(self, probabilities):
        return super().expected_difference(probabilities) / self.n


@planted(grid, {"input_gradient"}, "the gradient of the score <w, Psi(x, y)> in x", listed=False)
class InputGradientIsNegative(DifferentiableGrid):
    def input_gradient(self, x, y, w):
        return -super().input_gradient(x, y, w)
