"""Bugs in the batch forms of oracles, decoders and losses."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct, planted
from benchmarks.robustness._planted_labels import (
    COSTS,
    FastLabels,
    K,
    labels,
    many_labels,
    margins,
    scores,
)
from benchmarks.robustness._planted_tagging import FastTagging, sequences


def repeated_inputs():
    """Every input occurs with two labels."""
    X, Y = labels()
    return np.repeat(X[:5], 2, axis=0), Y[:10]


def grades():
    X, Y = labels()
    return X, Y.astype(np.uint8)


# ----------------------------------------------------- batch_separation_oracle

ORACLE = "Apply separation_oracle to n examples; return n outputs"


@planted(repeated_inputs, {"batch_separation_oracle"}, ORACLE)
class BatchOracleAnswersEqualInputsOnce(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        _, first, back = np.unique(X, axis=0, return_index=True, return_inverse=True)
        return super().batch_separation_oracle(X[first], Y[first], w)[np.ravel(back)]


@planted(many_labels, {"batch_separation_oracle"}, ORACLE)
class BatchOracleSqueezesASingleExample(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        return np.squeeze(super().batch_separation_oracle(X, Y, w))


@planted(many_labels, {"batch_separation_oracle"}, ORACLE, listed=False)
class BatchOracleLeavesTheLastChunkEmpty(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        found = super().batch_separation_oracle(X, Y, w)
        whole = len(found) // 4 * 4
        if whole:
            found[whole:] = 0
        return found


@planted(sequences, {"batch_separation_oracle"}, ORACLE)
class BatchOracleReturnsGroupsOfALength(FastTagging):
    def batch_separation_oracle(self, X, Y, w):
        order = np.argsort([len(x) for x in X], kind="stable")
        return super().batch_separation_oracle(X[order], Y[order], w)


@planted(sequences, {"batch_separation_oracle"}, ORACLE, listed=False)
class BatchOracleFillsViewsOfOneBuffer(FastTagging):
    """Outputs of a block are views into the same array."""

    def batch_separation_oracle(self, X, Y, w):
        buffer, found = np.empty(10, dtype=int), []
        for path in super().batch_separation_oracle(X, Y, w):
            buffer[: len(path)] = path
            found.append(buffer[: len(path)])
        return found


@planted(many_labels, {"batch_separation_oracle"}, ORACLE)
class BatchOracleTakesTheLossOfTheFirst(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        return np.argmax(COSTS[Y[0]] + scores(X, w), axis=1)


# -------------------------------------------- batch_slack_oracle, batch_decode


@planted(many_labels, {"batch_slack_oracle"}, "Apply slack_oracle to n examples")
class BatchSlackOracleTransposesTheCosts(FastLabels):
    def batch_slack_oracle(self, X, Y, w):
        return np.argmax(COSTS.T[Y] * (1 + margins(X, Y, w) - COSTS[Y]), axis=1)


@planted(many_labels, {"batch_slack_oracle"}, "Apply slack_oracle to n examples", listed=False)
class BatchSlackOracleComparesWithTheFirstTruth(FastLabels):
    def batch_slack_oracle(self, X, Y, w):
        s = scores(X, w)
        return np.argmax(COSTS[Y] * (1 + s - s[0, Y[0]]), axis=1)


@planted(many_labels, {"batch_decode"}, "Apply decode to n examples", listed=False)
class BatchDecodeCentresTheBlock(FastLabels):
    def batch_decode(self, X, w):
        return super().batch_decode(X - X.mean(axis=0), w)


@planted(many_labels, {"batch_decode"}, "return n outputs")
class BatchDecodeIsEmptyAtZero(FastLabels):
    def batch_decode(self, X, w):
        return super().batch_decode(X, w) if w.any() else []


@planted(many_labels, {"batch_decode"}, "Apply decode to n examples")
class BatchDecodeTakesTheBestOfTheBlock(FastLabels):
    """The maximum is taken over the flat table."""

    def batch_decode(self, X, w):
        return np.full(len(X), scores(X, w).argmax() % K)


@planted(many_labels, {"batch_decode"}, "Apply decode to n examples", listed=False)
class BatchDecodeRepeatsBlocksOf16(FastLabels):
    def batch_decode(self, X, w):
        return np.resize(super().batch_decode(X[:16], w), len(X))


@planted(many_labels, {"batch_decode"}, "return n outputs (array or list)")
class BatchDecodeIsAGenerator(FastLabels):
    def batch_decode(self, X, w):
        return (self.decode(x, w) for x in X)


@planted(many_labels, {"batch_decode"}, "No method may change its inputs in place", listed=False)
class BatchDecodeScalesItsInputs(FastLabels):
    def batch_decode(self, X, w):
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        return super().batch_decode(X, w)


# ------------------------------------------------------------------ batch_loss

LOSS = "Apply loss to n pairs; return shape (n,)"


@correct(grades)
class Distances(FastLabels):
    """Labels are grades, and the loss is their distance."""

    slack_oracle = batch_slack_oracle = batch_separation_oracle = None

    def loss(self, y, y_hat):
        return abs(float(y) - float(y_hat))

    def separation_oracle(self, x, y, w):
        return int(np.argmax(abs(np.arange(K) - float(y)) + scores(x, w)))

    def batch_loss(self, Y, Y_hat):
        return abs(np.asarray(Y, dtype=float) - Y_hat)


@planted(grades, {"batch_loss"}, LOSS)
class BatchLossWrapsAround(Distances):
    def batch_loss(self, Y, Y_hat):
        return abs(np.asarray(Y, np.uint8) - np.asarray(Y_hat, np.uint8)).astype(float)


@planted(many_labels, {"batch_loss"}, LOSS)
class BatchLossOfAllPairs(FastLabels):
    def batch_loss(self, Y, Y_hat):
        return COSTS[np.asarray(Y)[:, None], np.asarray(Y_hat)]


@planted(sequences, {"batch_loss"}, "no method changes what it returned before", listed=False)
class BatchLossReusesItsArray(FastTagging):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.losses = np.empty(len(X) + 100)

    def batch_loss(self, Y, Y_hat):
        found = self.losses[: len(Y)]
        found[:] = super().batch_loss(Y, Y_hat)
        return found


@planted(many_labels, {"batch_loss"}, LOSS, listed=False)
class BatchLossIsOneDecisionForAll(FastLabels):
    def batch_loss(self, Y, Y_hat):
        return COSTS[Y, Y_hat] * (not np.array_equal(Y[:1], Y_hat[:1]))


@planted(many_labels, {"batch_loss"}, LOSS)
class BatchLossIsAColumn(FastLabels):
    def batch_loss(self, Y, Y_hat):
        return super().batch_loss(Y, Y_hat)[:, None]
