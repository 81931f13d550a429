"""The second set: bugs in soft oracles, curvatures, mini-batches and gradients."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import DifferentiableGrid, grid
from benchmarks.robustness._planted_labels import SoftLabels, labels, many_labels, margins, softmax
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


@planted(many_labels, {"sum_soft_oracle"}, "The sum of SoftOutput.loss, times the weights")
class SoftSumLeavesTheWeightsOutOfTheLoss(SoftLabels):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        plain = super().sum_soft_oracle(X, Y, w, mu, np.ones(len(Y)))
        return super().sum_soft_oracle(X, Y, w, mu, weights)._replace(loss=plain.loss)


@planted(many_labels, {"sum_soft_oracle"}, "values : SoftOutput.value of each example")
class SoftSumWeighsTheValues(SoftLabels):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        return found._replace(values=found.values * weights)


@planted(many_labels, {"sum_soft_curvature"}, "Ensures: finite and >= 0", listed=False)
class CurvatureSubtractsTheSquareTwice(SoftLabels):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        p = softmax(margins(X, Y, w), mu)[1]
        return ((X**2).T @ (p * (1 - 2 * p) * weights[:, None])).T.ravel()


@planted(many_labels, {"minibatches"}, "every example is in one mini-batch")
class BatchesOverlap(SoftLabels):
    def minibatches(self, X, Y):
        found = super().minibatches(X, Y)
        return [*found, found[0]]


@planted(many_labels, {"score_outputs"}, "the score of output z of example i", listed=False)
class OutputScoresAreRelativeToTheBest(SoftLabels):
    def score_outputs(self, X, Y, w):
        return margins(X, Y, w) - margins(X, Y, w).max(axis=1, keepdims=True)


@planted(many_labels, {"sum_expected_difference"}, "The expectation of Psi(x_i, y_i) - Psi(x_i, z)")
class ExpectedDifferenceIsAMean(SoftLabels):
    def sum_expected_difference(self, X, Y, probabilities):
        return super().sum_expected_difference(X, Y, probabilities) / len(Y)


@planted(grid, {"input_gradient"}, "the gradient of the score <w, Psi(x, y)> in x", listed=False)
class InputGradientIsNegative(DifferentiableGrid):
    def input_gradient(self, x, y, w):
        return -super().input_gradient(x, y, w)
