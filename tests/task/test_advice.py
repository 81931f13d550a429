"""Users of a problem that structsvm brings are not told to correct its methods."""

import numpy as np
import pytest

from structsvm import OneSlackCuttingPlane, Problem, ProblemError
from structsvm.problems import DecisionProblem, IntegerProgram, Multiclass
from structsvm.problems.classification.multiclass.task import MulticlassTask
from structsvm.problems.decisions import CallableOptimizer, GridPaths
from structsvm.task.advice import CHECK, advice

X, Y = Multiclass.example_data()
FOR_AUTHORS = ("check_problem", "undergenerating", "forgetting the loss")


class Derived(Multiclass):
    """The problem of a user."""


def test_the_advice_is_for_whoever_wrote_the_problem():
    assert advice(Derived()) == CHECK
    assert advice(Derived(), "seed it") == "seed it"
    message = advice(Multiclass(), "seed it")
    assert message.startswith("Multiclass is a problem of structsvm: look for ")
    assert "report it" in message
    assert "seed it" not in message
    assert advice(Problem()) == "Problem is the base class of problems: write a subclass of it"


def truth(self, w):
    return Y


def missing(self, w):
    labels = np.array(list(self.Y))
    return labels if w.any() else np.roll(labels, 1)


def infinite(self, outputs, weights):
    return np.full(self.size, np.inf)


@pytest.mark.parametrize("kind", [Multiclass, Derived])
@pytest.mark.parametrize(
    ("method", "broken", "message"),
    [
        ("search", truth, "where it should return one of the largest loss"),
        ("search", missing, "declared exact but"),
        ("plane", infinite, "NaN or infinity"),
    ],
)
def test_errors_in_training(monkeypatch, kind, method, broken, message):
    monkeypatch.setattr(MulticlassTask, method, broken)
    with pytest.raises(ProblemError, match=message) as caught:
        OneSlackCuttingPlane(rtol=1e-6).solve(kind(), X, Y, 100.0)
    error = str(caught.value)
    assert ("Multiclass is a problem of structsvm" in error) is (kind is Multiclass), error
    assert any(words in error for words in FOR_AUTHORS) is (kind is Derived), error


def of_user(costs):
    return costs


@pytest.mark.parametrize(
    ("problem", "parameter"),
    [
        (DecisionProblem(of_user), "optimize"),
        (DecisionProblem(CallableOptimizer(of_user)), "optimize"),
        (IntegerProgram(solver=of_user), "solver"),
    ],
)
def test_a_search_of_the_user_is_not_a_defect_of_structsvm(problem, parameter):
    assert f"searches by {parameter}, which is not of structsvm" in advice(problem)
    assert "report" not in advice(problem)
    for problem in (DecisionProblem(GridPaths(2, 2)), IntegerProgram()):
        assert "please report" in advice(problem)
