"""Notes and messages on losses, joint features and annotations."""

import warnings

import pytest
from correct_problems import Parts, parted

from benchmarks.robustness._planted.correct.pairing import Pairing, pairs
from structsvm import ContractViolation, SelfLabelledProblem, check_problem


def test_rounding_of_the_loss_at_the_true_output_is_no_error():
    class Rounded(Pairing):
        def loss(self, y, y_hat):
            return abs(1e-16 + super().loss(y, y_hat))

    check_problem(Rounded(), *pairs())


def test_where_annotations_do_not_count_a_missing_impute_is_named():
    class Ignoring(Parts):
        impute = SelfLabelledProblem.impute

    with pytest.raises(ContractViolation, match="impute is not defined, so it ignores annotations"):
        check_problem(Ignoring(), *parted(0))


def test_numbers_whose_squares_overflow_are_named():
    class Huge(Pairing):
        def joint_feature(self, x, y):
            return 1e200 * super().joint_feature(x, y)

    with (
        warnings.catch_warnings(),
        pytest.raises(ContractViolation, match=r"joint_feature.*e\+\d+, whose square overflows"),
    ):
        warnings.simplefilter("error", RuntimeWarning)
        check_problem(Huge(), *pairs())


class Unevaluated(Parts):
    evaluation_loss = None

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])


def test_a_loss_that_does_not_fit_the_annotations_is_noted():
    report = check_problem(Unevaluated(), *parted(0))
    (note,) = report.notes
    assert "'int' object is not subscriptable (test_measures.py:" in note
    assert "evaluation_loss_is_valid" in report.checks
    assert not check_problem(Unevaluated(), parted(0)[0], [None] * 12).notes
