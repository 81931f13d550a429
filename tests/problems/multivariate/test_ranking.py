"""ROC area and the first k rows, against their definitions."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from multivariate_data import instances

from structsvm import check_problem
from structsvm.problems import (
    RocAreaProblem,
    TopKProblem,
)


def hinge_of_pairs(scores, labels):
    return np.maximum(0, 1 - scores[labels][:, None] + scores[~labels]).mean()


@given(instances([RocAreaProblem()]))
@settings(max_examples=60, deadline=None)
def test_roc_area_is_the_pairwise_hinge(instance):
    problem, x, y, w = instance
    rows, labels = x
    y_hat = problem.separation_oracle(x, y, w)
    slack = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert slack == pytest.approx(hinge_of_pairs(rows @ w, labels))
    assert y_hat.sum() == pytest.approx(0, abs=1e-12)
    differences = (rows @ w)[labels][:, None] - (rows @ w)[~labels]
    assert problem.loss(y, problem.decode(x, w)) == pytest.approx(np.mean(differences < 0))


def test_roc_area_against_all_orderings():
    rows, labels = np.random.default_rng(1).normal(size=(6, 2)), np.arange(6) < 2
    problem, x, y = RocAreaProblem(), (rows, labels), np.zeros(6)
    problem.initialize([x], [y])
    w = np.array([0.7, -0.4])
    positive, negative = (rows @ w)[labels], (rows @ w)[~labels]
    values = []
    for places in product(range(5), repeat=2):  # how many negative rows are put before each
        order = np.argsort(-negative)
        swapped = [order[:place] for place in places]
        terms = [np.sum(1 - s + negative[j]) for s, j in zip(positive, swapped, strict=True)]
        values.append(sum(terms) / 8)
    y_hat = problem.separation_oracle(x, y, w)
    worth = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert worth == pytest.approx(max(values))


def test_roc_area_counts_tied_pairs_on_both_sides():
    """What is subtracted from one row is added to another, whatever the rounding."""
    rng = np.random.default_rng(0)
    rows, labels = rng.integers(30, size=(400, 1)) / 10.0, rng.random(400) < 0.3
    problem, x, y = RocAreaProblem(), (rows, labels), np.zeros(400)
    problem.initialize([x], [y])
    for w in (np.array([1.0]), np.array([0.1]), np.array([1 / 3])):
        y_hat = problem.separation_oracle(x, y, w)
        assert abs(y_hat.sum()) < 1e-12


@given(instances([TopKProblem(), TopKProblem(1), TopKProblem(2), TopKProblem(4)]))
@settings(max_examples=60, deadline=None)
def test_the_slack_bounds_what_is_missed_at_k(instance):
    problem, x, y, w = instance
    rows, labels = x
    k = problem.k or np.count_nonzero(labels)
    first = np.argsort(-(rows @ w), kind="stable")[:k]
    missed = 1 - np.count_nonzero(labels[first]) / min(k, np.count_nonzero(labels))
    y_hat = problem.separation_oracle(x, y, w)
    slack = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert slack >= missed - 1e-9
    shifted = np.hstack([rows, np.ones((len(rows), 1))])
    problem.initialize([(shifted, labels)], [y])
    moved = problem.joint_feature_difference((shifted, labels), y, y_hat)
    assert moved[-1] == pytest.approx(0, abs=1e-12)


def test_the_break_even_point_is_that_of_the_paper():
    """For k = P, Psi(x, y) = 1/(2P) sum_i +-x_i over labellings with P positive rows."""
    rng = np.random.default_rng(0)
    rows, labels, w = rng.normal(size=(8, 2)), np.arange(8) < 3, np.array([0.5, -1.0])
    problem, x, y = TopKProblem(), (rows, labels), np.zeros(8)
    problem.initialize([x], [y])
    truth = np.where(labels, 1, -1) @ rows @ w / 6
    values = []
    for chosen in combinations(range(8), 3):
        y_hat = np.isin(np.arange(8), chosen)
        loss = 1 - np.count_nonzero(labels & y_hat) / 3
        values.append(loss + np.where(y_hat, 1, -1) @ rows @ w / 6 - truth)
    y_hat = problem.separation_oracle(x, y, w)
    worth = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert worth == pytest.approx(max(values))


def test_several_rankings_share_a_w():
    rng = np.random.default_rng(0)
    X = [(rng.normal(size=(n, 2)), np.arange(n) < 2) for n in (5, 6)]
    for problem in (RocAreaProblem(), TopKProblem(3)):
        check_problem(problem, X, [np.zeros(5), np.zeros(6)])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.eye(3), np.zeros(3), "pair"),
        ((np.eye(3), [True, False, False]), np.zeros(3), "boolean array"),
        ((np.eye(3), np.ones(3, dtype=bool)), np.zeros(3), "one class only"),
        ((np.eye(3), np.arange(3) < 1), np.ones(3), r"numpy\.zeros\(3\)"),
        (([[1.0]], np.array([True])), np.zeros(1), "numpy array"),
    ],
)
def test_unusable_rankings(x, y, message):
    with pytest.raises(ValueError, match=message):
        RocAreaProblem().initialize([x], [y])
