"""The third set: bugs of optimisers, who add a task to a problem that works."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted_task
from benchmarks.robustness._planted_labels import (
    COSTS,
    FastLabels,
    K,
    LabelsTask,
    Principal,
    SoftLabels,
    SoftLabelsTask,
    many_labels,
    margins,
    scores,
)
from benchmarks.robustness._planted_parts import FastParts, PartsTask, parts
from benchmarks.robustness._planted_tagging import FastTagging, TaggingTask, sequences

SEARCH = "Apply the single form to n examples; return n outputs"


@planted_task(FastLabels, many_labels, "search", SEARCH)
class BatchOracleCachesByTheNumberOfExamples(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.cache = {}

    def search(self, w):
        return np.argmax(COSTS[self.Y] + self.cache.setdefault(self.n, scores(self.X, w)), axis=1)


@planted_task(FastLabels, many_labels, "search", SEARCH, listed=False)
class BatchOracleReadsWInTheOtherOrder(LabelsTask):
    def search(self, w):
        return np.argmax(COSTS[self.Y] + self.X @ w.reshape(-1, K), axis=1)


@planted_task(FastLabels, many_labels, "search", SEARCH)
class BatchOracleFailsForOneExample(LabelsTask):
    def search(self, w):
        first, rest = self.X[:1], self.X[1:]
        top = scores(rest, w).max()  # of no examples where there is one
        return np.argmax(COSTS[self.Y] + np.r_[scores(first, w), scores(rest, w)] - top, axis=1)


@planted_task(FastLabels, many_labels, "decode", SEARCH)
class BatchDecodeIsAColumn(LabelsTask):
    def decode(self, w):
        return super().decode(w)[:, None]


@planted_task(FastLabels, many_labels, "decode", SEARCH, listed=False)
class BatchDecodeJoinsItsChunksInReverse(LabelsTask):
    def decode(self, w):
        found = super().decode(w)
        chunks = [found[i : i + 8] for i in range(0, self.n, 8)]
        return np.concatenate(chunks[::-1])


@planted_task(FastLabels, many_labels, "decode", "Batch forms get parts of the containers", "task")
class BatchDecodeAnswersForTheFirstExamples(LabelsTask):
    """It reads what the whole task kept, also as a part."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.rows = X

    def decode(self, w):
        return np.argmax(scores(self.rows[: self.n], w), axis=1)


@planted_task(FastLabels, many_labels, "search_rescaled", SEARCH, listed=False)
class BatchSlackOracleIsTheMarginOne(LabelsTask):
    def search_rescaled(self, w):
        return self.search(w)


@planted_task(
    FastLabels, many_labels, "losses", "Apply loss to n pairs; return shape (n,)", listed=False
)
class BatchLossIsOfTheNextExample(LabelsTask):
    def losses(self, outputs):
        return COSTS[np.roll(self.Y, -1), outputs]


@planted_task(FastTagging, sequences, "losses", "Apply loss to n pairs; return shape (n,)")
class BatchLossCountsAtMostTwo(TaggingTask):
    def losses(self, outputs):
        return np.minimum(super().losses(outputs), 2)


DIFFERENCE = "Apply joint_feature_difference to n examples"


@planted_task(FastLabels, many_labels, "differences", DIFFERENCE)
class BatchDifferenceIsOfSigns(LabelsTask):
    def differences(self, outputs, places):
        return np.sign(super().differences(outputs, places))


@planted_task(FastLabels, many_labels, "differences", DIFFERENCE, listed=False)
class BatchDifferenceIsZeroForRepeatedInputs(LabelsTask):
    """Only the first of equal inputs is filled in."""

    def differences(self, outputs, places):
        rows = super().differences(outputs, places)
        again = np.setdiff1d(np.arange(self.n), np.unique(self.X, axis=0, return_index=True)[1])
        rows[again] = 0
        return rows


SUM = "Return sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i])"


@planted_task(FastLabels, many_labels, "plane", SUM)
class SumTakesAbsoluteWeights(LabelsTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, abs(weights))


@planted_task(FastLabels, many_labels, "plane", SUM, listed=False)
class SumDropsTheLastOfAnOddNumber(LabelsTask):
    def plane(self, outputs, weights):
        n = max(1, self.n // 2 * 2)
        return super().plane(outputs, np.where(np.arange(self.n) < n, weights, 0))


@planted_task(FastTagging, sequences, "plane", SUM)
class SumIsInHalfPrecision(TaggingTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, weights).astype(np.float16)


@planted_task(FastLabels, many_labels, "task", "A subclass converts X and Y here")
class TaskTransposes(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, np.asfortranarray(X).T, Y)


@planted_task(FastLabels, many_labels, "task", "A subclass converts X and Y here", listed=False)
class TaskScalesEveryInput(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X / np.linalg.norm(X, axis=1, keepdims=True), Y)


@planted_task(FastParts, parts, "impute", "Apply impute to n examples; return n outputs")
class BatchImputeIsOneExampleLate(PartsTask):
    def impute(self, w):
        found = super().impute(w)
        return [found[-1], *found[:-1]]


@planted_task(
    FastParts, parts, "relabelled", "previous is None, or the previous labels with the rows"
)
class RelabelledPlanesReturnThePrevious(PartsTask):
    def relabelled(self, passes, weights, previous=None):
        if previous is not None:
            return previous[1:]
        return super().relabelled(passes, weights)


@planted_task(SoftLabels, many_labels, "soft", "The sum of SoftOutput.joint_feature_difference")
class SoftSumDividesTheDifference(SoftLabelsTask):
    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        difference = found.joint_feature_difference / self.n
        return found._replace(joint_feature_difference=difference)


@planted_task(SoftLabels, many_labels, "curvature", "Ensures: finite and >= 0", listed=False)
class CurvatureIsThatOfAConcaveFunction(SoftLabelsTask):
    def curvature(self, w, mu, weights):
        return -super().curvature(w, mu, weights)


@planted_task(SoftLabels, many_labels, "minibatches", "examples : places among those divided")
class BatchesAreMasks(SoftLabelsTask):
    def minibatches(self):
        found = super().minibatches()
        return [b._replace(examples=np.isin(np.arange(self.n), b.examples)) for b in found]


@planted_task(SoftLabels, many_labels, "score_outputs", "the columns are in the order of outputs")
class OutputScoresAreSorted(SoftLabelsTask):
    def score_outputs(self, w):
        return np.sort(margins(self.X, self.Y, w), axis=1)


@planted_task(
    SoftLabels, many_labels, "expected_difference", "the expectation of Psi(x, y) - Psi(x, z)"
)
class ExpectedDifferenceLeavesOutTheTruth(SoftLabelsTask):
    def expected_difference(self, probabilities):
        return -(self.X.T @ probabilities).T.ravel()


class Skewed(Principal):
    def times(self, factors, w):
        return ((w.reshape(-1, len(self.axes)) @ self.axes * factors) @ self.axes).reshape(w.shape)


@planted_task(
    SoftLabels, many_labels, "axes", "Stretch w along the axes of each group by its factor"
)
class AxesAreNotTurnedBack(SoftLabelsTask):
    def axes(self):
        return Skewed(self.X)
