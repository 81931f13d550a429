"""Single calls: what they must return, and how their errors are described."""

import numpy as np
import pytest
from correct_problems import (
    SilentChain,
    sequences,
)
from scipy import sparse

from structsvm import ContractViolation, ProblemError, check_problem
from structsvm.check import Finding
from structsvm.check.calls import as_numbers
from structsvm.check.findings import first_of_each, short
from structsvm.problems import Multiclass


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
    assert "Fails.decode raised RuntimeError: no (test_calls.py:" in finding.message


def test_finding_is_printed_with_its_place():
    assert str(Finding("loss", None, "bad")) == "loss: bad"
    assert str(Finding("loss", 3, "bad")) == "loss (example 3): bad"
    assert str(Finding("loss", 3, "bad", 2)) == "loss (example 3 and 2 more): bad"


@pytest.mark.parametrize(
    ("value", "shape", "message"),
    [
        (None, (), "loss returned None; expected a number"),
        (np.nan, (), "loss returned NaN or infinity"),
        (1e200, (), r"loss returned 1e\+200, whose square overflows"),
    ],
)
def test_values_that_are_no_finite_numbers_of_the_shape(value, shape, message):
    with pytest.raises(ProblemError, match=message):
        as_numbers("loss", value, shape)


def test_valid_numbers_are_converted():
    for value in ([1, 2], sparse.csr_array([[1, 2]])):
        array = as_numbers("joint_feature", value, (2,))
        assert array.dtype == np.float64 and array.tolist() == [1.0, 2.0]


def test_one_finding_for_each_method_with_the_number_of_other_examples():
    found = [Finding("loss", 1, "a"), Finding("decode", 1, "b"), Finding("loss", 4, "c")]
    found += [Finding("loss", 4, "d"), Finding("loss", None, "e")]
    assert list(first_of_each(found)) == [Finding("loss", 1, "a", 1), Finding("decode", 1, "b", 0)]


def test_a_long_value_is_shortened_to_one_line():
    assert short(np.zeros((3, 3))) == "array([[0., 0., 0.], [0., 0., 0.], [0., 0., 0.]])"
    assert len(short(list(range(100)))) == 60


def test_errors_name_the_outputs():
    class Negative(SilentChain):
        def loss(self, y, y_hat):
            return super().loss(y, y_hat) * (-1 if y_hat[0] == 1 else 1)

    class Short(SilentChain):
        def joint_feature(self, x, y):
            return super().joint_feature(x, y)[: -1 if y[0] == 1 else None]

    for kind, case in (
        (Negative, r"; here y is array\(\[.*\]\), and y_hat is array\(\[1, "),
        (Short, r"; here y is array\(\[1,"),
    ):
        with pytest.raises(ContractViolation, match=case):
            check_problem(kind(), *sequences(0))


def test_a_loss_of_shape_1_is_to_be_a_float():
    class OneLoss(SilentChain):
        def loss(self, y, y_hat):
            return np.array([super().loss(y, y_hat)])

    with pytest.raises(ContractViolation, match=r"got shape \(1,\); return float\(...\) of it"):
        check_problem(OneLoss(), *sequences(0))


def test_the_same_error_is_reported_once_for_all_examples():
    class Constant(SilentChain):
        def loss(self, y, y_hat):
            return 1.0

    X, Y = sequences(0, n=30)
    with pytest.raises(ContractViolation, match=r"loss \(example \d+ and 29 more\)") as caught:
        check_problem(Constant(), X, Y)
    assert len(caught.value.findings) == 1


def test_data_are_asked_for_where_they_are():
    with pytest.raises(TypeError, match=r"Multiclass.example_data\(\) returns X and Y"):
        check_problem(Multiclass())
