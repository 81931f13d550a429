"""The time limit of the checker, on a clock that runs by calls, and its progress bar."""

from types import SimpleNamespace

import pytest
from correct_problems import Chain, SilentChain, sequences

from benchmarks.robustness._planted.correct.grid import RefinedGrid
from benchmarks.robustness._planted.correct.labels import FastLabels
from benchmarks.robustness._planted.correct.tagging import FastTagging
from benchmarks.robustness._planted.register import DATA, changed
from structsvm import ContractViolation, check_problem
from structsvm.check import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets, for the time limit."""
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: clock.seconds))
    return clock


def ticking(base, clock, method="separation_oracle"):
    """A problem one method of which takes a second a call."""

    class Ticking(base):
        calls = 0

    def tick(self, *arguments):
        Ticking.calls += 1
        clock.seconds += 1
        return getattr(base, method)(self, *arguments)

    setattr(Ticking, method, tick)
    return Ticking


def test_no_point_is_visited_after_half_of_the_time(clock):
    X, Y = sequences(0)
    every, half = ticking(SilentChain, clock), ticking(SilentChain, clock)
    assert check_problem(every(), X, Y).cut_short == ()
    report = check_problem(half(), X, Y, max_seconds=40)
    assert 300 < every.calls < 1000
    # The points of 6 examples each that begin before 20, and four copies in
    # initialize_is_repeatable; then the time is over.
    assert half.calls == 24 + 4 * 6
    assert "searches_maximise" in report.cut_short
    assert {"arguments_are_unchanged", "searches_use_their_w"} < set(report.cut_short)
    assert "constructor_keeps_parameters" in report.checks
    assert not set(report.checks) & set(report.cut_short)
    assert "cut short by max_seconds: initialize_is_repeatable, " in str(report)


def test_the_first_point_is_always_visited(clock):
    slow = ticking(SilentChain, clock)
    report = check_problem(slow(), *sequences(0), max_seconds=1e-3)
    assert slow.calls == 6 and "oracle_uses_the_loss" in report.cut_short


@pytest.mark.parametrize(
    ("base", "method", "check"),
    [
        (FastTagging, "soft_oracle", "soft_oracle_is_consistent"),
        (RefinedGrid, ".refine", "refine_never_worsens"),
        (FastLabels, ".decode", "task_answers_as_single_forms"),
    ],
)
def test_each_check_that_calls_ends_with_the_time(clock, base, method, check):
    calls = []

    def slow(right, owner, *arguments):
        calls.append(method)
        clock.seconds += 1
        return right(*arguments)

    problem = changed(base, method, slow)()
    report = check_problem(problem, *DATA[base](), max_seconds=5)
    few = len(calls)
    assert check in report.cut_short and "searches_maximise" in report.checks
    check_problem(problem, *DATA[base](), max_seconds=1e6)
    assert few < (len(calls) - few) / 2


def test_outputs_are_not_enumerated_after_the_time(clock):
    slow = ticking(Chain, clock, "outputs")  # which are listed after all visits
    report = check_problem(slow(), *sequences(0), max_seconds=3)
    assert {"results_are_outputs", "searches_maximise"} < set(report.cut_short)
    assert not any("outputs(x)" in note for note in report.notes)


def test_errors_are_found_within_the_time(clock):
    class Forgets(SilentChain):
        def separation_oracle(self, x, y, w):
            return self.decode(x, w)

    with pytest.raises(ContractViolation, match="separation_oracle"):
        check_problem(ticking(Forgets, clock)(), *sequences(0), max_seconds=30)


@pytest.mark.parametrize("seconds", [0, -1, "10", float("nan")])
def test_a_limit_that_is_none_is_refused(seconds):
    with pytest.raises(ValueError, match="max_seconds must be a finite number > 0"):
        check_problem(Chain(), *sequences(0), max_seconds=seconds)


def test_the_bar_counts_calls_on_request_alone(capsys):
    check_problem(Chain(), *sequences(0), max_examples=2)
    assert capsys.readouterr().err == ""
    check_problem(Chain(), *sequences(0), max_examples=2, verbose=True)
    err = capsys.readouterr().err
    assert "Chain: " in err and "call" in err
