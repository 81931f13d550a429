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
    with_task,
    words,
)

from benchmarks.robustness._planted_labels import SoftLabels, SoftLabelsTask, labels
from structsvm import ContractViolation, SoftOutput, check_problem
from structsvm.problems import Multiclass
from structsvm.problems.classification.multiclass.task import MulticlassTask

MUTANTS = Mutants()
mutant = MUTANTS.register
task_mutant = MUTANTS.register_task


@task_mutant(Multiclass, eight_classes, "soft")
class SlacksOfWrongLabelsAlone(MulticlassTask):
    def soft(self, w, mu, weights):
        found = super().soft(w, mu, weights)
        scores = self.score_outputs(w)
        scores[np.arange(self.n), self.Y] = -np.inf
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


class Sums(MulticlassTask):
    """The sums broken by ``change``; the slacks are returned."""

    def soft(self, w, mu, weights):
        return self.change(super().soft(w, mu, weights))


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumIsTheMean(Sums):
    def change(self, soft):
        n = len(soft.values)
        return soft._replace(joint_feature_difference=soft.joint_feature_difference / n)


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumsLossIsTheMean(Sums):
    def change(self, soft):
        return soft._replace(loss=soft.loss / len(soft.values))


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumIgnoresTheWeights(MulticlassTask):
    def soft(self, w, mu, weights):
        return super().soft(w, mu, np.ones(self.n))


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumWeighsValues(MulticlassTask):
    def soft(self, w, mu, weights):
        soft = super().soft(w, mu, weights)
        return soft._replace(values=weights * soft.values)


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumsValuesInAnotherOrder(Sums):
    def change(self, soft):
        return soft._replace(values=np.sort(soft.values))


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumsSlacksAreTheValues(Sums):
    def change(self, soft):
        return soft._replace(slacks=soft.values)


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumsSlacksAreTooLow(Sums):
    def change(self, soft):
        return soft._replace(slacks=0.5 * soft.slacks)


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumIsOneNumber(MulticlassTask):
    def soft(self, w, mu, weights):
        soft = super().soft(w, mu, weights)
        return soft._replace(values=soft.values.sum())


@task_mutant(Multiclass, eight_classes, "soft")
class SoftSumIsATriple(MulticlassTask):
    def soft(self, w, mu, weights):
        return super().soft(w, mu, weights)[:3]


@task_mutant(Multiclass, words, "soft")
class SoftSumRemembersTheFirstW(MulticlassTask):
    def soft(self, w, mu, weights):
        self._first = getattr(self, "_first", w)
        return super().soft(self._first, mu, weights)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (3.0, "Odd.soft must return a SoftSum; it returned 3.0"),
        (([], np.zeros(6), 0.0, None), "; got shape (0,)"),
    ],
)
def test_soft_sums_that_are_something_else_are_told(found, message):
    class Odd(SoftLabelsTask):
        def soft(self, w, mu, weights):
            return found

    with pytest.raises(ContractViolation) as caught:
        check_problem(with_task(SoftLabels, Odd)(), *labels())
    assert message in str(caught.value) and "raised" not in str(caught.value)
