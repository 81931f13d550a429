"""Bugs in soft oracles, their sums and curvature."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import DifferentiableGrid, grid
from benchmarks.robustness._planted_labels import (
    K,
    SoftLabels,
    expected_difference,
    labels,
    many_labels,
    margins,
    softmax,
)
from benchmarks.robustness._planted_tagging import FastTagging, sequences
from structsvm import SoftOutput

VALUE = "value : mu * log sum_y' exp(s(y') / mu)"
DIFFERENCE = "joint_feature_difference : the expectation E_p[Psi(x, y) - Psi(x, y')]"


# ----------------------------------------------------------------- soft_oracle


@planted(labels, {"soft_oracle"}, VALUE + ", finite at every w")
class SoftOracleOverflows(SoftLabels):
    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        s = margins(x[None], np.array([y]), w)[0]
        return found._replace(value=float(mu * np.log(np.exp(s / mu).sum())))


@planted(grid, {"soft_oracle"}, "loss : the expectation E_p[loss(y, y')]")
class SoftLossIsTheExpectedViolation(DifferentiableGrid):
    def soft_oracle(self, x, y, w, mu):
        value, difference, loss = super().soft_oracle(x, y, w, mu)
        return SoftOutput(value, difference, loss - difference @ w)


@planted(sequences, {"soft_oracle"}, DIFFERENCE, listed=False)
class SoftDifferenceLacksTheTruth(FastTagging):
    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        difference = found.joint_feature_difference - self.joint_feature(x, y)
        return found._replace(joint_feature_difference=difference)


@planted(grid, {"soft_oracle"}, "SoftOutput(value, joint_feature_difference, loss)", listed=False)
class SoftFieldsAreSwapped(DifferentiableGrid):
    def soft_oracle(self, x, y, w, mu):
        value, difference, loss = super().soft_oracle(x, y, w, mu)
        return SoftOutput(loss, difference, value)


@planted(sequences, {"soft_oracle"}, VALUE, listed=False)
class SoftOracleForgetsTheFirstRow(FastTagging):
    """A forward pass that starts at the second position, where there is one."""

    def soft_oracle(self, x, y, w, mu):
        return super().soft_oracle(x[-3:], y[-3:], w, mu)


@planted(labels, {"soft_oracle"}, "no method changes what it returned before")
class SoftDifferenceIsABuffer(SoftLabels):
    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        if not hasattr(self, "buffer"):
            self.buffer = np.empty(self.size_joint_feature)
        self.buffer[:] = found.joint_feature_difference
        return found._replace(joint_feature_difference=self.buffer)


@planted(labels, {"soft_oracle"}, VALUE)
class SoftOracleCutsSmallProbabilities(SoftLabels):
    """Probabilities below a tenth are left out of the expectations, not out of the value."""

    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        p = softmax(margins(x[None], np.array([y]), w), mu)[1]
        p[p < 0.1] = 0
        difference = expected_difference(x[None], np.array([y]), p / p.sum())
        return found._replace(joint_feature_difference=difference)


@planted(grid, {"soft_oracle"}, "mu : the temperature", listed=False)
class SoftOracleKeepsItsFirstTemperature(DifferentiableGrid):
    first = None
    soft_input_gradient = None

    def soft_oracle(self, x, y, w, mu):
        self.first = self.first or mu
        return super().soft_oracle(x, y, w, self.first)


# ------------------------------------------------------------- sum_soft_oracle

SUMS = "values : SoftOutput.value of each example"


@planted(many_labels, {"sum_soft_oracle"}, SUMS)
class SoftSumSkipsExamplesOfWeightZero(SoftLabels):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        return found._replace(values=np.where(weights != 0, found.values, 0.0))


@planted(many_labels, {"sum_soft_oracle"}, SUMS, listed=False)
class SoftSumShiftsByTheMaximumOfTheBlock(SoftLabels):
    """Examples far below the largest score underflow to log 0."""

    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        s = margins(X, Y, w)
        values = s.max() + mu * np.log(np.exp((s - s.max()) / mu).sum(axis=1))
        return found._replace(values=values)


@planted(many_labels, {"sum_soft_oracle"}, "The sum of SoftOutput.loss, times the weights")
class SoftSumRoundsTheLoss(SoftLabels):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        return found._replace(loss=round(found.loss))


@planted(many_labels, {"sum_soft_oracle"}, "slacks : max_y' s(y') of each example", listed=False)
class SoftSumLeavesTheTruthOutOfTheSlacks(SoftLabels):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        s = margins(X, Y, w)
        s[np.arange(len(Y)), Y] = -np.inf
        return found._replace(slacks=s.max(axis=1))


@planted(many_labels, {"sum_soft_oracle"}, "values : ndarray of shape (n,)", listed=False)
class SoftSumSqueezesASingleExample(SoftLabels):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        return found._replace(values=np.squeeze(found.values))


# ---------------------------------------------------------- sum_soft_curvature


@planted(many_labels, {"sum_soft_curvature"}, "Ensures: shape (size_joint_feature,)")
class CurvatureIsATable(SoftLabels):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return super().sum_soft_curvature(X, Y, w, mu, weights).reshape(K, -1)


@planted(many_labels, {"sum_soft_curvature"}, "Ensures: finite and >= 0", listed=False)
class CurvatureOverflows(SoftLabels):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        p = np.exp(margins(X, Y, w) / mu)
        p /= p.sum(axis=1, keepdims=True)
        return ((X**2).T @ (p * (1 - p) * weights[:, None])).T.ravel()


@planted(many_labels, {"sum_soft_curvature"}, "the weighted sum of the variances", listed=False)
class CurvatureIsThatOfTheFirstExample(SoftLabels):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return super().sum_soft_curvature(X[:1], Y[:1], w, mu, weights[:1])
