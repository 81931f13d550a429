"""The third set: bugs of optimisers, who add batch forms to a problem that works."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_labels import (
    COSTS,
    FastLabels,
    K,
    Principal,
    SoftLabels,
    many_labels,
    margins,
    scores,
)
from benchmarks.robustness._planted_parts import FastParts, parts
from benchmarks.robustness._planted_tagging import FastTagging, sequences

SEARCH = "Apply the single form to n examples; return n outputs"


@planted(many_labels, {"batch_separation_oracle"}, SEARCH)
class BatchOracleCachesByTheNumberOfExamples(FastLabels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def batch_separation_oracle(self, X, Y, w):
        return np.argmax(COSTS[Y] + self.cache.setdefault(len(X), scores(X, w)), axis=1)


@planted(many_labels, {"batch_separation_oracle"}, SEARCH, listed=False)
class BatchOracleReadsWInTheOtherOrder(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        return np.argmax(COSTS[Y] + X @ w.reshape(-1, K), axis=1)


@planted(many_labels, {"batch_separation_oracle"}, SEARCH)
class BatchOracleFailsForOneExample(FastLabels):
    def batch_separation_oracle(self, X, Y, w):
        first, rest = X[:1], X[1:]
        top = scores(rest, w).max()  # of no examples where there is one
        return np.argmax(COSTS[Y] + np.r_[scores(first, w), scores(rest, w)] - top, axis=1)


@planted(many_labels, {"batch_decode"}, SEARCH)
class BatchDecodeIsAColumn(FastLabels):
    def batch_decode(self, X, w):
        return super().batch_decode(X, w)[:, None]


@planted(many_labels, {"batch_decode"}, SEARCH, listed=False)
class BatchDecodeJoinsItsChunksInReverse(FastLabels):
    def batch_decode(self, X, w):
        chunks = [super(BatchDecodeJoinsItsChunksInReverse, self).batch_decode(X[i : i + 8], w)
                  for i in range(0, len(X), 8)]  # fmt: skip
        return np.concatenate(chunks[::-1])


@planted(many_labels, {"batch_decode", "prepare"}, "Batch forms get parts of the containers")
class BatchDecodeAnswersForTheFirstExamples(FastLabels):
    """It reads what prepare kept, and not what it is given."""

    def prepare(self, X, Y):
        self.X_ = X
        return X, Y

    def batch_decode(self, X, w):
        return super().batch_decode(self.X_[: len(X)], w)


@planted(many_labels, {"batch_slack_oracle"}, SEARCH, listed=False)
class BatchSlackOracleIsTheMarginOne(FastLabels):
    def batch_slack_oracle(self, X, Y, w):
        return self.batch_separation_oracle(X, Y, w)


@planted(many_labels, {"batch_loss"}, "Apply loss to n pairs; return shape (n,)", listed=False)
class BatchLossIsOfTheNextExample(FastLabels):
    def batch_loss(self, Y, Y_hat):
        return COSTS[np.roll(Y, -1), Y_hat]


@planted(sequences, {"batch_loss"}, "Apply loss to n pairs; return shape (n,)")
class BatchLossCountsAtMostTwo(FastTagging):
    def batch_loss(self, Y, Y_hat):
        return np.minimum(super().batch_loss(Y, Y_hat), 2)


DIFFERENCE = "Apply joint_feature_difference to n examples"


@planted(many_labels, {"batch_joint_feature_difference"}, DIFFERENCE)
class BatchDifferenceIsOfSigns(FastLabels):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        return np.sign(super().batch_joint_feature_difference(X, Y, Y_hat))


@planted(many_labels, {"batch_joint_feature_difference"}, DIFFERENCE, listed=False)
class BatchDifferenceIsZeroForRepeatedInputs(FastLabels):
    """Only the first of equal inputs is filled in."""

    def batch_joint_feature_difference(self, X, Y, Y_hat):
        rows = super().batch_joint_feature_difference(X, Y, Y_hat)
        again = np.setdiff1d(np.arange(len(X)), np.unique(X, axis=0, return_index=True)[1])
        rows[again] = 0
        return rows


SUM = "Return sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i])"


@planted(many_labels, {"sum_joint_feature_difference"}, SUM)
class SumTakesAbsoluteWeights(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, abs(weights))


@planted(many_labels, {"sum_joint_feature_difference"}, SUM, listed=False)
class SumDropsTheLastOfAnOddNumber(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        n = max(1, len(Y) // 2 * 2)
        return super().sum_joint_feature_difference(X[:n], Y[:n], Y_hat[:n], weights[:n])


@planted(sequences, {"sum_joint_feature_difference"}, SUM)
class SumIsInHalfPrecision(FastTagging):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, weights).astype(np.float16)


@planted(many_labels, {"prepare"}, "X and Y with the same examples in the same order")
class PrepareTransposes(FastLabels):
    def prepare(self, X, Y):
        return np.asfortranarray(X).T, Y


@planted(many_labels, {"prepare"}, "X and Y with the same examples in the same order", listed=False)
class PrepareScalesEveryInput(FastLabels):
    def prepare(self, X, Y):
        return X / np.linalg.norm(X, axis=1, keepdims=True), Y


@planted(parts, {"batch_impute"}, "Apply impute to n examples; return n outputs")
class BatchImputeIsOneExampleLate(FastParts):
    def batch_impute(self, X, Y, w):
        found = super().batch_impute(X, Y, w)
        return [found[-1], *found[:-1]]


@planted(parts, {"relabelled_planes"}, "previous is None, or the previous labels with the rows")
class RelabelledPlanesReturnThePrevious(FastParts):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        if previous is not None:
            return previous[1:]
        return super().relabelled_planes(X, Y, outputs, weights)


@planted(many_labels, {"sum_soft_oracle"}, "The sum of SoftOutput.joint_feature_difference")
class SoftSumDividesTheDifference(SoftLabels):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        difference = found.joint_feature_difference / len(Y)
        return found._replace(joint_feature_difference=difference)


@planted(many_labels, {"sum_soft_curvature"}, "Ensures: finite and >= 0", listed=False)
class CurvatureIsThatOfAConcaveFunction(SoftLabels):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return -super().sum_soft_curvature(X, Y, w, mu, weights)


@planted(many_labels, {"minibatches"}, "examples : places among those divided")
class BatchesAreMasks(SoftLabels):
    def minibatches(self, X, Y):
        found = super().minibatches(X, Y)
        return [b._replace(examples=np.isin(np.arange(len(Y)), b.examples)) for b in found]


@planted(many_labels, {"score_outputs"}, "the columns are in the order of outputs")
class OutputScoresAreSorted(SoftLabels):
    def score_outputs(self, X, Y, w):
        return np.sort(margins(X, Y, w), axis=1)


@planted(many_labels, {"sum_expected_difference"}, "the expectation of Psi(x, y) - Psi(x, z)")
class ExpectedDifferenceLeavesOutTheTruth(SoftLabels):
    def sum_expected_difference(self, X, Y, probabilities):
        return -(X.T @ probabilities).T.ravel()


class Skewed(Principal):
    def times(self, factors, w):
        return ((w.reshape(-1, len(self.axes)) @ self.axes * factors) @ self.axes).reshape(w.shape)


@planted(many_labels, {"curvature_axes"}, "Stretch w along the axes of each group by its factor")
class AxesAreNotTurnedBack(SoftLabels):
    def curvature_axes(self, X, Y):
        return Skewed(X)
