"""Bugs in the batch forms of joint-feature differences, and in their sums."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_labels import Documents, FastLabels, K, documents, many_labels
from benchmarks.robustness._planted_tagging import FastTagging, sequences

# ---------------------------------------------- batch_joint_feature_difference

DIFFERENCE = "Apply joint_feature_difference to n examples"


@planted(sequences, {"batch_joint_feature_difference"}, DIFFERENCE)
class BatchDifferenceLosesRepeatedTags(FastTagging):
    """An assignment with += counts a tag once, however often it occurs."""

    def batch_joint_feature_difference(self, X, Y, Y_hat):
        rows = super().batch_joint_feature_difference(X, Y, Y_hat)
        for row, x, y, z in zip(rows, X, Y, Y_hat, strict=True):
            emission = np.zeros((3, x.shape[1]))
            emission[y] += x
            emission[z] -= x
            row[: emission.size] = emission.ravel()
        return rows


@planted(documents, {"batch_joint_feature_difference"}, DIFFERENCE)
class BatchDifferencePutsAllIntoTheFirstRow(Documents):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        found = super().batch_joint_feature_difference(X, Y, Y_hat).tocoo()
        place = (np.zeros_like(found.row), found.col)
        return sparse.csr_matrix((found.data, place), shape=found.shape)


@planted(many_labels, {"batch_joint_feature_difference"}, DIFFERENCE, listed=False)
class BatchDifferenceIsTruncatedToIntegers(FastLabels):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        rows = np.zeros((len(X), self.size_joint_feature), dtype=np.asarray(Y).dtype)
        rows[:] = super().batch_joint_feature_difference(X, Y, Y_hat)
        return rows


@planted(many_labels, {"batch_joint_feature_difference"}, DIFFERENCE)
class BatchDifferenceOrdersByFeature(FastLabels):
    """The entries of w by feature first, then by label."""

    def batch_joint_feature_difference(self, X, Y, Y_hat):
        rows = super().batch_joint_feature_difference(X, Y, Y_hat)
        return rows.reshape(len(X), K, -1).swapaxes(1, 2).reshape(len(X), -1)


# ------------------------------------------------ sum_joint_feature_difference

SUM = "Return sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i])"


@planted(many_labels, {"sum_joint_feature_difference"}, SUM)
class SumSortsTheWeights(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, np.sort(weights))


@planted(many_labels, {"sum_joint_feature_difference"}, SUM, listed=False)
class SumCountsAWeightOfZeroAsOne(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        weights = np.array([weight or 1.0 for weight in weights])
        return super().sum_joint_feature_difference(X, Y, Y_hat, weights)


@planted(many_labels, {"sum_joint_feature_difference"}, SUM)
class SumClipsTheWeights(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, np.clip(weights, 0, 1))


@planted(many_labels, {"sum_joint_feature_difference"}, SUM)
class SumNormalisesTheWeights(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        total = weights.sum() or 1.0
        return super().sum_joint_feature_difference(X, Y, Y_hat, weights / total)


@planted(sequences, {"sum_joint_feature_difference"}, SUM, listed=False)
class SumGoesOnFromTheLastCall(FastTagging):
    total = 0.0

    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        self.total = self.total + super().sum_joint_feature_difference(X, Y, Y_hat, weights)
        return self.total


@planted(many_labels, {"sum_joint_feature_difference"}, SUM)
class SumKeepsOneOfEveryPairOfLabels(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        pairs = {}
        for x, y, z, weight in zip(X, Y, Y_hat, weights, strict=True):
            pairs[int(y), int(z)] = weight * x
        found = np.zeros((K, X.shape[1]))
        for (y, z), vector in pairs.items():
            found[y] += vector
            found[z] -= vector
        return found.ravel()


@planted(many_labels, {"sum_joint_feature_difference"}, SUM, listed=False)
class SumTakesWholeWeights(FastLabels):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, weights.astype(int))


@planted(documents, {"sum_joint_feature_difference"}, "Ensures: shape (size_joint_feature,)")
class SumIsAMatrixOfOneRow(Documents):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return np.atleast_2d(super().sum_joint_feature_difference(X, Y, Y_hat, weights))
