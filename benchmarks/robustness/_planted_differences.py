"""Bugs in the differences and planes of tasks."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted_cases import planted_task
from benchmarks.robustness._planted_labels import (
    Documents,
    DocumentsTask,
    FastLabels,
    K,
    LabelsTask,
    documents,
    many_labels,
)
from benchmarks.robustness._planted_tagging import FastTagging, TaggingTask, sequences

# ----------------------------------------------------------- differences

DIFFERENCE = "Apply joint_feature_difference to n examples"


@planted_task(FastTagging, sequences, "differences", DIFFERENCE)
class BatchDifferenceLosesRepeatedTags(TaggingTask):
    """An assignment with += counts a tag once, however often it occurs."""

    def differences(self, outputs, places):
        rows = super().differences(outputs, places)
        for row, x, y, z in zip(rows, self.X, self.Y, outputs, strict=True):
            emission = np.zeros((3, x.shape[1]))
            emission[y] += x
            emission[z] -= x
            row[: emission.size] = emission.ravel()
        return rows


@planted_task(Documents, documents, "differences", DIFFERENCE)
class BatchDifferencePutsAllIntoTheFirstRow(DocumentsTask):
    def differences(self, outputs, places):
        found = super().differences(outputs, places).tocoo()
        place = (np.zeros_like(found.row), found.col)
        return sparse.csr_matrix((found.data, place), shape=found.shape)


@planted_task(FastLabels, many_labels, "differences", DIFFERENCE, listed=False)
class BatchDifferenceIsTruncatedToIntegers(LabelsTask):
    def differences(self, outputs, places):
        rows = np.zeros((self.n, self.size), dtype=np.asarray(self.Y).dtype)
        rows[:] = super().differences(outputs, places)
        return rows


@planted_task(FastLabels, many_labels, "differences", DIFFERENCE)
class BatchDifferenceOrdersByFeature(LabelsTask):
    """The entries of w by feature first, then by label."""

    def differences(self, outputs, places):
        rows = super().differences(outputs, places)
        return rows.reshape(self.n, K, -1).swapaxes(1, 2).reshape(self.n, -1)


# ----------------------------------------------------------------- plane

SUM = "Return sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i])"


@planted_task(FastLabels, many_labels, "plane", SUM)
class SumSortsTheWeights(LabelsTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, np.sort(weights))


@planted_task(FastLabels, many_labels, "plane", SUM, listed=False)
class SumCountsAWeightOfZeroAsOne(LabelsTask):
    def plane(self, outputs, weights):
        weights = np.array([weight or 1.0 for weight in weights])
        return super().plane(outputs, weights)


@planted_task(FastLabels, many_labels, "plane", SUM)
class SumClipsTheWeights(LabelsTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, np.clip(weights, 0, 1))


@planted_task(FastLabels, many_labels, "plane", SUM)
class SumNormalisesTheWeights(LabelsTask):
    def plane(self, outputs, weights):
        total = weights.sum() or 1.0
        return super().plane(outputs, weights / total)


@planted_task(FastTagging, sequences, "plane", SUM, listed=False)
class SumGoesOnFromTheLastCall(TaggingTask):
    total = 0.0

    def plane(self, outputs, weights):
        self.total = self.total + super().plane(outputs, weights)
        return self.total


@planted_task(FastLabels, many_labels, "plane", SUM)
class SumKeepsOneOfEveryPairOfLabels(LabelsTask):
    def plane(self, outputs, weights):
        pairs = {}
        for x, y, z, weight in zip(self.X, self.Y, outputs, weights, strict=True):
            pairs[int(y), int(z)] = weight * x
        found = np.zeros((K, self.X.shape[1]))
        for (y, z), vector in pairs.items():
            found[y] += vector
            found[z] -= vector
        return found.ravel()


@planted_task(FastLabels, many_labels, "plane", SUM, listed=False)
class SumTakesWholeWeights(LabelsTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, weights.astype(int))


@planted_task(Documents, documents, "plane", "Ensures: shape (size_joint_feature,)")
class SumIsAMatrixOfOneRow(DocumentsTask):
    def plane(self, outputs, weights):
        return np.atleast_2d(super().plane(outputs, weights))
