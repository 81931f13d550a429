"""All problems of the family: searches, differences and the optimum against enumeration."""

import numpy as np
import pytest
from cvxopt import matrix, solvers
from hypothesis import given, settings
from multivariate_data import LABELLINGS, RANKINGS, example_of, instances
from scipy import sparse

from structsvm import OneSlackCuttingPlane, check_problem
from structsvm.problems import (
    LabellingProblem,
)


def scores_of_outputs(problem, x, y, w, outputs):
    """Losses and scores less that of the truth, from joint_feature and loss alone."""
    losses = np.array([problem.loss(y, z) for z in outputs])
    scores = np.array([w @ problem.joint_feature(x, z) for z in outputs])
    return losses, scores - w @ problem.joint_feature(x, y)


@given(instances(LABELLINGS + RANKINGS))
@settings(max_examples=120, deadline=None)
def test_searches_against_enumeration(instance):
    problem, x, y, w = instance
    losses, scores = scores_of_outputs(problem, x, y, w, list(problem.outputs(x)))
    assert losses.min() == 0
    assert losses.max() <= problem.max_loss + 1e-12
    found = [problem.separation_oracle(x, y, w), problem.decode(x, w)]
    (loss, _), (worst, best) = scores_of_outputs(problem, x, y, w, found)
    assert loss + worst == pytest.approx((losses + scores).max(), abs=1e-9)
    assert best == pytest.approx(scores.max(), abs=1e-9)


@given(instances(LABELLINGS + RANKINGS))
@settings(max_examples=60, deadline=None)
def test_the_difference_and_sparse_rows(instance):
    problem, x, y, w = instance
    y_hat = problem.separation_oracle(x, y, w)
    difference = problem.joint_feature(x, y) - problem.joint_feature(x, y_hat)
    # Relative to the terms: where they cancel, only their rounding is left.
    atol = 1e-14 * np.abs(problem.joint_feature(x, y)).max(initial=1.0)
    found = problem.joint_feature_difference(x, y, y_hat)
    np.testing.assert_allclose(found, difference, atol=atol)
    rows, labels = (x, y) if isinstance(problem, LabellingProblem) else x
    thin, _ = example_of(problem, sparse.csr_matrix(rows), labels)
    np.testing.assert_array_equal(problem.separation_oracle(thin, y, w), y_hat)
    found = problem.joint_feature_difference(thin, y, y_hat)
    np.testing.assert_allclose(found, difference, atol=atol)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("problem", LABELLINGS + RANKINGS, ids=str)
def test_more_rows_than_can_be_enumerated(problem):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 3)).astype(np.float32), np.arange(60) < 15
    x, y = example_of(problem, rows, labels)
    check_problem(problem, [x], [y])


@pytest.mark.parametrize("problem", LABELLINGS + RANKINGS, ids=str)
def test_the_optimum_is_that_of_the_enumerated_program(problem):
    """Minimise 1/2 |w|^2 + C xi with a constraint for every output."""
    rng = np.random.default_rng(3)
    labels = np.arange(6) < 2
    rows = rng.normal(size=(6, 3)) + labels[:, None]
    x, y = example_of(problem, rows, labels)
    problem.initialize([x], [y])
    outputs, C = list(problem.outputs(x)), 5.0
    differences = [problem.joint_feature(x, y) - problem.joint_feature(x, z) for z in outputs]
    G = -np.hstack([np.array(differences), np.ones((len(outputs), 1))])
    h = -np.array([problem.loss(y, z) for z in outputs])
    options = {"show_progress": False, "abstol": 1e-10, "reltol": 1e-10, "feastol": 1e-10}
    quadratic, linear = np.diag([1.0, 1, 1, 0]), np.array([0, 0, 0, C])
    program = (matrix(each) for each in (quadratic, linear, G, h))
    expected = solvers.qp(*program, options=options)["primal objective"]
    result = OneSlackCuttingPlane(rtol=1e-7).solve(problem, [x], [y], C=C)
    assert result.primal == pytest.approx(expected, rel=1e-6)
