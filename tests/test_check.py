"""check_problem on correct problems, its report and messages, and its pytest form."""

import threading
import time

import numpy as np
import pytest
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

from structsvm import ContractViolation, ProblemError, StructuredSVM, check_problem
from structsvm.check import Finding, problem_checks
from structsvm.check.copies import own, same
from structsvm.problems import Multiclass as MulticlassProblem

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(("cls", "data"), CORRECT, ids=lambda value: value.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_no_false_alarm(cls, data, seed):
    X, Y = data(seed)
    report = check_problem(cls(), X, Y, random_state=seed)
    assert len(report.checks) + len(report.not_applicable) == 25


def test_what_the_problem_does_not_offer_is_not_said_to_have_passed():
    report = check_problem(Matching(), *graphs(0))
    assert "slack_oracle_maximises" in report.not_applicable
    assert "separation_oracle_maximises" in report.checks
    assert "not applicable: " in str(report)


@pytest.mark.parametrize("scale", [1e-6, 1e-2, 1e3, 1e7])
@pytest.mark.parametrize(("cls", "data"), [(Matching, graphs), (Multilabel, vectors)])
def test_no_false_alarm_at_any_scale_of_the_features(cls, data, scale):
    X, Y = data(0)
    check_problem(cls(), X * scale if isinstance(X, np.ndarray) else [x * scale for x in X], Y)


def test_no_false_alarm_where_features_share_a_large_constant():
    X, Y = graphs(0)
    check_problem(Matching(), [x + 1e6 for x in X], Y)


def test_no_false_alarm_in_single_precision():
    X, Y = vectors(0)
    check_problem(Multilabel(), X.astype(np.float32), Y)


def test_one_example_is_enough():
    X, Y = sequences(0)
    check_problem(Chain(), X[:1], Y[:1])


def test_rounding_of_the_loss_at_the_truth_is_no_fault():
    class Rounded(Matching):
        def loss(self, y, y_hat):
            return abs(1e-16 + super().loss(y, y_hat))

    check_problem(Rounded(), *graphs(0))


def test_the_report_names_the_checks_and_what_would_sharpen_them():
    report = check_problem(SilentChain(), *sequences(0))
    assert "separation_oracle_maximises" in report.checks
    assert "outputs(x) is not offered" in str(report)
    assert check_problem(Chain(), *sequences(0)).notes == ()


def test_a_misspelt_name_is_noted():
    class Misspelt(SilentChain):
        def constraint(self):
            return -np.eye(2), np.zeros(2)

    note = "constraint is not in the contract: is constraints meant?"
    assert note in check_problem(Misspelt(), *sequences(0)).notes


def test_what_cannot_travel_to_other_processes_is_noted():
    class Locked(Chain):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.lock = threading.Lock()

    (note,) = check_problem(Locked(), *sequences(0)).notes
    assert "n_jobs needs a problem that can be pickled" in note
    Locked.parallelism = "threads"
    assert not check_problem(Locked(), *sequences(0)).notes


@pytest.mark.parametrize("use", [check_problem, lambda p, *data: StructuredSVM(p).fit(*data)])
def test_what_cannot_be_copied_is_named(use):
    problem = Chain()
    problem.lock = threading.Lock()
    with pytest.raises(ProblemError, match=r"Chain cannot be copied \(TypeError: .*lock"):
        use(problem, *sequences(0))


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (3.0, "it must return a SoftSum; it returned 3.0"),
        (([], np.zeros(6), 0.0, None), "its values: it returned an array of shape (0,)"),
    ],
)
def test_what_a_soft_oracle_must_return_is_said(found, message):
    class Odd(MulticlassProblem):
        soft_oracle = None

        def sum_soft_oracle(self, X, Y, w, mu):
            return found

    with pytest.raises(ContractViolation) as caught:
        check_problem(Odd(), *MulticlassProblem.example_data())
    assert message in str(caught.value) and "raised" not in str(caught.value)


def test_too_many_outputs_are_noted():
    X, Y = sequences(0, n=3, longest=12)
    X[0] = np.zeros((12, 2))
    Y[0] = [0] * 12

    class NoSoft(Chain):
        soft_oracle = None

    assert "too many outputs" in str(check_problem(NoSoft(), X, Y))


def test_problem_and_data_are_left_as_they_were():
    X, Y = sequences(0)
    before, problem = own((X, Y)), SilentChain()
    check_problem(problem, X, Y)
    assert vars(problem) == {"n_labels": 3}
    assert same(before, (X, Y))


def test_a_problem_that_changes_its_data_changes_a_copy():
    class Changes(SilentChain):
        def joint_feature(self, x, y):
            x += 1
            return super().joint_feature(x, y)

    X, Y = sequences(0)
    before = own(X)
    with pytest.raises(ContractViolation, match="changed its argument x in place"):
        check_problem(Changes(), X, Y)
    assert same(before, X)


def test_the_example_is_named_by_its_place_in_the_users_data():
    X, Y = sequences(0, n=40)

    class Fails(SilentChain):
        def decode(self, x, w):
            if any(x is one or np.array_equal(x, one) for one in X[20:]):
                raise RuntimeError("no")
            return super().decode(x, w)

    with pytest.raises(ContractViolation) as caught:
        check_problem(Fails(), X, Y, max_examples=12, random_state=1)
    (finding,) = caught.value.findings
    assert finding.method == "decode"
    assert finding.example >= 20
    assert finding.more >= 1
    assert f"(example {finding.example} and {finding.more} more)" in str(caught.value)
    assert "RuntimeError (test_check.py:" in finding.message


def test_several_faults_are_reported_together():
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
    assert {"__init__", "separation_oracle", "decode"} <= {f.method for f in caught.value.findings}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Chain, *sequences(0)), r"got a class: add \(\)"),
        (("chain", *sequences(0)), "instance of structsvm.Problem; got 'chain'"),
        ((Chain(), sequences(0)[0]), "Chain needs the outputs Y"),
        ((Chain(), [], []), "X is empty"),
        ((Chain(), sequences(0)[0], []), "X has 6 examples but Y has 0"),
    ],
)
def test_unusable_arguments(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_problem(*arguments)


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
    X, Y = data(0)
    start = time.process_time()
    check_problem(cls(), X, Y)
    assert time.process_time() - start < 2


def test_finding_is_printed_with_its_place():
    assert str(Finding("loss", None, "bad")) == "loss: bad"
    assert str(Finding("loss", 3, "bad")) == "loss (example 3): bad"
    assert str(Finding("loss", 3, "bad", 2)) == "loss (example 3 and 2 more): bad"


class Cached:
    def __init__(self):
        self.values, self._cache = [1, 2], None


def test_private_caches_are_not_changes_but_public_values_are():
    before, after = Cached(), Cached()
    after._cache = 5
    assert same(before, after)
    after.values.append(3)
    assert not same(before, after)


# ---------------------------------------------------------------------- the pytest form


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
    assert [name for name, what in found.items() if what == "failed"] == [
        "separation_oracle_maximises"
    ]
    assert [name for name, what in found.items() if what == "skipped"] == ["soft_sums_agree"]


def test_what_a_faulty_measure_makes_meaningless_is_skipped():
    class Wrong(SilentChain):
        def loss(self, y, y_hat):
            return 1.0

    found = outcomes(Wrong(), *sequences(0))
    assert found["loss_is_valid"] == "failed"
    assert found["separation_oracle_maximises"] == "skipped"
    assert list(found.values()).count("failed") == 1


def test_in_a_users_test_file(pytester):
    pytester.makepyfile(
        """
        import numpy as np
        import pytest
        from structsvm.check import problem_checks
        from structsvm.problems import Multiclass

        X, y = np.random.default_rng(0).normal(size=(9, 2)), ["a", "b", "c"] * 3

        class Wrong(Multiclass):
            def batch_decode(self, X, w):
                return super().batch_decode(X, w)[::-1]

            def decode(self, x, w):
                return Multiclass.batch_decode(self, x[None], w)[0]

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
    result.assert_outcomes(passed=2 * n - 2, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*FAILED*test_wrong*Wrong-batch_searches_agree*"])


def test_a_problem_that_cannot_be_initialized_fails_once(pytester):
    class Fails(SilentChain):
        def initialize(self, X, Y):
            raise ValueError("labels must be 0..2")

    with pytest.raises(ContractViolation, match=r"initialize: .*labels must be 0..2"):
        check_problem(Fails(), *sequences(0))
    assert list(outcomes(Fails(), *sequences(0)).values()).count("failed") == 1
