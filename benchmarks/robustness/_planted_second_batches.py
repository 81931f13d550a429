"""The second set: bugs in batch forms and in prepare."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_labels import (
    COSTS,
    FastLabels,
    K,
    many_labels,
    scores,
)
from benchmarks.robustness._planted_tagging import FastTagging, as_objects, sequences

ORACLE = "Apply separation_oracle to n examples; return n outputs"
SUM = "Return sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i])"
SAME = "Ensures: X and Y with the same examples in the same order"


@planted(many_labels, {"batch_separation_oracle"}, ORACLE, listed=False)
class BatchOracleLeavesOutTheLoss(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        return np.argmax(scores(X, w), axis=1)


@planted(many_labels, {"batch_separation_oracle"}, ORACLE)
class BatchOracleAddsTheMeanCosts(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        return np.argmax(COSTS[Y].mean(axis=0) + scores(X, w), axis=1)


@planted(many_labels, {"batch_decode"}, "Apply decode to n examples")
class BatchDecodeMaximisesOverExamples(FastLabels):
    def batch_decode(self, X, w):
        return np.resize(np.argmax(scores(X, w), axis=0) % K, len(X))


@planted(sequences, {"batch_decode"}, "Apply decode to n examples", listed=False)
class BatchDecodeReturnsTheLongestFirst(FastTagging):
    def batch_decode(self, X, w):
        return sorted(super().batch_decode(X, w), key=len, reverse=True)


@planted(many_labels, {"batch_loss"}, "Apply loss to n pairs")
class BatchLossIsZeroOne(FastLabels):
    def batch_loss(self, Y, Y_hat):
        return np.not_equal(Y, Y_hat).astype(float)


@planted(many_labels, {"batch_loss"}, "return shape (n,)", listed=False)
class BatchLossIsSummed(FastLabels):
    def batch_loss(self, Y, Y_hat):
        return COSTS[Y, Y_hat].sum()


@planted(sequences, {"batch_loss"}, "Apply loss to n pairs", listed=False)
class BatchLossDividesByTheLength(FastTagging):
    def batch_loss(self, Y, Y_hat):
        return super().batch_loss(Y, Y_hat) / [len(y) for y in Y]


@planted(many_labels, {"batch_joint_feature_difference"}, "Apply joint_feature_difference")
class BatchDifferenceIsThatOfThePrediction(FastLabels):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        return super().batch_joint_feature_difference(X, Y_hat, Y)


@planted(many_labels, {"sum_joint_feature_difference"}, SUM)
class SumIsAMean(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, weights) / len(Y)


@planted(many_labels, {"sum_joint_feature_difference"}, SUM, listed=False)
class SumLeavesOutTheWeights(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, np.ones(len(Y)))


@planted(many_labels, {"sum_joint_feature_difference"}, "No method may change its inputs in place")
class SumScalesTheInputsByTheWeights(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        X *= weights[:, None]
        return super().sum_joint_feature_difference(X, Y, Y_hat, np.ones(len(Y)))


@planted(sequences, {"prepare"}, SAME)
class PrepareSortsByLength(FastTagging):
    def prepare(self, X, Y):
        order = np.argsort([len(x) for x in X], kind="stable")[::-1]
        return as_objects(X)[order], None if Y is None else as_objects(Y)[order]


@planted(many_labels, {"prepare"}, SAME, listed=False)
class PrepareRemovesRepeatedLabels(FastLabels):
    def prepare(self, X, Y):
        return X, None if Y is None else np.unique(Y)
