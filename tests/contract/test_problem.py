"""The contract's base classes: missing methods are named, defaults are sensible."""

import numpy as np
import pytest
from scipy import sparse
from toy_problems import Multilabel, multilabel_data

from structsvm import (
    OneSlackCuttingPlane,
    Problem,
    SelfLabelledProblem,
    WeightConstraints,
    check_problem,
)
from structsvm.data.containers import dense


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


class Bounded(Multilabel):
    def constraints(self):
        d = self.size_joint_feature
        return WeightConstraints(-np.eye(d), np.full(d, -1.0), np.ones(d))

    def soft_oracle(self, x, y, w, mu):
        raise AssertionError("withdrawn")

    def slack_oracle(self, x, y, y_hat):
        raise AssertionError("withdrawn")


class Free(Bounded):
    constraints = soft_oracle = slack_oracle = None
    max_loss = None


class Freer(Free):
    """What it inherits stays withdrawn."""


@pytest.mark.parametrize("kind", [Free, Freer])
def test_none_withdraws_a_method_for_every_reader(kind):
    X, Y = multilabel_data()
    for method in ("constraints", "soft_oracle", "slack_oracle"):
        assert getattr(kind(), method) is None
    assert kind.max_loss is None
    own, plain = (OneSlackCuttingPlane().solve(p(), X, Y) for p in (kind, Multilabel))
    np.testing.assert_array_equal(own.w, plain.w)
    assert own.verify(kind(), X, Y).matches
    assert check_problem(kind(), X, Y, max_examples=1).checks
    assert OneSlackCuttingPlane().solve(Bounded(), X, Y).w.min() >= 1 - 1e-9
