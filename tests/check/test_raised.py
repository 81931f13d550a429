"""Exceptions of a user's methods become findings that name the method, and the line of its file."""

import inspect
import warnings

import numpy as np
import pytest
from correct_problems import SilentChain, sequences

import structsvm.check
from structsvm import ContractViolation, ProblemError, Task, check_problem
from structsvm.check.evidence import law
from structsvm.check.findings import describe


def findings(problem, X, Y):
    with pytest.raises(ContractViolation) as caught:
        check_problem(problem, X, Y)
    return caught.value.findings


def line_of(function):
    return f"(test_raised.py:{function.__code__.co_firstlineno})"


class LossWithoutPrediction(SilentChain):
    def loss(self, y):
        return 0.0


class DecoderOfThree(SilentChain):
    def decode(self, x, y, w):
        return y


class TaskForNobody(SilentChain):
    def task(self, X):
        return X


class ConstrainsForData(SilentChain):
    def constraints(self, X):
        return None


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        (LossWithoutPrediction, "loss"),
        (DecoderOfThree, "decode"),
        (TaskForNobody, "task"),
        (ConstrainsForData, "constraints"),
    ],
)
def test_a_wrong_signature_is_located_where_the_method_begins(kind, method):
    found = findings(kind(), *sequences(0))
    assert {finding.method for finding in found} == {method}
    assert "TypeError" in found[0].message and "positional argument" in found[0].message
    assert line_of(getattr(kind, method)) in found[0].message


def test_an_error_in_a_library_is_located_in_the_line_that_called_it():
    class Stacks(SilentChain):
        def joint_feature(self, x, y):
            return np.concatenate([x, np.zeros(3)])

    (found,) = findings(Stacks(), *sequences(0))
    line = inspect.getsourcelines(Stacks.joint_feature)[1] + 1
    assert found.method == "joint_feature"
    assert "Stacks.joint_feature raised ValueError: all the input array" in found.message
    assert found.message.endswith(f"(test_raised.py:{line})")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda problem, X, Y: X, "task must return a structsvm.Task; it returned"),
        (lambda problem, X, Y: Task(problem, X[:-1], Y), "must hold the 6 examples"),
    ],
)
def test_whatever_task_returns_is_a_finding_of_task(wrong, message):
    class Makes(SilentChain):
        def task(self, X, Y=None):
            return wrong(self, X, Y)

    X, Y = sequences(0, n=6)
    (found,) = findings(Makes(), X, Y)
    assert found.method == "task"
    assert message in found.message


def test_an_error_of_a_property_is_that_of_the_method():
    class Lazy(SilentChain):
        @property
        def decode(self):
            raise LookupError("not trained")

    found = findings(Lazy(), *sequences(0))
    assert found[0].method == "decode" and "LookupError: not trained (test_r" in found[0].message


def test_a_check_that_cannot_read_a_value_names_the_method_called_last(monkeypatch):
    def reads(evidence):
        evidence.calls.attempt("decode", evidence.calls.x[0], np.zeros(evidence.calls.size))
        raise ZeroDivisionError("by the check")
        yield

    monkeypatch.setattr(structsvm.check, "STAGES", [[law(0)(reads)]])
    (found,) = findings(SilentChain(), *sequences(0))
    assert found.method == "decode"
    assert "cannot be used: ZeroDivisionError (" in found.message


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, RuntimeWarning])
@pytest.mark.parametrize("method", ["decode", "initialize", "task", "constraints"])
def test_what_is_no_mistake_of_the_problem_is_passed_on(kind, method):
    def fails(self, *arguments):
        raise kind("stop")

    problem = type("Stops", (SilentChain,), {method: fails})()
    with pytest.raises(kind):
        check_problem(problem, *sequences(0))


def test_warnings_that_the_user_made_errors_are_passed_on():
    class Warns(SilentChain):
        def loss(self, y, y_hat):
            warnings.warn("slow", stacklevel=1)
            return super().loss(y, y_hat)

    with warnings.catch_warnings(), pytest.raises(UserWarning):
        warnings.simplefilter("error")
        check_problem(Warns(), *sequences(0))


def test_an_error_that_is_written_for_the_user_stays_as_it_is():
    assert describe(ProblemError("do this"), SilentChain(), "loss") == "do this"
