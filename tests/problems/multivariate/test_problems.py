"""The problems of the family: optima against enumeration, rankings by their definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from multivariate_data import LABELLINGS, RANKINGS, example_of, instances
from refusals import refused

from structsvm import check_problem
from structsvm.problems import LabellingProblem, RocAreaProblem, TopKProblem

each_problem = pytest.mark.parametrize("problem", LABELLINGS + RANKINGS, ids=str)


@pytest.mark.sampled(4)
@each_problem
def test_more_rows_than_can_be_enumerated(problem):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(30, 3)).astype(np.float32), np.arange(30) < 8
    x, y = example_of(problem, rows, labels)
    check_problem(problem, [x], [y])


def worth(problem, x, y, w):
    """What the separation oracle attains, its output, and the scores of the rows."""
    y_hat = problem.separation_oracle(x, y, w)
    value = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    return value, y_hat, x[0] @ w


@given(instances([RocAreaProblem()]))
@settings(max_examples=60, deadline=None)
def test_roc_area_is_the_pairwise_hinge(instance):
    problem, x, y, w = instance
    slack, y_hat, scores = worth(problem, x, y, w)
    differences = scores[x[1]][:, None] - scores[~x[1]]
    assert slack == pytest.approx(np.maximum(0, 1 - differences).mean())
    assert y_hat.sum() == pytest.approx(0, abs=1e-12)
    assert problem.loss(y, problem.decode(x, w)) == pytest.approx(np.mean(differences < 0))


def test_roc_area_counts_tied_pairs_on_both_sides():
    """What is subtracted from one row is added to another, whatever the rounding."""
    rng = np.random.default_rng(0)
    rows, labels = rng.integers(30, size=(400, 1)) / 10.0, rng.random(400) < 0.3
    problem, x, y = RocAreaProblem(), (rows, labels), np.zeros(400)
    problem.initialize([x], [y])
    for w in (np.array([1.0]), np.array([0.1]), np.array([1 / 3])):
        assert abs(problem.separation_oracle(x, y, w).sum()) < 1e-12


@given(instances([TopKProblem(), TopKProblem(1), TopKProblem(2), TopKProblem(4)]))
@settings(max_examples=60, deadline=None)
def test_the_slack_bounds_what_is_missed_at_k(instance):
    problem, x, y, w = instance
    rows, labels = x
    slack, y_hat, scores = worth(problem, x, y, w)
    k = problem.k or np.count_nonzero(labels)
    first = np.argsort(-scores, kind="stable")[:k]
    missed = 1 - np.count_nonzero(labels[first]) / min(k, np.count_nonzero(labels))
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
    assert worth(problem, x, y, w)[0] == pytest.approx(max(values))


@pytest.mark.parametrize("problem", [RocAreaProblem(), TopKProblem(3)], ids=str)
def test_several_rankings_share_a_w(problem):
    rng = np.random.default_rng(0)
    X = [(rng.normal(size=(n, 2)), np.arange(n) < 2) for n in (5, 6)]
    check_problem(problem, X, [np.zeros(5), np.zeros(6)])


ROWS, FIRST = np.eye(3), np.arange(3) < 1


test_unusable_data = refused(
    lambda problem, X, Y: problem.initialize(X, Y),
    (RocAreaProblem(), [ROWS], [np.zeros(3)], "pair"),
    (RocAreaProblem(), [(ROWS, [True, False, False])], [np.zeros(3)], "boolean array"),
    (RocAreaProblem(), [(ROWS, FIRST | True)], [np.zeros(3)], "one class only"),
    (RocAreaProblem(), [(ROWS, FIRST)], [np.ones(3)], r"numpy\.zeros\(3\)"),
    (RocAreaProblem(), [([[1.0]], np.array([True]))], [np.zeros(1)], "numpy array"),
    (LabellingProblem("prbep"), [ROWS], [FIRST], "one of"),
    (LabellingProblem(), [ROWS] * 2, [FIRST] * 2, "one matrix; got 2"),
    (LabellingProblem(), [ROWS], [[0, 1, 1]], "boolean array"),
)
