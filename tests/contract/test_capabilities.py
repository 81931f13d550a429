"""What a problem offers, and how good its oracle is."""

import pytest
from toy_problems import LatentTopics, Multilabel

from structsvm import Problem, SelfLabelledProblem
from structsvm.contract.capabilities import offers, oracle_is_exact, oracle_may_miss
from structsvm.problems import Multiclass


class Bare(Problem):
    """Nothing defined."""


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


def test_optional_methods_of_subclasses_are_offered_and_those_of_the_base_classes_not():
    assert offers(Multiclass(), "batch_loss")
    assert not offers(Multilabel(), "batch_loss")
    assert offers(LatentTopics(), "impute")
    assert not offers(SelfLabelledProblem(), "relabelled_planes")
    assert not offers(Multilabel(), "relabelled_planes")

    class Without(Multiclass):
        batch_loss = None

    assert not offers(Without(), "batch_loss"), "None switches an inherited form off"
