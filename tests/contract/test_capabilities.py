"""What a problem defines, and how good its oracle is."""

import pytest
from toy_problems import Multilabel

from structsvm import Problem, Task
from structsvm.contract.capabilities import (
    computes_with_arrays,
    oracle_is_exact,
    oracle_may_miss,
)
from structsvm.problems import Multiclass


class Bare(Problem):
    """Nothing defined."""


class Withdrawn(Multilabel):
    slack_oracle = None


def test_optional_methods_are_none_until_a_class_defines_them():
    assert Bare().slack_oracle is Bare().soft_oracle is Bare().constraints is None
    assert Multilabel().slack_oracle is not None and Withdrawn().slack_oracle is None


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


def test_overridden_methods_are_told_from_defaults():
    assert computes_with_arrays(Multiclass()) and not computes_with_arrays(Multilabel())


def test_optional_methods_of_tasks_are_none_likewise():
    X, y = Multiclass.example_data()
    problem = Multiclass()
    problem.initialize(X, y)
    task = problem.task(X, y)
    assert task.products is not None and task.refine is None
    assert Task(problem, X, y).products is None
