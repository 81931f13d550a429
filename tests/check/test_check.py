"""check_problem on correct problems, its report and messages, and its pytest form."""

import warnings

import numpy as np
import pytest
from cases.problems import PROBLEMS
from correct_problems import (
    CORRECT,
    Chain,
    Latent,
    Matching,
    Multilabel,
    SilentChain,
    annotated,
    graphs,
    sequences,
    vectors,
)

from structsvm import ContractViolation, check_problem
from structsvm.check import problem_checks
from structsvm.problems import Multiclass

pytest_plugins = ["pytester"]


@pytest.mark.sampled(23)
@pytest.mark.parametrize(("cls", "data"), CORRECT, ids=lambda value: value.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_no_false_alarm(cls, data, seed):
    X, Y = data(seed)
    report = check_problem(cls(), X, Y, random_state=seed)
    assert len(report.checks) + len(report.not_applicable) == 38 and not report.cut_short


def test_checks_of_methods_that_are_not_offered_do_not_count_as_passed():
    report = check_problem(Matching(), *graphs(0))
    assert "soft_oracle_is_consistent" in report.not_applicable
    assert "searches_maximise" in report.checks
    assert "soft_oracle_is_consistent" not in str(report)


@pytest.mark.parametrize("scale", [1e-6, 1e-2, 1e3, 1e7])
@pytest.mark.parametrize(("cls", "data"), [(Matching, graphs), (Multilabel, vectors)])
def test_no_false_alarm_at_any_scale_of_the_features(cls, data, scale):
    X, Y = data(0)
    check_problem(cls(), X * scale if isinstance(X, np.ndarray) else [x * scale for x in X], Y)


@pytest.mark.sampled(23)
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-20, 1e-12])
@pytest.mark.parametrize(
    "name", ["multiclass", "chain-weighted", "segments", "segments-one-label", "tree"]
)
def test_no_false_alarm_where_features_are_far_smaller_than_losses(name, scale):
    problem, X, Y = PROBLEMS[name](0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_problem(problem, X * scale if name == "multiclass" else [x * scale for x in X], Y)


def test_no_false_alarm_where_features_share_a_large_constant():
    X, Y = graphs(0)
    check_problem(Matching(), [x + 1e6 for x in X], Y)


def test_no_false_alarm_in_single_precision():
    X, Y = vectors(0)
    check_problem(Multilabel(), X.astype(np.float32), Y)


def test_one_example_is_enough():
    X, Y = sequences(0)
    check_problem(Chain(), X[:1], Y[:1])


def test_the_report_names_the_checks_and_what_would_make_them_stricter():
    report = check_problem(SilentChain(), *sequences(0))
    assert "searches_maximise" in report.checks
    assert "outputs(x) is not offered" in str(report)
    assert check_problem(Chain(), *sequences(0)).notes == ()


def test_several_errors_are_reported_together():
    class Twice(SilentChain):
        def __init__(self, k=3):
            self.n_labels = k

        def separation_oracle(self, x, y, w):
            return self.decode(x, w)

        def decode(self, x, w):
            w[:] = 0
            return super().decode(x, w)

    with pytest.raises(ContractViolation) as caught:
        check_problem(Twice(), *sequences(0))
    assert {"__init__", "decode"} == {f.method for f in caught.value.findings}


def test_it_is_the_same_at_every_run():
    class Greedy(Matching):
        def separation_oracle(self, x, y, w):
            return super().separation_oracle(x.round(), y, w)

    messages = set()
    for _ in range(2):
        with pytest.raises(ContractViolation) as caught:
            check_problem(Greedy(), *graphs(0))
        messages.add(str(caught.value))
    assert len(messages) == 1


@pytest.mark.parametrize(("cls", "data"), CORRECT, ids=lambda value: value.__name__)
def test_it_is_quick(cls, data):
    """Searches are the calls that may take long."""

    class Counted(cls):
        calls = 0

        def separation_oracle(self, x, y, w):
            Counted.calls += 1
            return super().separation_oracle(x, y, w)

    check_problem(Counted(), *data(0))
    assert Counted.calls < 1000


@pytest.mark.parametrize("check", problem_checks(Latent(), *annotated(0)))
def test_latent_keeps_the_contract(check):
    check()


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
    last = ["soft_sums_agree", "input_gradients_are_slopes", "minibatches_agree"]
    skipped = [name for name, what in found.items() if what == "skipped"]
    assert skipped[:3] == last and len(skipped) == 8


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
        from structsvm.problems.classification.multiclass.task import MulticlassTask

        X, y = np.random.default_rng(0).normal(size=(9, 2)), ["a", "b", "c"] * 3

        class Reversed(MulticlassTask):
            def decode(self, w):
                return super().decode(w)[::-1]

        class Wrong(Multiclass):
            def task(self, X, Y=None):
                return Reversed(self, X, Y)

        @pytest.mark.parametrize("check", problem_checks(Multiclass(), X, y))
        def test_right(check):
            check()

        @pytest.mark.parametrize("check", problem_checks(Wrong(), X, y))
        def test_wrong(check):
            check()
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    n = len(problem_checks(Matching(), *graphs(0)))
    result.assert_outcomes(passed=2 * n - 9, failed=1, skipped=8)
    result.stdout.fnmatch_lines(["*FAILED*test_wrong*Wrong-task_answers_as_single_forms*"])


def test_a_problem_that_cannot_be_initialized_fails_once(pytester):
    class Fails(SilentChain):
        def initialize(self, X, Y):
            raise ValueError("labels must be 0..2")

    with pytest.raises(ContractViolation, match=r"initialize: .*labels must be 0..2"):
        check_problem(Fails(), *sequences(0))
    assert list(outcomes(Fails(), *sequences(0)).values()).count("failed") == 1


@pytest.mark.parametrize(
    ("scale", "dtype"), [(1e-320, float), (1e-160, float), (1e-40, float), (1e-40, np.float32)]
)
def test_features_whose_squares_underflow(scale, dtype):
    X, y = Multiclass.example_data()
    assert check_problem(Multiclass(), (scale * X).astype(dtype), y).checks
