"""Bugs in the searches, decoders and losses of tasks."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct, planted_task
from benchmarks.robustness._planted_labels import (
    COSTS,
    FastLabels,
    K,
    LabelsTask,
    labels,
    many_labels,
    margins,
    scores,
)
from benchmarks.robustness._planted_tagging import FastTagging, TaggingTask, sequences
from structsvm import Task


def repeated_inputs():
    """Every input occurs with two labels."""
    X, Y = labels()
    return np.repeat(X[:5], 2, axis=0), Y[:10]


def grades():
    X, Y = labels()
    return X, Y.astype(np.uint8)


# ---------------------------------------------------------------- search

ORACLE = "Apply separation_oracle to n examples; return n outputs"


@planted_task(FastLabels, repeated_inputs, "search", ORACLE)
class BatchOracleAnswersEqualInputsOnce(LabelsTask):
    def search(self, w):
        _, first, back = np.unique(self.X, axis=0, return_index=True, return_inverse=True)
        return LabelsTask.search(self.part(first), w)[np.ravel(back)]


@planted_task(FastLabels, many_labels, "search", ORACLE)
class BatchOracleSqueezesASingleExample(LabelsTask):
    def search(self, w):
        return np.squeeze(super().search(w))


@planted_task(FastLabels, many_labels, "search", ORACLE, listed=False)
class BatchOracleLeavesTheLastChunkEmpty(LabelsTask):
    def search(self, w):
        found = super().search(w)
        whole = len(found) // 4 * 4
        if whole:
            found[whole:] = 0
        return found


@planted_task(FastTagging, sequences, "search", ORACLE)
class BatchOracleReturnsGroupsOfALength(TaggingTask):
    def search(self, w):
        order = np.argsort([len(x) for x in self.X], kind="stable")
        return TaggingTask.search(self.part(order), w)


@planted_task(FastTagging, sequences, "search", ORACLE, listed=False)
class BatchOracleFillsViewsOfOneBuffer(TaggingTask):
    """Outputs of a block are views into the same array."""

    def search(self, w):
        buffer, found = np.empty(10, dtype=int), []
        for path in super().search(w):
            buffer[: len(path)] = path
            found.append(buffer[: len(path)])
        return found


@planted_task(FastLabels, many_labels, "search", ORACLE)
class BatchOracleTakesTheLossOfTheFirst(LabelsTask):
    def search(self, w):
        return np.argmax(COSTS[self.Y[0]] + scores(self.X, w), axis=1)


# ------------------------------------------------ search_rescaled, decode


@planted_task(FastLabels, many_labels, "search_rescaled", "Apply slack_oracle to n examples")
class BatchSlackOracleTransposesTheCosts(LabelsTask):
    def search_rescaled(self, w):
        return np.argmax(COSTS.T[self.Y] * (1 + margins(self.X, self.Y, w) - COSTS[self.Y]), axis=1)


@planted_task(
    FastLabels, many_labels, "search_rescaled", "Apply slack_oracle to n examples", listed=False
)
class BatchSlackOracleComparesWithTheFirstTruth(LabelsTask):
    def search_rescaled(self, w):
        s = scores(self.X, w)
        return np.argmax(COSTS[self.Y] * (1 + s - s[0, self.Y[0]]), axis=1)


@planted_task(FastLabels, many_labels, "decode", "Apply decode to n examples", listed=False)
class BatchDecodeCentresTheBlock(LabelsTask):
    def decode(self, w):
        return np.argmax(scores(self.X - self.X.mean(axis=0), w), axis=1)


@planted_task(FastLabels, many_labels, "decode", "return n outputs")
class BatchDecodeIsEmptyAtZero(LabelsTask):
    def decode(self, w):
        return super().decode(w) if w.any() else []


@planted_task(FastLabels, many_labels, "decode", "Apply decode to n examples")
class BatchDecodeTakesTheBestOfTheBlock(LabelsTask):
    """The maximum is taken over the flat table."""

    def decode(self, w):
        return np.full(self.n, scores(self.X, w).argmax() % K)


@planted_task(FastLabels, many_labels, "decode", "Apply decode to n examples", listed=False)
class BatchDecodeRepeatsBlocksOf16(LabelsTask):
    def decode(self, w):
        return np.resize(np.argmax(scores(self.X[:16], w), axis=1), self.n)


@planted_task(FastLabels, many_labels, "decode", "return n outputs (array or list)")
class BatchDecodeIsAGenerator(LabelsTask):
    def decode(self, w):
        return (self.problem.decode(x, w) for x in self.X)


@planted_task(
    FastLabels, many_labels, "decode", "No method may change its inputs in place", listed=False
)
class BatchDecodeScalesItsInputs(LabelsTask):
    def decode(self, w):
        self.X /= np.linalg.norm(self.X, axis=1, keepdims=True)
        return super().decode(w)


# ---------------------------------------------------------------- losses

LOSS = "Apply loss to n pairs; return shape (n,)"


class DistancesTask(LabelsTask):
    search, search_rescaled = Task.search, Task.search_rescaled

    def losses(self, outputs):
        return abs(np.asarray(self.Y, dtype=float) - outputs)


@correct(grades)
class Distances(FastLabels):
    """Labels are grades, and the loss is their distance."""

    slack_oracle = None

    def task(self, X, Y=None):
        return DistancesTask(self, X, Y)

    def loss(self, y, y_hat):
        return abs(float(y) - float(y_hat))

    def separation_oracle(self, x, y, w):
        return int(np.argmax(abs(np.arange(K) - float(y)) + scores(x, w)))


@planted_task(Distances, grades, "losses", LOSS)
class BatchLossWrapsAround(DistancesTask):
    def losses(self, outputs):
        return abs(np.asarray(self.Y, np.uint8) - np.asarray(outputs, np.uint8)).astype(float)


@planted_task(FastLabels, many_labels, "losses", LOSS)
class BatchLossOfAllPairs(LabelsTask):
    def losses(self, outputs):
        return COSTS[np.asarray(self.Y)[:, None], np.asarray(outputs)]


@planted_task(
    FastTagging, sequences, "losses", "no method changes what it returned before", listed=False
)
class BatchLossReusesItsArray(TaggingTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.buffer = np.empty(100)

    def losses(self, outputs):
        found = self.buffer[: self.n]
        found[:] = super().losses(outputs)
        return found


@planted_task(FastLabels, many_labels, "losses", LOSS, listed=False)
class BatchLossIsOneDecisionForAll(LabelsTask):
    def losses(self, outputs):
        return COSTS[self.Y, outputs] * (not np.array_equal(self.Y[:1], outputs[:1]))


@planted_task(FastLabels, many_labels, "losses", LOSS)
class BatchLossIsAColumn(LabelsTask):
    def losses(self, outputs):
        return super().losses(outputs)[:, None]
