"""Properties of every instance: bounds, monotone bounds, scaling laws, symmetries."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_problems import Assignment, Multilabel, assignment_data, full_optimum, multilabel_data

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane

fast = settings(max_examples=15, deadline=None, derandomize=True)
solvers = st.sampled_from([OneSlackCuttingPlane, NSlackCuttingPlane])
seeds = st.integers(0, 10_000)
log_cs = st.floats(-2, 4)


class Scaled(Multilabel):
    """Joint features and losses times constants."""

    def __init__(self, feature_scale=1.0, loss_scale=1.0):
        super().__init__()
        self.feature_scale = feature_scale
        self.loss_scale = loss_scale

    def joint_feature(self, x, y):
        return self.feature_scale * super().joint_feature(x, y)

    def loss(self, y, y_hat):
        return self.loss_scale * super().loss(y, y_hat)


def solve(solver, problem, X, Y, C):
    return solver(rtol=1e-8).solve(problem, X, Y, C)


@fast
@given(solvers, seeds, log_cs, st.booleans())
def test_every_pass_brackets_the_optimum(solver, seed, log_c, multilabel):
    problem = Multilabel() if multilabel else Assignment()
    X, Y = multilabel_data(seed) if multilabel else assignment_data(seed)
    C = 10**log_c
    optimum, _ = full_optimum(problem, X, Y, C)
    tolerance = 1e-9 * (1 + optimum)
    result = solve(solver, problem, X, Y, C)
    for step in result.history:
        assert step.dual - tolerance <= optimum <= step.primal + tolerance
        assert step.best_primal <= step.primal
        assert step.gap == step.best_primal - step.dual
    best = [step.best_primal for step in result.history]
    dual = [step.dual for step in result.history]
    assert all(b <= a for a, b in pairwise(best))
    assert all(b >= a - tolerance for a, b in pairwise(dual))
    assert result.gap <= 1e-8 * result.primal
    assert [step.iteration for step in result.history] == list(range(1, result.iterations + 1))
    calls = [step.oracle_calls for step in result.history]
    assert calls == [len(X) * step.iteration for step in result.history]


@fast
@given(solvers, seeds, st.floats(-1, 3), st.floats(-2, 2))
def test_scaling_features_by_s_scales_w_by_1_over_s(solver, seed, log_c, log_s):
    X, Y = multilabel_data(seed)
    C, s = 10**log_c, 10**log_s
    scaled = solve(solver, Scaled(feature_scale=s), X, Y, C / s**2)
    plain = solve(solver, Multilabel(), X, Y, C)
    assert scaled.primal * s**2 == pytest.approx(plain.primal, rel=1e-6)
    assert np.linalg.norm(scaled.w * s - plain.w) < 1e-3 * np.sqrt(plain.primal)


@fast
@given(solvers, seeds, st.floats(-1, 3), st.floats(-2, 2))
def test_scaling_losses_by_t_scales_w_by_t(solver, seed, log_c, log_t):
    X, Y = multilabel_data(seed)
    C, t = 10**log_c, 10**log_t
    scaled = solve(solver, Scaled(loss_scale=t), X, Y, C * t)
    plain = solve(solver, Multilabel(), X, Y, C)
    assert scaled.primal == pytest.approx(plain.primal * t**2, rel=1e-6)
    assert np.linalg.norm(scaled.w / t - plain.w) < 1e-3 * np.sqrt(plain.primal)


@fast
@given(solvers, seeds, log_cs, st.randoms(use_true_random=False))
def test_order_of_examples_does_not_matter(solver, seed, log_c, random):
    X, Y = multilabel_data(seed)
    order = list(range(len(X)))
    random.shuffle(order)
    ours = solve(solver, Multilabel(), X, Y, 10**log_c)
    theirs = solve(solver, Multilabel(), X[order], [Y[i] for i in order], 10**log_c)
    assert theirs.primal == pytest.approx(ours.primal, rel=1e-7)
    assert np.linalg.norm(theirs.w - ours.w) < 1e-3 * np.sqrt(ours.primal)


@fast
@given(solvers, seeds, log_cs)
def test_copies_of_the_data_change_nothing_since_C_multiplies_the_mean(solver, seed, log_c):
    X, Y = multilabel_data(seed)
    once = solve(solver, Multilabel(), X, Y, 10**log_c)
    thrice = solve(solver, Multilabel(), np.vstack([X] * 3), Y * 3, 10**log_c)
    assert thrice.primal == pytest.approx(once.primal, rel=1e-7)
    assert np.linalg.norm(thrice.w - once.w) < 1e-3 * np.sqrt(once.primal)


@fast
@given(solvers, seeds, log_cs)
def test_no_w_nearby_is_better(solver, seed, log_c):
    X, Y = multilabel_data(seed)
    result = solve(solver, Multilabel(), X, Y, 10**log_c)
    rng = np.random.default_rng(seed)
    for size in (1e-3, 1e-1, 1.0):
        w = result.w + size * rng.normal(size=len(result.w))
        elsewhere = solver(max_iter=1).solve(Multilabel(), X, Y, 10**log_c, w0=w)
        assert elsewhere.primal >= result.dual - 1e-9 * (1 + result.primal)
