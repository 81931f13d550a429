"""Bugs planted in the scores of all outputs and in the expected differences."""

import numpy as np
import pytest
from planted_bugs import FIELDS, Mutants, assert_caught, eight_classes

from structsvm import check_problem
from structsvm.problems import Multiclass

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(eight_classes, "score_outputs")
class WithoutTheLoss(Multiclass):
    def score_outputs(self, X, Y, w):
        return super().score_outputs(X, Y, w) - super().score_outputs(X, Y, 0 * w)


@mutant(eight_classes, "score_outputs")
class NotLessTheTruth(Multiclass):
    def score_outputs(self, X, Y, w):
        return super().score_outputs(X, Y, w) + 1


@mutant(eight_classes, "score_outputs")
class OutputsInReverse(Multiclass):
    def score_outputs(self, X, Y, w):
        return super().score_outputs(X, Y, w)[:, ::-1]


@mutant(eight_classes, "score_outputs")
class ARowForEachOutput(Multiclass):
    def score_outputs(self, X, Y, w):
        return super().score_outputs(X, Y, w).T


@mutant(eight_classes, "score_outputs")
class LessTheBestWithoutOutputs(Multiclass):
    outputs = None

    def score_outputs(self, X, Y, w):
        scores = super().score_outputs(X, Y, w)
        return scores - scores.max(axis=1, keepdims=True)


@mutant(eight_classes, "score_outputs")
class ScoresOfOtherWeights(Multiclass):
    def score_outputs(self, X, Y, w):
        w *= 2
        return super().score_outputs(X, Y, w)


@mutant(eight_classes, "sum_expected_difference")
class ExpectedDifferencesTakeTheSumOfProbabilitiesForOne(Multiclass):
    def sum_expected_difference(self, X, Y, probabilities):
        rest = 1 - probabilities.sum(axis=1)
        probabilities = probabilities.copy()
        probabilities[:, -1] += rest
        return super().sum_expected_difference(X, Y, probabilities)


@mutant(eight_classes, "sum_expected_difference")
class Backwards(Multiclass):
    def sum_expected_difference(self, X, Y, probabilities):
        return -super().sum_expected_difference(X, Y, probabilities)


@mutant(eight_classes, "sum_expected_difference")
class AMean(Multiclass):
    def sum_expected_difference(self, X, Y, probabilities):
        return super().sum_expected_difference(X, Y, probabilities) / len(Y)


@mutant(eight_classes, "sum_expected_difference")
class WithoutTheTruth(Multiclass):
    def sum_expected_difference(self, X, Y, probabilities):
        return -(probabilities.T @ X).ravel()


@mutant(eight_classes, "sum_expected_difference")
class NotFlat(Multiclass):
    def sum_expected_difference(self, X, Y, probabilities):
        return (
            super().sum_expected_difference(X, Y, probabilities).reshape(probabilities.shape[1], -1)
        )


@mutant(eight_classes, "example_products")
class ProductsOfClassesThatOverlap(Multiclass):
    def example_products(self, X, Y):
        return super().example_products(X, Y)._replace(products=X @ X.T + 1, features=None)


@mutant(eight_classes, "example_products")
class TruthsInReverse(Multiclass):
    def example_products(self, X, Y):
        found = super().example_products(X, Y)
        return found._replace(true=len(self.classes_) - 1 - found.true)


@mutant(eight_classes, "example_products")
class ProductsOfFeatures(Multiclass):
    def example_products(self, X, Y):
        return super().example_products(X, Y)._replace(products=X.T @ X, features=None)


@mutant(eight_classes, "example_products")
class FeaturesWithoutAColumn(Multiclass):
    def example_products(self, X, Y):
        found = super().example_products(X, Y)
        return found._replace(products=None, features=X[:, 1:])


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_planted_bugs_are_found(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize("cost", [None, [[0, 5, 1], [1, 0, 2], [0, 3, 0]]])
def test_correct_ones_pass(cost):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), np.array(["a", "b", "c"])[np.arange(12) % 3]
    report = check_problem(Multiclass(cost=cost), X, y)
    checks = {"output_scores_agree", "expected_differences_agree", "example_products_agree"}
    assert checks <= set(report.checks)
