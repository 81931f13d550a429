"""check_problem on correct problems, its report and messages, and its pytest form."""

import warnings

import pytest
from cases.problems import PROBLEMS
from correct_problems import Chain, SilentChain, sequences

from benchmarks.robustness._planted.correct.grid import DifferentiableGrid, RefinedGrid
from benchmarks.robustness._planted.correct.labels import SoftLabels
from benchmarks.robustness._planted.correct.pairing import Pairing, pairs
from benchmarks.robustness._planted.correct.parts import FastParts
from benchmarks.robustness._planted.correct.pools import Choices
from benchmarks.robustness._planted.correct.tagging import PartedTagging
from benchmarks.robustness._planted.register import DATA, silent
from structsvm import ContractViolation, check_problem
from structsvm.check import STAGES, problem_checks

pytest_plugins = ["pytester"]


def test_every_check_is_passed_by_a_correct_problem():
    """But those of constructors, which have no parameters here, and of example data."""
    passed = set()
    for kind in (SoftLabels, DifferentiableGrid, RefinedGrid, FastParts, Choices, PartedTagging):
        report = check_problem(kind(), *DATA[kind](), max_examples=4)
        assert not set(report.checks) & set(report.not_applicable)
        passed.update(report.checks)
    every = {check.name for stage in STAGES for check in stage}
    assert len(every) == 38 and len(every - passed) <= 4


def test_checks_of_methods_that_are_not_offered_do_not_count_as_passed():
    report = check_problem(silent(Pairing)(), *pairs())
    assert "soft_oracle_is_consistent" in report.not_applicable
    assert "searches_maximise" in report.checks
    assert "soft_oracle_is_consistent" not in str(report)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "scale"),
    [("multiclass", 1e-320), ("segments-one-label", 1e-160), ("chain-weighted", 1e-12),
     ("tree", 1e-20)],
)  # fmt: skip
def test_no_false_alarm_where_features_are_far_smaller_than_losses(name, scale):
    problem, X, Y = PROBLEMS[name](0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X = X * scale if name == "multiclass" else [x * scale for x in X]
        check_problem(problem, X, Y, max_examples=3)


def test_the_report_names_the_checks_and_what_would_make_them_stricter():
    report = check_problem(SilentChain(), *sequences(0))
    assert "searches_maximise" in report.checks
    assert "outputs(x) is not offered" in str(report)
    assert check_problem(Chain(), *sequences(0)).notes == ()


def test_several_errors_are_reported_together_and_the_same_at_every_run():
    class Twice(SilentChain):
        def __init__(self, k=3):
            self.k_ = k

        def decode(self, x, w):
            w[:] = 0
            return super().decode(x, w)

    messages = set()
    for _ in range(2):
        with pytest.raises(ContractViolation) as caught:
            check_problem(Twice(), *sequences(0))
        assert {"__init__", "decode"} == {f.method for f in caught.value.findings}
        messages.add(str(caught.value))
    assert len(messages) == 1


def outcomes(problem, X, Y):
    results = {}
    for parameter in problem_checks(problem, X, Y):
        (check,) = parameter.values
        try:
            check()
            results[parameter.id.partition("-")[2]] = "passed"
        except ContractViolation:
            results[parameter.id.partition("-")[2]] = "failed"
        except pytest.skip.Exception:
            results[parameter.id.partition("-")[2]] = "skipped"
    return results


def test_each_check_is_a_test_of_its_own():
    class Forgets(SilentChain):
        def separation_oracle(self, x, y, w):
            return self.decode(x, w)

    found = outcomes(Forgets(), *sequences(0))
    assert [name for name, what in found.items() if what == "failed"] == ["searches_maximise"]
    last = ["soft_sums_agree", "input_gradients_are_slopes", "output_scores_agree"]
    skipped = [name for name, what in found.items() if what == "skipped"]
    assert skipped[:3] == last and len(skipped) == 7


def test_checks_that_a_wrong_loss_makes_meaningless_are_skipped():
    class Wrong(SilentChain):
        def loss(self, y, y_hat):
            return 1.0

    found = outcomes(Wrong(), *sequences(0))
    assert found["loss_is_valid"] == "failed"
    assert found["searches_maximise"] == "skipped"
    assert list(found.values()).count("failed") == 1


def test_in_a_users_test_file(pytester):
    pytester.makepyfile(
        """
        import numpy as np
        import pytest
        from structsvm.check import problem_checks
        from structsvm.problems import Multiclass

        X, y = np.random.default_rng(0).normal(size=(6, 2)), ["a", "b", "c"] * 2

        class Wrong(Multiclass):
            def loss(self, y, y_hat):
                return -super().loss(y, y_hat)

        @pytest.mark.parametrize("check", problem_checks(Wrong(), X, y))
        def test_wrong(check):
            check()
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    assert result.parseoutcomes()["failed"] == 1
    assert result.parseoutcomes()["skipped"] >= result.parseoutcomes()["passed"] > 5
    result.stdout.fnmatch_lines(["*FAILED*test_wrong*Wrong-single_calls_succeed*"])


def test_a_problem_that_cannot_be_initialized_fails_once():
    class Fails(SilentChain):
        def initialize(self, X, Y):
            raise ValueError("labels must be 0..2")

    with pytest.raises(ContractViolation, match=r"initialize: .*labels must be 0..2"):
        check_problem(Fails(), *sequences(0))
    assert list(outcomes(Fails(), *sequences(0)).values()).count("failed") == 1
