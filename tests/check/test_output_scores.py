"""Bugs planted in the scores of all outputs and in the expected differences."""

import numpy as np
import pytest
from planted_bugs import FIELDS, Mutants, assert_caught, eight_classes

from structsvm import check_problem
from structsvm.problems import Multiclass
from structsvm.problems.classification.multiclass.task import MulticlassTask

MUTANTS = Mutants()
mutant = MUTANTS.register_task


@mutant(Multiclass, eight_classes, "score_outputs")
class WithoutTheLoss(MulticlassTask):
    def score_outputs(self, w):
        return super().score_outputs(w) - super().score_outputs(0 * w)


@mutant(Multiclass, eight_classes, "score_outputs")
class NotLessTheTruth(MulticlassTask):
    def score_outputs(self, w):
        return super().score_outputs(w) + 1


@mutant(Multiclass, eight_classes, "score_outputs")
class OutputsInReverse(MulticlassTask):
    def score_outputs(self, w):
        return super().score_outputs(w)[:, ::-1]


@mutant(Multiclass, eight_classes, "score_outputs")
class ARowForEachOutput(MulticlassTask):
    def score_outputs(self, w):
        return super().score_outputs(w).T


class Unlisted(Multiclass):
    outputs = None


@mutant(Unlisted, eight_classes, "score_outputs")
class LessTheBestWithoutOutputs(MulticlassTask):
    def score_outputs(self, w):
        scores = super().score_outputs(w)
        return scores - scores.max(axis=1, keepdims=True)


@mutant(Multiclass, eight_classes, "score_outputs")
class ScoresOfOtherWeights(MulticlassTask):
    def score_outputs(self, w):
        w *= 2
        return super().score_outputs(w)


@mutant(Multiclass, eight_classes, "expected_difference")
class ExpectedDifferencesTakeTheSumOfProbabilitiesForOne(MulticlassTask):
    def expected_difference(self, probabilities):
        rest = 1 - probabilities.sum(axis=1)
        probabilities = probabilities.copy()
        probabilities[:, -1] += rest
        return super().expected_difference(probabilities)


@mutant(Multiclass, eight_classes, "expected_difference")
class Backwards(MulticlassTask):
    def expected_difference(self, probabilities):
        return -super().expected_difference(probabilities)


@mutant(Multiclass, eight_classes, "expected_difference")
class AMean(MulticlassTask):
    def expected_difference(self, probabilities):
        return super().expected_difference(probabilities) / self.n


@mutant(Multiclass, eight_classes, "expected_difference")
class WithoutTheTruth(MulticlassTask):
    def expected_difference(self, probabilities):
        return -(probabilities.T @ self.X).ravel()


@mutant(Multiclass, eight_classes, "expected_difference")
class NotFlat(MulticlassTask):
    def expected_difference(self, probabilities):
        return super().expected_difference(probabilities).reshape(probabilities.shape[1], -1)


@mutant(Multiclass, eight_classes, "products")
class ProductsOfClassesThatOverlap(MulticlassTask):
    def products(self):
        return super().products()._replace(products=self.X @ self.X.T + 1, features=None)


@mutant(Multiclass, eight_classes, "products")
class TruthsInReverse(MulticlassTask):
    def products(self):
        found = super().products()
        return found._replace(true=len(self.problem.classes_) - 1 - found.true)


@mutant(Multiclass, eight_classes, "products")
class ProductsOfFeatures(MulticlassTask):
    def products(self):
        return super().products()._replace(products=self.X.T @ self.X, features=None)


@mutant(Multiclass, eight_classes, "products")
class FeaturesWithoutAColumn(MulticlassTask):
    def products(self):
        found = super().products()
        return found._replace(products=None, features=self.X[:, 1:])


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_planted_bugs_are_found(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize("cost", [None, [[0, 5, 1], [1, 0, 2], [0, 3, 0]]])
def test_correct_ones_pass(cost):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), np.array(["a", "b", "c"])[np.arange(12) % 3]
    report = check_problem(Multiclass(cost=cost), X, y)
    checks = {"output_scores_agree", "expected_differences_agree", "products_agree"}
    assert checks <= set(report.checks)
