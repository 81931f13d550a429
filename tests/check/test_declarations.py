"""Notes on names and pickling."""

import threading

import pytest
from correct_problems import Chain, SilentChain, sequences

from structsvm import check_problem


def test_a_problem_that_cannot_be_pickled_is_noted():
    class Locked(Chain):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.lock = threading.Lock()

    (note,) = check_problem(Locked(), *sequences(0)).notes
    assert "n_jobs needs a problem that can be pickled" in note
    Locked.parallelism = "threads"
    assert not check_problem(Locked(), *sequences(0)).notes


@pytest.mark.parametrize(
    ("name", "meant"),
    [("constraint", "constraints"), ("upper_bounds", "constraints"), ("tasks", "task")],
)
def test_a_method_that_is_in_no_contract_is_noted_and_its_check_not_passed(name, meant):
    kind = type("Other", (SilentChain,), {name: lambda self: None})
    report = check_problem(kind(), *sequences(0))
    assert f"Other.{name} is not in the contract: is {meant} meant?" in report.notes
    assert "no_method_is_misspelt" not in report.checks + report.not_applicable
