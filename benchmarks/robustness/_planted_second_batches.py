"""The second set: bugs in tasks."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted_task
from benchmarks.robustness._planted_labels import (
    COSTS,
    FastLabels,
    K,
    LabelsTask,
    many_labels,
    scores,
)
from benchmarks.robustness._planted_tagging import FastTagging, TaggingTask, sequences

ORACLE = "Apply separation_oracle to n examples; return n outputs"
SUM = "Return sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i])"
SAME = "Ensures: X and Y with the same examples in the same order"


@planted_task(FastLabels, many_labels, "search", ORACLE, listed=False)
class BatchOracleLeavesOutTheLoss(LabelsTask):
    def search(self, w):
        return np.argmax(scores(self.X, w), axis=1)


@planted_task(FastLabels, many_labels, "search", ORACLE)
class BatchOracleAddsTheMeanCosts(LabelsTask):
    def search(self, w):
        return np.argmax(COSTS[self.Y].mean(axis=0) + scores(self.X, w), axis=1)


@planted_task(FastLabels, many_labels, "decode", "Apply decode to n examples")
class BatchDecodeMaximisesOverExamples(LabelsTask):
    def decode(self, w):
        return np.resize(np.argmax(scores(self.X, w), axis=0) % K, self.n)


@planted_task(FastTagging, sequences, "decode", "Apply decode to n examples", listed=False)
class BatchDecodeReturnsTheLongestFirst(TaggingTask):
    def decode(self, w):
        return sorted(super().decode(w), key=len, reverse=True)


@planted_task(FastLabels, many_labels, "losses", "Apply loss to n pairs")
class BatchLossIsZeroOne(LabelsTask):
    def losses(self, outputs):
        return np.not_equal(self.Y, outputs).astype(float)


@planted_task(FastLabels, many_labels, "losses", "return shape (n,)", listed=False)
class BatchLossIsSummed(LabelsTask):
    def losses(self, outputs):
        return COSTS[self.Y, outputs].sum()


@planted_task(FastTagging, sequences, "losses", "Apply loss to n pairs", listed=False)
class BatchLossDividesByTheLength(TaggingTask):
    def losses(self, outputs):
        return super().losses(outputs) / [len(y) for y in self.Y]


@planted_task(FastLabels, many_labels, "differences", "Apply joint_feature_difference")
class BatchDifferenceIsThatOfThePrediction(LabelsTask):
    def differences(self, outputs, places):
        return -super().differences(outputs, places)


@planted_task(FastLabels, many_labels, "plane", SUM)
class SumIsAMean(LabelsTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, weights) / self.n


@planted_task(FastLabels, many_labels, "plane", SUM, listed=False)
class SumLeavesOutTheWeights(LabelsTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, np.ones(self.n))


@planted_task(FastLabels, many_labels, "plane", "No method may change its inputs in place")
class SumScalesTheInputsByTheWeights(LabelsTask):
    def plane(self, outputs, weights):
        self.X *= weights[:, None]
        return super().plane(outputs, np.ones(self.n))


@planted_task(FastTagging, sequences, "task", SAME)
class TaskSortsByLength(TaggingTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        order = np.argsort([len(x) for x in X], kind="stable")[::-1]
        self.X, self.Y = self.X[order], None if Y is None else self.Y[order]


@planted_task(FastLabels, many_labels, "task", SAME, listed=False)
class TaskRemovesRepeatedLabels(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, None if Y is None else np.unique(Y))
