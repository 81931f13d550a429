"""Bugs in soft oracles, their sums and curvature."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted, planted_task
from benchmarks.robustness._planted_grid import DifferentiableGrid, grid
from benchmarks.robustness._planted_labels import (
    K,
    SoftLabels,
    SoftLabelsTask,
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


# ------------------------------------------------------------------ soft

SUMS = "values : SoftOutput.value of each example"


@planted_task(SoftLabels, many_labels, "soft", SUMS)
class SoftSumSkipsExamplesOfWeightZero(SoftLabelsTask):
    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        return found._replace(values=np.where(weights != 0, found.values, 0.0))


@planted_task(SoftLabels, many_labels, "soft", SUMS, listed=False)
class SoftSumShiftsByTheMaximumOfTheBlock(SoftLabelsTask):
    """Examples far below the largest score underflow to log 0."""

    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        s = margins(self.X, self.Y, w)
        values = s.max() + mu * np.log(np.exp((s - s.max()) / mu).sum(axis=1))
        return found._replace(values=values)


@planted_task(SoftLabels, many_labels, "soft", "The sum of SoftOutput.loss, times the weights")
class SoftSumRoundsTheLoss(SoftLabelsTask):
    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        return found._replace(loss=round(found.loss))


@planted_task(
    SoftLabels, many_labels, "soft", "slacks : max_y' s(y') of each example", listed=False
)
class SoftSumLeavesTheTruthOutOfTheSlacks(SoftLabelsTask):
    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        s = margins(self.X, self.Y, w)
        s[np.arange(self.n), self.Y] = -np.inf
        return found._replace(slacks=s.max(axis=1))


@planted_task(SoftLabels, many_labels, "soft", "values : ndarray of shape (n,)", listed=False)
class SoftSumSqueezesASingleExample(SoftLabelsTask):
    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        return found._replace(values=np.squeeze(found.values))


# ------------------------------------------------------------- curvature


@planted_task(SoftLabels, many_labels, "curvature", "Ensures: shape (size_joint_feature,)")
class CurvatureIsATable(SoftLabelsTask):
    def curvature(self, w, mu, weights):
        return super().curvature(w, mu, weights).reshape(K, -1)


@planted_task(SoftLabels, many_labels, "curvature", "Ensures: finite and >= 0", listed=False)
class CurvatureOverflows(SoftLabelsTask):
    def curvature(self, w, mu, weights):
        p = np.exp(margins(self.X, self.Y, w) / mu)
        p /= p.sum(axis=1, keepdims=True)
        return ((self.X**2).T @ (p * (1 - p) * weights[:, None])).T.ravel()


@planted_task(
    SoftLabels, many_labels, "curvature", "the weighted sum of the variances", listed=False
)
class CurvatureIsThatOfTheFirstExample(SoftLabelsTask):
    def curvature(self, w, mu, weights):
        return SoftLabelsTask.curvature(self.part(slice(1)), w, mu, weights[:1])
