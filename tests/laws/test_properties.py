"""Properties of every instance: bounds, monotone bounds, scaling laws, symmetries."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_problems import Assignment, Multilabel, assignment_data, full_optimum, multilabel_data

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane

fast = settings(max_examples=8, deadline=None, derandomize=True)
solvers = st.sampled_from([OneSlackCuttingPlane, NSlackCuttingPlane])
seeds = st.integers(0, 10_000)


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


@fast
@given(solvers, seeds, st.floats(-2, 4), st.booleans())
def test_every_pass_brackets_the_optimum(solver, seed, log_c, multilabel):
    problem = Multilabel() if multilabel else Assignment()
    X, Y = multilabel_data(seed) if multilabel else assignment_data(seed)
    C = 10**log_c
    optimum, _ = full_optimum(problem, X, Y, C)
    tolerance = 1e-9 * (1 + optimum)
    result = solver(rtol=1e-8).solve(problem, X, Y, C)
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
def test_scales_order_and_copies_of_the_data(solver, seed, log_c, log_s):
    X, Y = multilabel_data(seed)
    C, s, order = 10**log_c, 10**log_s, np.random.default_rng(seed).permutation(len(X))
    plain = solver(rtol=1e-8).solve(Multilabel(), X, Y, C)

    def multiplies_w(factor, problem, X, Y, C):
        found = solver(rtol=1e-8).solve(problem, X, Y, C)
        assert found.primal == pytest.approx(plain.primal * factor**2, rel=1e-6)
        assert np.linalg.norm(found.w / factor - plain.w) < 1e-3 * np.sqrt(plain.primal)

    multiplies_w(1 / s, Scaled(feature_scale=s), X, Y, C / s**2)
    multiplies_w(s, Scaled(loss_scale=s), X, Y, C * s)
    multiplies_w(1.0, Multilabel(), X[order], [Y[i] for i in order], C)
    multiplies_w(1.0, Multilabel(), np.vstack([X] * 3), Y * 3, C)
