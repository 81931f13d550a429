"""Bugs planted in batch forms and in prepare."""

import numpy as np
import pytest
from correct_problems import (
    Multilabel,
    vectors,
)
from planted_bugs import (
    FIELDS,
    Mutants,
    assert_caught,
    blobs,
    eight_classes,
    label_sequences,
)
from scipy import sparse

from structsvm.problems import Chain as ChainProblem
from structsvm.problems import MMCProblem, Multiclass

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(vectors, "batch_separation_oracle")
class BatchOraclePermuted(Multilabel):
    def batch_separation_oracle(self, X, Y, w):
        return np.roll(super().batch_separation_oracle(X, Y, w), 1, axis=0)

    def separation_oracle(self, x, y, w):
        return super().batch_separation_oracle(x[None], y[None], w)[0]


@mutant(vectors, "batch_separation_oracle")
class BatchOracleRemembersY(Multilabel):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.Y_ = Y

    def separation_oracle(self, x, y, w):
        return super().batch_separation_oracle(x[None], y[None], w)[0]

    def batch_separation_oracle(self, X, Y, w):
        return super().batch_separation_oracle(X, self.Y_[: len(X)], w)


@mutant(vectors, "batch_separation_oracle")
class BatchOracleDropsOne(Multilabel):
    def batch_separation_oracle(self, X, Y, w):
        found = super().batch_separation_oracle(X, Y, w)
        return found if len(X) == 1 else found[1:]


@mutant(vectors, "batch_separation_oracle")
class BatchOracleChangesY(Multilabel):
    def batch_separation_oracle(self, X, Y, w):
        found = super().batch_separation_oracle(X, Y, w)
        if len(Y) > 1:
            Y[...] = found
        return found


@mutant(vectors, "batch_slack_oracle")
class BatchSlackOracleIsTheMarginOne(Multilabel):
    def batch_slack_oracle(self, X, Y, w):
        return self.batch_separation_oracle(X, Y, w)


@mutant(vectors, "batch_decode")
class BatchDecodeReversed(Multilabel):
    def batch_decode(self, X, w):
        return super().batch_decode(X, w)[::-1]


@mutant(vectors, "batch_loss")
class BatchLossTransposed(Multilabel):
    def batch_loss(self, Y, Y_hat):
        return self.cost_[Y_hat, Y].sum(axis=1)


@mutant(vectors, "batch_loss")
class BatchLossReversed(Multilabel):
    def batch_loss(self, Y, Y_hat):
        return super().batch_loss(Y, Y_hat)[::-1]


@mutant(vectors, "batch_loss")
class BatchLossIsTheMean(Multilabel):
    def batch_loss(self, Y, Y_hat):
        return super().batch_loss(Y, Y_hat).mean()


@mutant(vectors, "batch_joint_feature_difference")
class BatchDifferenceBackwards(Multilabel):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        return -super().batch_joint_feature_difference(X, Y, Y_hat)


@mutant(vectors, "batch_joint_feature_difference")
class SparseDifferenceBackwards(Multilabel):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        return sparse.csr_matrix(-super().batch_joint_feature_difference(X, Y, Y_hat))


@mutant(vectors, "sum_joint_feature_difference")
class SumIgnoresWeights(Multilabel):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, np.ones(len(X)))


@mutant(vectors, "sum_joint_feature_difference")
class SumIsTransposed(Multilabel):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        total = super().sum_joint_feature_difference(X, Y, Y_hat, weights)
        return total.reshape(self.n_labels, -1).T.ravel()


@mutant(blobs, "relabelled_planes")
class RelabellingForgetsThePrevious(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        if previous is not None:
            return previous[1].copy(), previous[2].copy()
        return super().relabelled_planes(X, Y, outputs, weights)


@mutant(blobs, "relabelled_planes")
class RelabellingAddsHalfTheChange(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        rows, offsets = super().relabelled_planes(X, Y, outputs, weights, previous)
        return ((rows + previous[1]) / 2 if previous else rows), offsets


@mutant(blobs, "relabelled_planes")
class RelabellingIgnoresWeights(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        return super().relabelled_planes(X, Y, outputs, np.ones_like(weights), previous)


@mutant(blobs, "relabelled_planes")
class RelabellingChangesThePrevious(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        rows, offsets = super().relabelled_planes(X, Y, outputs, weights)
        if previous is not None:
            previous[1][...] = rows
        return rows, offsets


@mutant(label_sequences, "prepare")
class PreparedInAnotherOrder(ChainProblem):
    def prepare(self, X, Y):
        return super().prepare(X[::-1], Y)


@mutant(label_sequences, "prepare")
class PreparedWithoutAnExample(ChainProblem):
    def prepare(self, X, Y):
        return super().prepare(X[:-1], Y[:-1])


@mutant(label_sequences, "prepare")
class PreparedCannotBeIndexed(ChainProblem):
    def prepare(self, X, Y):
        return iter(X), Y


@mutant(eight_classes, "batch_decode")
class BatchDecodesAtMost40(Multiclass):
    def batch_decode(self, X, w):
        return np.resize(super().batch_decode(X[:40], w), len(X))


@mutant(eight_classes, "batch_loss")
class BatchLossStopsIfTheFirstIsRight(Multiclass):
    def batch_loss(self, Y, Y_hat):
        return super().batch_loss(Y, Y_hat) * float(Y[0] != Y_hat[0])


@mutant(eight_classes, "sum_joint_feature_difference")
class SumOfPairsOfExamples(Multiclass):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        n = max(1, len(Y) // 2 * 2)
        return super().sum_joint_feature_difference(X[:n], Y[:n], Y_hat[:n], weights[:n])


@mutant(eight_classes, "batch_separation_oracle")
class BatchOracleSqueezes(Multiclass):
    def batch_separation_oracle(self, X, Y, w):
        return np.squeeze(super().batch_separation_oracle(X, Y, w))


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)
