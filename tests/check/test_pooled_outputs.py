"""Pools of outputs: the default of the argument, and one method without the other."""

import pytest

from benchmarks.robustness._planted.correct.pools import Choices, ChoicesTask, choices
from structsvm import OneSlackCuttingPlane, ProblemError, StructuredSVM, check_problem


def with_batches(kind):
    return type("Pooled", (Choices,), {"batches": kind})()


def test_the_pool_needs_no_default():
    class AlwaysGiven(ChoicesTask):
        def pool_outputs(self, outputs, pool):
            return super().pool_outputs(outputs, pool)

    Expensive = type("Expensive", (Choices,), {"batches": AlwaysGiven, "oracle_cost": "expensive"})
    check_problem(Expensive(), *choices())
    assert StructuredSVM(Expensive()).fit(*choices()).result_.oracle_calls > 0


@pytest.mark.parametrize("name", ["pool_outputs", "search_pool"])
def test_one_without_the_other_ends_a_fit(name):
    problem = with_batches(type("Lacking", (ChoicesTask,), {name: None}))
    problem.oracle_cost = "expensive"
    message = f"{name} is missing"
    with pytest.raises(ProblemError, match=f"{message}.*define both, or neither"):
        StructuredSVM(problem).fit(*choices())
    with pytest.raises(ProblemError, match=message):
        OneSlackCuttingPlane().solve(problem, *choices())
