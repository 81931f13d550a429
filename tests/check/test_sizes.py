"""Bugs planted in initialize: a size that counts the examples."""

import numpy as np
import pytest
from correct_problems import Latent, Matching, Multilabel, graphs, vectors
from planted_bugs import FIELDS, Mutants, assert_caught

from structsvm import Task, check_problem

MUTANTS = Mutants()
mutant = MUTANTS.register


def square(seed):
    """As many examples as features."""
    return vectors(seed, n=5, d=5)


def unlabelled(seed, n=6, d=6):
    return np.random.default_rng(seed).normal(size=(n, d)), None


class WrongAxis(Multilabel):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.n_features_ = X.shape[0]
        self.size_joint_feature = self.n_labels * X.shape[0]


mutant(vectors, "initialize")(WrongAxis)
mutant(square, "initialize")(WrongAxis)
mutant(lambda seed: vectors(seed, n=30), "initialize")(WrongAxis)


@mutant(square, "initialize")
class WrongAxisInTheJointFeatureToo(WrongAxis):
    def joint_feature(self, x, y):
        psi = np.zeros((self.n_labels, self.n_features_))
        psi[y == 1] = x
        return psi.ravel()


@mutant(lambda seed: graphs(seed, n=4, k=4, d=4), "initialize")
class WrongAxisOfAList(Matching):
    def initialize(self, X, Y):
        self.size_joint_feature = len(X)


@mutant(unlabelled, "initialize")
class WrongAxisWithoutLabels(Latent):
    def initialize(self, X, Y):
        self.size_joint_feature = self.k * X.shape[0]


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_a_joint_feature_with_a_part_for_each_example_is_no_error():
    class ByExample(Multilabel):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.batch_ = self.size_joint_feature
            self.size_joint_feature += len(X)

        def joint_feature(self, x, y):
            zeros = np.zeros(self.size_joint_feature - self.batch_)
            return np.append(super().joint_feature(x, y), zeros)

        def separation_oracle(self, x, y, w):
            return super().separation_oracle(x, y, w[: self.batch_])

        def slack_oracle(self, x, y, w):
            return max(
                self.outputs(x),
                key=lambda z: (
                    self.loss(y, z)
                    * (1 - w @ (self.joint_feature(x, y) - self.joint_feature(x, z)))
                ),
            )

        def decode(self, x, w):
            return super().decode(x, w[: self.batch_])

        def task(self, X, Y=None):
            return Task(self, X, Y)

    check_problem(ByExample(), *vectors(0))


def test_data_of_which_a_few_do_not_fit_are_not_judged():
    class Many(Multilabel):
        def initialize(self, X, Y):
            if len(X) < 20:
                raise ValueError("expected 20 examples")
            super().initialize(X, Y)

    check_problem(Many(), *vectors(0, n=20), max_examples=5)
