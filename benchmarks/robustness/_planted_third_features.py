"""The third set: bugs in joint features and losses of problems written in an afternoon."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import (
    Grid,
    distance,
    grid,
)
from benchmarks.robustness._planted_labels import Labels, labels
from benchmarks.robustness._planted_tagging import Tagging, sequences
from benchmarks.robustness._planted_topics import Topics, topics

PSI = "Return Psi(x, y), the joint feature vector of an input and an output"
LOSS = "Return Delta(y, y_hat), the loss of predicting y_hat where y is true"


@planted(sequences, {"joint_feature"}, PSI)
class PsiLeavesOutTheLastPosition(Tagging):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        psi[: 3 * x.shape[1]] -= np.outer(np.eye(3)[y[-1]], x[-1]).ravel()
        return psi


@planted(topics, {"joint_feature"}, PSI)
class PsiDividesByTheNumberOfTopics(Topics):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y) / max(len(y), 1)


@planted(labels, {"joint_feature"}, "Ensures: the same at every call", listed=False)
class PsiReadsTheInputThatWasDecodedLast(Labels):
    last = None

    def decode(self, x, w):
        self.last = x
        return super().decode(x, w)

    def joint_feature(self, x, y):
        return super().joint_feature(x if self.last is None else self.last, y)


@planted(labels, {"loss"}, LOSS)
class LossSwapsItsArguments(Labels):
    def loss(self, y, y_hat):
        return super().loss(y_hat, y)


@planted(grid, {"loss", "separation_oracle"}, LOSS, listed=False)
class LossForgivesOneStep(Grid):
    def loss(self, y, y_hat):
        return max(distance(y, y_hat) - 1, 0.0)


@planted(sequences, {"loss"}, "Ensures: 0 for loss(y, y)")
class LossCountsTheRightTags(Tagging):
    def loss(self, y, y_hat):
        return float(np.equal(y, y_hat).sum())


@planted(topics, {"loss"}, LOSS, listed=False)
class LossIsAnnealed(Topics):
    """It grows with every call."""

    max_loss = None
    calls = 0

    def loss(self, y, y_hat):
        self.calls += 1
        return super().loss(y, y_hat) * (1 + 1e-4 * self.calls)
