"""Weights known from experience: every solver finds the optimum near them, with a certificate."""

import numpy as np
import pytest
from cases.solvers import blobs
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from toy_problems import LatentTopics, topics_data

from structsvm import (
    CCCP,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCCCP,
    Status,
)
from structsvm.problems import (
    AttractiveGraphLabelling,
    DecisionFocusedRegressor,
    Multiclass,
    MulticlassSVM,
    PartialChain,
)
from structsvm.problems.decisions import GridPaths


def blobs_and_prior(n=40):
    X, y = blobs(n)
    return X, y, np.random.default_rng(1).normal(size=15)


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_bounds_are_kept_to_by_w_itself(solver):
    X, Y = AttractiveGraphLabelling.example_data()
    problem = AttractiveGraphLabelling()
    problem.initialize(X, Y)
    prior = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    found = solver(rtol=1e-3).solve(AttractiveGraphLabelling(), X, Y, 50.0, w_prior=prior)
    assert np.all(found.w >= problem.constraints().lower)
    assert found.status is Status.CONVERGED
    assert found.verify(AttractiveGraphLabelling(), X, Y).matches


@pytest.mark.parametrize(
    ("solver", "problem", "data"),
    [
        (CCCP(), LatentTopics(), (topics_data(), None)),
        (SmoothedCCCP(), PartialChain(), PartialChain.example_data()),
    ],
)
def test_latent_variables_and_self_labelled_problems(solver, problem, data):
    plain = solver.solve(problem, *data, 20.0)
    prior = 1.1 * plain.w
    near = solver.solve(problem, *data, 20.0, w_prior=prior, w0=prior)
    assert near.verify(problem, *data).matches
    assert near.primal < plain.primal
    assert np.linalg.norm(near.w - prior) < np.linalg.norm(prior)


def test_the_callback_and_early_stopping_get_w_itself():
    X, y, prior = blobs_and_prior(80)
    points = []
    rule = EarlyStopping(X[60:], y[60:])
    result = OneSlackCuttingPlane().solve(
        Multiclass(), X[:60], y[:60], 5.0, w_prior=prior, early_stopping=rule,
        callback=lambda iteration, w: points.append(w),
    )  # fmt: skip
    assert np.array_equal(points[0], prior)
    assert any(np.array_equal(w, result.w) for w in points)
    problem = Multiclass()
    problem.initialize(X, y)
    for iteration, w in zip(result.history, points, strict=True):
        if iteration.validation_score is not None:
            right = np.mean(
                [problem.decode(x, w) == label for x, label in zip(X[60:], y[60:], strict=True)]
            )
            assert iteration.validation_score == pytest.approx(right)
    assert result.history[0].validation_score is not None  # a prior has a score, unlike w = 0


@pytest.mark.filterwarnings("error")
def test_a_prior_that_fits_already_is_kept_without_a_warning():
    X, y = np.repeat(np.eye(3), 4, axis=0), np.repeat(np.arange(3), 4)
    prior = 5 * np.eye(3).ravel()
    result = OneSlackCuttingPlane().solve(Multiclass(), X, y, 5.0, w_prior=prior)
    assert np.array_equal(result.w, prior) and result.primal <= 1e-9
    assert result.gap <= result.tolerance <= 1e-8
    with pytest.warns(UserWarning, match="ended at w_prior, .*C=1e-20 may be too small"):
        OneSlackCuttingPlane().solve(Multiclass(), X, y, 1e-20, w_prior=prior / 10)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("C", [1e3, 1e5])
def test_a_model_continues_with_the_data_that_it_fits(C):
    """The slacks left by its tolerance are so small that rounding errors exceed a part of them."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    old = MulticlassSVM(C=C, class_weight="balanced").fit(X, y)
    new = MulticlassSVM(C=C, class_weight="balanced").fit(X, y, w_prior=old)
    assert new.result_.status is Status.CONVERGED
    assert new.result_.primal <= 2e-9 * C and new.verify(X, y).matches


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_prior_whose_products_cancel_is_blamed_in_the_first_pass_too(dtype):
    """The scores of all decisions are the same, but for rounding errors as large as the costs."""
    rng = np.random.default_rng(0)
    X, costs = rng.normal(size=(30, 3)).astype(dtype), rng.uniform(1, 2, size=(30, 4))
    model = DecisionFocusedRegressor(GridPaths(2, 2))
    with pytest.warns(ConvergenceWarning, match="weights of w_prior are as large as"):
        model.fit(X, costs, w_prior=np.full(16, 1e14))
    assert model.result_.status is Status.NUMERICAL


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_a_large_prior_in_single_precision_is_improved_all_the_same(solver):
    """Its weights of a constant, the same for both classes, round more than the slack there is."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([np.where(y, 1, -1) * (1 + np.abs(rng.normal(size=40))), np.ones(40)])
    prior = np.array([-0.48, 1e3, 0.48, 1e3])
    exact = solver().solve(Multiclass(), X, y, 100.0, w_prior=prior)
    single = solver().solve(Multiclass(), X.astype(np.float32), y, 100.0, w_prior=prior)
    assert not np.array_equal(single.w, prior)
    np.testing.assert_allclose(single.w, exact.w, atol=1e-4)
