"""Bugs planted in soft oracles and in their sums."""

import numpy as np
import pytest
from correct_problems import (
    Chain,
    sequences,
)
from planted_bugs import (
    FIELDS,
    Mutants,
    assert_caught,
    eight_classes,
    words,
)

from structsvm import ContractViolation, SoftOutput, check_problem
from structsvm.problems import Multiclass

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(eight_classes, "sum_soft_oracle")
class SlacksOfWrongLabelsAlone(Multiclass):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        found = super().sum_soft_oracle(X, Y, w, mu, weights)
        scores = self.score_outputs(X, Y, w)
        scores[np.arange(len(Y)), Y] = -np.inf
        return found._replace(slacks=scores.max(axis=1))


@mutant(eight_classes, "soft_oracle")
class SoftGradientBackwards(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        soft = super().soft_oracle(x, y, w, mu)
        return soft._replace(joint_feature_difference=-soft.joint_feature_difference)


@mutant(eight_classes, "soft_oracle")
class SoftGradientOfTheMaximum(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        difference = self.joint_feature_difference(x, y, self.separation_oracle(x, y, w))
        return super().soft_oracle(x, y, w, mu)._replace(joint_feature_difference=difference)


@mutant(eight_classes, "soft_oracle")
class SoftValueIsTheMean(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        soft = super().soft_oracle(x, y, w, mu)
        return soft._replace(value=soft.value - mu * np.log(3))


@mutant(eight_classes, "soft_oracle")
class SoftIgnoresTheTemperature(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        return super().soft_oracle(x, y, w, 1.0)


@mutant(sequences, "soft_oracle")
class SoftLossOfTheMaximum(Chain):
    def soft_oracle(self, x, y, w, mu):
        loss = self.loss(y, self.separation_oracle(x, y, w))
        return super().soft_oracle(x, y, w, mu)._replace(loss=loss)


@mutant(eight_classes, "soft_oracle")
class SoftLossOfTheMaximumUnenumerated(Multiclass):
    outputs = None

    def soft_oracle(self, x, y, w, mu):
        loss = self.loss(y, self.separation_oracle(x, y, w))
        return super().soft_oracle(x, y, w, mu)._replace(loss=loss)


@mutant(eight_classes, "soft_oracle")
class SoftLeavesOutTheTruth(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        value, difference, loss = super().soft_oracle(x, y, w, mu)
        rest = 1 - np.exp(-value / mu)  # the truth has s = 0
        with np.errstate(divide="ignore", invalid="ignore"):
            return SoftOutput(value + mu * np.log(rest), difference / rest, loss / rest)


@mutant(eight_classes, "soft_oracle")
class SoftIsNaN(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        return super().soft_oracle(x, y, w, mu)._replace(value=np.nan)


class Sums(Multiclass):
    """The sums broken by ``change``; the slacks are returned."""

    def sum_soft_oracle(self, X, Y, w, mu, weights):
        return self.change(super().sum_soft_oracle(X, Y, w, mu, weights))


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumIsTheMean(Sums):
    def change(self, soft):
        n = len(soft.values)
        return soft._replace(joint_feature_difference=soft.joint_feature_difference / n)


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsLossIsTheMean(Sums):
    def change(self, soft):
        return soft._replace(loss=soft.loss / len(soft.values))


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumIgnoresTheWeights(Multiclass):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        return super().sum_soft_oracle(X, Y, w, mu, np.ones(len(Y)))


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumWeighsValues(Multiclass):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        soft = super().sum_soft_oracle(X, Y, w, mu, weights)
        return soft._replace(values=weights * soft.values)


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsValuesInAnotherOrder(Sums):
    def change(self, soft):
        return soft._replace(values=np.sort(soft.values))


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsSlacksAreTheValues(Sums):
    def change(self, soft):
        return soft._replace(slacks=soft.values)


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsSlacksAreTooLow(Sums):
    def change(self, soft):
        return soft._replace(slacks=0.5 * soft.slacks)


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumIsOneNumber(Sums):
    def change(self, soft):
        return soft._replace(values=soft.values.sum())


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumIsATriple(Sums):
    def change(self, soft):
        return soft[:3]


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumAloneIgnoresTheTemperature(Multiclass):
    soft_oracle = None

    def sum_soft_oracle(self, X, Y, w, mu, weights):
        return super().sum_soft_oracle(X, Y, w, 1.0, weights)


@mutant(words, "sum_soft_oracle")
class SoftSumRemembersTheFirstW(Multiclass):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        self._first = getattr(self, "_first", w)
        return super().sum_soft_oracle(X, Y, self._first, mu, weights)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (3.0, "must return a SoftSum; it returned 3.0"),
        (([], np.zeros(6), 0.0, None), "(values) must return shape (1,); got shape (0,)"),
    ],
)
def test_a_soft_oracle_that_returns_something_else_is_told_what(found, message):
    class Odd(Multiclass):
        soft_oracle = None

        def sum_soft_oracle(self, X, Y, w, mu, weights):
            return found

    with pytest.raises(ContractViolation) as caught:
        check_problem(Odd(), *Multiclass.example_data())
    assert message in str(caught.value) and "raised" not in str(caught.value)
