"""The contract's base classes: missing methods are named, defaults are sensible."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from toy_problems import LatentTopics, Multilabel, multilabel_data

from structsvm import OneSlackCuttingPlane, Problem, SelfLabelledProblem, check_problem
from structsvm.contract.capabilities import offers
from structsvm.data.containers import dense

REQUIRED = ("joint_feature", "loss", "separation_oracle", "decode")


class Bare(Problem):
    """Nothing defined."""


def test_the_required_methods_come_first_and_the_optional_groups_stand_apart():
    own = [name for name, value in vars(Problem).items() if callable(value) and name[0] != "_"]
    assert own == [
        *REQUIRED, "initialize", "joint_feature_difference", "term_sizes", "outputs",
        "example_data",
    ]  # fmt: skip
    for group in Problem.__bases__[:-1]:
        assert "structsvm" in group.__doc__ or "solver" in group.__doc__
        assert not set(vars(group)) & set(own)


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


class Bounded(Multilabel):
    def constraints(self):
        return -np.eye(self.size_joint_feature), np.full(self.size_joint_feature, -1.0)

    def lower_bounds(self):
        return np.ones(self.size_joint_feature)

    def prepare(self, X, Y):
        raise AssertionError("withdrawn")

    def joint_feature_difference(self, x, y, y_hat):
        raise AssertionError("withdrawn")


class Free(Bounded):
    constraints = lower_bounds = prepare = joint_feature_difference = None
    max_loss = None


class Freer(Free):
    """What it inherits stays withdrawn."""


@pytest.mark.parametrize("kind", [Free, Freer])
def test_none_withdraws_a_method_for_every_reader(kind):
    X, Y = multilabel_data()
    for method in ("constraints", "lower_bounds", "prepare", "joint_feature_difference"):
        assert not offers(kind(), method)
    own, plain = (OneSlackCuttingPlane().solve(p(), X, Y) for p in (kind, Multilabel))
    np.testing.assert_array_equal(own.w, plain.w)
    assert own.verify(kind(), X, Y).matches
    assert check_problem(kind(), X, Y, max_examples=3).checks
    assert OneSlackCuttingPlane().solve(type("Held", (Multilabel,), {
        "lower_bounds": Bounded.lower_bounds}
    )(), X, Y).w.min() >= 1 - 1e-9  # fmt: skip


def test_none_withdraws_a_method_of_self_labelled_problems():
    class Withdrawn(LatentTopics):
        impute = None

    assert offers(LatentTopics(), "impute") and not offers(Withdrawn(), "impute")
    assert Withdrawn.impute is SelfLabelledProblem.impute


def test_a_value_of_none_stays():
    assert Free.max_loss is None
