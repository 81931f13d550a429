"""First steps on a sample: what its objective is, and that the steps pay."""

import math

import numpy as np
import pytest
from engine_parts import run_of
from sklearn.datasets import load_digits

from structsvm import SmoothedLBFGS, Status
from structsvm.problems import Multiclass
from structsvm.solvers.lbfgs import sampling
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.sampling import SampledObjective

X, Y = load_digits(return_X_y=True)
X = X / 16
N = len(Y)
W = 0.1 * np.random.default_rng(0).normal(size=640)


def begun(X=X, Y=Y):
    """A run before its first pass."""
    return run_of(SmoothedLBFGS(), Multiclass(), X, Y, 10.0)


def test_the_objective_of_a_sample_is_that_of_the_sample_alone():
    whole, places = begun().algorithm.whole, np.arange(0, N, 7)
    sample = SampledObjective(whole, places).at(W, 0.1)
    alone = begun(X[places], Y[places]).algorithm.whole.at(W, 0.1)
    assert sample.value == pytest.approx(alone.value, rel=1e-12)
    np.testing.assert_allclose(sample.gradient, alone.gradient, atol=1e-12)
    assert alone.primal < math.inf == sample.primal
    # It adds nothing to the dual solution.
    sampled = SampledObjective(whole, places)
    assert sampled.keep(sample) == 0.0 and len(whole.planes) == 0
    whole.keep(whole.at(W, 0.1))
    assert len(whole.planes) == 1


@pytest.mark.parametrize("max_iter", [5, 11, 10_000])
def test_steps_on_a_sample_save_passes_and_may_be_stopped(monkeypatch, max_iter):
    solver = SmoothedLBFGS(max_iter=max_iter)
    without = solver.solve(Multiclass(), X, Y, 0.1 * N)
    monkeypatch.setattr(sampling, "LEAST", N // sampling.SPARSITY)
    sampled = solver.solve(Multiclass(), X, Y, 0.1 * N)
    assert sampled.verify(Multiclass(), X, Y).matches
    calls = np.diff([step.oracle_calls for step in sampled.history])
    assert all(calls[1:4] < N / 4)
    if max_iter == 10_000:
        assert sampled.status is without.status is Status.CONVERGED
        assert sampled.oracle_calls < 0.95 * without.oracle_calls


def test_a_descent_that_was_led_astray_returns_to_its_start(monkeypatch):
    monkeypatch.setattr(sampling, "LEAST", 10)
    monkeypatch.setattr(Descent, "step", lambda self: self.restart(self.point.w + 100.0 * W))
    run = begun()
    for _ in range(1 + sampling.STEPS):
        run.step()
    descent = run.algorithm.descent
    assert descent.point.w.any() and descent.objective is not run.algorithm.whole
    run.step()
    np.testing.assert_array_equal(descent.point.w, 0)
    assert descent.objective is run.algorithm.whole
