"""Single calls: what they must return, and how their errors are described."""

import re

import numpy as np
import pytest
from correct_problems import (
    SilentChain,
    sequences,
)
from scipy import sparse

from structsvm import ContractViolation, check_problem
from structsvm.check import Finding
from structsvm.check.checked_calls import as_numbers, first_of_each, short
from structsvm.check.copies import own, same


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
    assert "RuntimeError (test_checked_calls.py:" in finding.message


def test_finding_is_printed_with_its_place():
    assert str(Finding("loss", None, "bad")) == "loss: bad"
    assert str(Finding("loss", 3, "bad")) == "loss (example 3): bad"
    assert str(Finding("loss", 3, "bad", 2)) == "loss (example 3 and 2 more): bad"


@pytest.mark.parametrize(
    ("value", "shape", "message"),
    [
        (None, (), "it returned None; expected a number"),
        ("high", (), "it returned 'high', str; expected a number"),
        ("1", (), "it returned '1', str; expected a number"),
        ([1j], (1,), r"it returned \[1j\], complex numbers; expected an array of shape \(1,\)"),
        ([1.0], (2,), r"array of shape \(1,\); expected an array of shape \(2,\)"),
        ([0.0, np.inf, 1.0], (3,), "NaN or infinity at position 1"),
        (np.nan, (), "NaN or infinity; every value"),
    ],
)
def test_values_that_are_no_finite_numbers_of_the_shape(value, shape, message):
    array, found = as_numbers(value, shape)
    assert array is None and re.search(message, found)


def test_valid_numbers_are_converted():
    for value in ([1, 2], sparse.csr_array([[1, 2]])):
        array, message = as_numbers(value, (2,))
        assert message == ""
        assert array.dtype == np.float64 and array.tolist() == [1.0, 2.0]


def test_one_finding_for_each_method_with_the_number_of_other_examples():
    found = [Finding("loss", 1, "a"), Finding("decode", 1, "b"), Finding("loss", 4, "c")]
    found += [Finding("loss", 4, "d"), Finding("loss", None, "e")]
    assert list(first_of_each(found)) == [Finding("loss", 1, "a", 1), Finding("decode", 1, "b", 0)]


def test_a_long_value_is_shortened_to_one_line():
    assert short(np.zeros((3, 3))) == "array([[0., 0., 0.], [0., 0., 0.], [0., 0., 0.]])"
    assert len(short(list(range(100)))) == 60
