"""The contract's base classes: defaults, what is offered, and how good the oracle is."""

import inspect

import numpy as np
import pytest
from toy_problems import LatentTopics, Multilabel, multilabel_data

from structsvm import Problem, SelfLabelledProblem
from structsvm.problem import offers, oracle_is_exact, oracle_may_miss
from structsvm.problems import Multiclass

REQUIRED = ("joint_feature", "loss", "separation_oracle", "decode")


class Bare(Problem):
    """Nothing defined."""


@pytest.mark.parametrize("method", REQUIRED)
def test_a_missing_method_is_named_with_the_place_that_describes_it(method):
    arguments = [None] * (len(inspect.signature(getattr(Problem, method)).parameters) - 1)
    message = rf"Bare does not define {method}; .*structsvm\.Problem\.{method}"
    with pytest.raises(NotImplementedError, match=message):
        getattr(Bare(), method)(*arguments)


def test_offers_what_is_overridden_and_not_withdrawn():
    class Sub(Multilabel):
        refine = None

        def slack_oracle(self, x, y, w):
            return y

    assert offers(Sub(), "slack_oracle")
    assert not offers(Bare(), "slack_oracle")
    assert not offers(Sub(), "refine")
    assert not offers(Sub(), "no_such_method")


def test_what_the_self_labelled_base_class_requires_is_not_offered():
    class Latent(SelfLabelledProblem):
        pass

    assert not offers(Latent(), "initialize")


@pytest.mark.parametrize(
    ("quality", "exact", "misses"),
    [("exact", True, False), ("undergenerating", False, True), ("overgenerating", False, False)],
)
def test_the_quality_of_the_oracle_is_read_when_it_is_needed(quality, exact, misses):
    problem = Bare()
    assert oracle_is_exact(problem) and not oracle_may_miss(problem)
    problem.oracle_quality = quality  # on the instance
    assert (oracle_is_exact(problem), oracle_may_miss(problem)) == (exact, misses)

    class Declared(Problem):
        oracle_quality = quality

    assert (oracle_is_exact(Declared()), oracle_may_miss(Declared())) == (exact, misses)


def test_the_default_size_is_that_of_the_first_joint_feature():
    X, Y = multilabel_data()
    problem = Multilabel()
    Problem.initialize(problem, X, Y)
    assert problem.size_joint_feature == len(problem.joint_feature(X[0], Y[0]))


def test_the_default_difference_refuses_joint_features_of_two_shapes():
    class Growing(Problem):
        def joint_feature(self, x, y):
            return np.ones(y)

    with pytest.raises(ValueError, match=r"one shape .* \(2,\) for y and \(3,\) for y_hat"):
        Growing().joint_feature_difference(None, 2, 3)


def test_the_default_start_is_small_and_not_zero():
    problem = SelfLabelledProblem()
    problem.size_joint_feature = 5
    w = problem.initial_w(None, np.random.default_rng(0))
    assert np.linalg.norm(w) == pytest.approx(1e-3)


def test_optional_methods_of_subclasses_are_offered_and_those_of_the_base_classes_not():
    assert offers(Multiclass(), "batch_loss")
    assert not offers(Multilabel(), "batch_loss")
    assert offers(LatentTopics(), "impute")
    assert not offers(SelfLabelledProblem(), "relabelled_planes")
    assert not offers(Multilabel(), "relabelled_planes")

    class Without(Multiclass):
        batch_loss = None

    assert not offers(Without(), "batch_loss"), "None switches an inherited form off"
