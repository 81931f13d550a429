"""The contract's base classes: missing methods are named, defaults are sensible."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from toy_problems import Multilabel, multilabel_data

from structsvm import Problem, SelfLabelledProblem
from structsvm.containers import dense

REQUIRED = ("joint_feature", "loss", "separation_oracle", "decode")


class Bare(Problem):
    """Nothing defined."""


@pytest.mark.parametrize("method", REQUIRED)
def test_a_missing_method_is_named_with_the_place_that_describes_it(method):
    arguments = [None] * (len(inspect.signature(getattr(Problem, method)).parameters) - 1)
    message = rf"Bare does not define {method}; .*structsvm\.Problem\.{method}"
    with pytest.raises(NotImplementedError, match=message):
        getattr(Bare(), method)(*arguments)


def test_the_default_size_is_that_of_the_first_joint_feature():
    X, Y = multilabel_data()
    problem = Multilabel()
    Problem.initialize(problem, X, Y)
    assert problem.size_joint_feature == len(problem.joint_feature(X[0], Y[0]))


def test_the_default_difference_refuses_joint_features_of_two_shapes():
    class Growing(Problem):
        def joint_feature(self, x, y):
            return np.ones(y)

    with pytest.raises(ValueError, match=r"one shape .* \(2,\) for y and \(3,\) for y_hat"):
        Growing().joint_feature_difference(None, 2, 3)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, sparse.csr_array, list])
def test_the_default_difference_of_unsigned_integers_does_not_wrap(convert):
    class Counting(Problem):
        def joint_feature(self, x, y):
            return convert(np.eye(1, 3, y, dtype=np.uint8))

    found = Counting().joint_feature_difference(None, 0, 2)
    np.testing.assert_array_equal(dense(found), [[1, 0, -1]])


def test_the_default_start_is_small_and_not_zero():
    problem = SelfLabelledProblem()
    problem.size_joint_feature = 5
    w = problem.initial_w(None, np.random.default_rng(0))
    assert np.linalg.norm(w) == pytest.approx(1e-3)


def test_the_default_evaluation_loss_is_the_loss():
    class Absolute(SelfLabelledProblem):
        def loss(self, y, y_hat):
            return abs(y - y_hat)

    assert Absolute().evaluation_loss(5, 3) == 2
