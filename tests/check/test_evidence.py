"""The data of the checks: what is gathered, what is refused, and what is left alone."""

import threading

import numpy as np
import pytest
from correct_problems import (
    Chain,
    SilentChain,
    sequences,
)

from structsvm import ProblemError, StructuredSVM, check_problem
from structsvm.check.equality import own, same


@pytest.mark.parametrize("use", [check_problem, lambda p, *data: StructuredSVM(p).fit(*data)])
def test_what_cannot_be_copied_is_named(use):
    problem = Chain()
    problem.lock = threading.Lock()
    with pytest.raises(ProblemError, match=r"Chain cannot be copied \(TypeError: .*lock"):
        use(problem, *sequences(0))


def test_too_many_outputs_are_noted():
    X, Y = sequences(0, n=3, longest=12)
    X[0] = np.zeros((12, 2))
    Y[0] = np.zeros(12, dtype=int)

    class NoSoft(Chain):
        soft_oracle = None

    assert "too many outputs" in str(check_problem(NoSoft(), X, Y))


def test_problem_and_data_are_left_as_they_were():
    X, Y = sequences(0)
    before, problem = own((X, Y)), SilentChain()
    check_problem(problem, X, Y)
    assert not vars(problem)
    assert same(before, (X, Y))


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
