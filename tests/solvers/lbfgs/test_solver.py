"""SmoothedLBFGS: optima, certificates from soft planes, frozen distributions, samples."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from changed_tasks import with_task
from correct_problems import Chain as SingleChain
from correct_problems import sequences
from engine_parts import run_of
from scipy import sparse
from sklearn.datasets import load_digits
from toy_problems import Multilabel, full_objective, full_optimum, multilabel_data

from structsvm import OneSlackCuttingPlane, SmoothedLBFGS, SoftOutput, Status
from structsvm.oracle.cuts import soft_cut
from structsvm.planes import SoftSource
from structsvm.problems import Chain, Multiclass
from structsvm.solvers.lbfgs import sampling
from structsvm.solvers.lbfgs.algorithm import Before
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.sampling import SampledObjective

MANY = load_digits(return_X_y=True)
DIGITS = MANY[0][:600] / 16, MANY[1][:600]
N = len(DIGITS[1])


@cache
def solved():
    return SmoothedLBFGS().solve(Multiclass(), *DIGITS, 0.1 * N)


# ---------------------------------------------------------------------- what it finds


@pytest.mark.parametrize("kind", [SingleChain, Multilabel])
def test_soft_oracles_of_one_example_and_by_enumeration_are_enough(kind):
    problem, (X, Y) = kind(), sequences(0) if kind is SingleChain else multilabel_data(0)
    result = SmoothedLBFGS().solve(problem, X, Y, 10.0)
    reference = OneSlackCuttingPlane(rtol=1e-5).solve(problem, X, Y, 10.0)
    assert result.status is Status.CONVERGED and result.verify(problem, X, Y).matches
    assert result.dual <= reference.primal and reference.dual <= result.primal


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source._replace(mu=3 * source.mu),
        lambda source: source._replace(w=1.5 * source.w),
        lambda source: source._replace(others=source.others and source.others._replace(w=source.w)),
    ],
    ids=["warmer", "elsewhere", "frozen elsewhere"],
)
def test_soft_planes_that_were_tampered_with_do_not_match(change):
    result = solved()
    assert any(plane.source.others is not None for plane in result.support)
    support = tuple(plane._replace(source=change(plane.source)) for plane in result.support)
    assert result.verify(Multiclass(), *DIGITS).matches
    assert not replace(result, support=support).verify(Multiclass(), *DIGITS).matches


def test_certain_examples_are_left_out_for_some_steps():
    result = solved()
    assert min(np.diff([step.oracle_calls for step in result.history])) < 0.8 * N
    examples = [p.source.examples for p in result.support if isinstance(p.source, SoftSource)]
    assert any(some is not None and len(some) < N for some in examples)


def test_a_warm_start_without_any_loss_converges():
    # All outputs found at 10 w are the true ones: the mean loss there is 0.
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = 5 * np.eye(3)[y] + 0.1 * rng.normal(size=(60, 3))
    cold = SmoothedLBFGS().solve(Multiclass(), X, y, 10.0)
    warm = SmoothedLBFGS().solve(Multiclass(), X, y, 10.0, w0=10 * cold.w)
    assert warm.status is Status.CONVERGED
    assert warm.primal == pytest.approx(cold.primal, rel=3e-3)


# ---------------------------------------------------------------------- what can go wrong


@pytest.mark.parametrize("max_iter", [14, 17, 33])
def test_where_it_is_stopped_does_not_matter(max_iter):
    result = SmoothedLBFGS(rtol=1e-9, max_iter=max_iter).solve(Multiclass(), *DIGITS, 0.1 * N)
    assert result.status is Status.MAX_ITER and result.iterations == max_iter
    assert result.verify(Multiclass(), *DIGITS).matches
    assert 0 < result.dual and result.primal < 0.9 * result.history[0].primal


@pytest.mark.parametrize("rtol", [1e-7, pytest.param(0.0, marks=pytest.mark.slow)])
def test_the_dual_is_a_bound_up_to_the_rounding_of_the_soft_oracle(rtol):
    X, Y = (part[:5] for part in Chain.example_data())
    result = SmoothedLBFGS(rtol=rtol, max_iter=500).solve(Chain(), X, Y, 10.0)
    exact = OneSlackCuttingPlane(rtol=1e-11).solve(Chain(), X, Y, 10.0)
    assert result.dual <= exact.primal * (1 + 1e-8)
    assert result.primal >= exact.dual * (1 - 1e-10)


def test_a_soft_oracle_that_is_too_optimistic_does_not_make_the_objective_wrong():
    class Optimist(Multilabel):
        def soft_oracle(self, x, y, w, mu):
            return SoftOutput(*(0.5 * part for part in super().soft_oracle(x, y, w, mu)))

    X, Y = multilabel_data(0)
    result = SmoothedLBFGS(max_iter=100).solve(Optimist(), X, Y, 5.0)
    assert result.primal == pytest.approx(
        full_objective(Multilabel(), X, Y, result.w, 5.0), rel=1e-9
    )
    optimum, _ = full_optimum(Multilabel(), X, Y, 5.0)
    assert result.dual <= optimum * (1 + 1e-9)


@pytest.mark.parametrize(("d", "most"), [(3, 20), (400_000, 12), (10**6, 10)])
def test_fewer_planes_are_kept_of_a_longer_w(d, most):
    X = sparse.csr_matrix((np.ones(3), ([0, 1, 2], [0, 1, 2])), (3, d))
    run = run_of(SmoothedLBFGS(), Multiclass(), X, ["a", "b", "a"])
    assert run.algorithm.planes.most == most


# ---------------------------------------------------------------------- frozen distributions


def begun(X, Y, C=10.0):
    """A run before its first pass."""
    return run_of(SmoothedLBFGS(), Multiclass(), X, Y, C)


def frozen(C=1.0):
    """An algorithm that has frozen some examples."""
    run = begun(*DIGITS, C * N)
    run.step(), run.step()
    while run.algorithm.descent.objective.frozen is None:
        run.step()
    return run.algorithm


def test_planes_with_frozen_distributions_are_points_of_the_dual():
    algorithm = frozen()
    descent, whole = algorithm.descent, algorithm.whole
    objective, w, mu = descent.objective, descent.point.w, descent.mu
    source = objective.frozen.source
    point, others = objective.at(w, mu), whole.at(source.w, source.mu)
    assert 0 < objective.examples.n < 0.8 * N
    np.testing.assert_array_equal(
        np.sort(np.append(source.examples, objective.examples.index)), np.arange(N)
    )
    # The same by hand: examples not frozen at w, frozen ones at the point where they were.
    some, _ = whole.examples.labelled_subset(objective.examples.index, None)
    rest, _ = whole.examples.labelled_subset(source.examples, None)
    at_w, _ = soft_cut(some, None, w, mu, N)
    at_frozen, _ = soft_cut(rest, None, source.w, source.mu, N)
    np.testing.assert_allclose(point.v, whole.C * (at_w.rows[0] + at_frozen.rows[0]), atol=1e-9)
    assert point.linear == pytest.approx(whole.C * (at_w.offsets[0] + at_frozen.offsets[0]))
    assert others.expected <= whole.at(w, mu).value and point.value <= whole.at(w, mu).value


def test_freezing_changes_neither_gradient_nor_expected_value():
    algorithm = frozen()
    whole, mu = algorithm.whole, algorithm.descent.mu
    point = whole.at(algorithm.descent.point.w, mu)
    places = np.flatnonzero(point.soft_slacks > 0.003 * mu)
    objective, other = whole.frozen_but(places, point)
    assert objective.at(point.w, mu).value == pytest.approx(other.value, rel=1e-12)
    np.testing.assert_allclose(other.gradient, point.gradient, atol=1e-9)
    assert other.expected == pytest.approx(point.expected, rel=1e-12)
    assert other.value <= point.value


def test_a_descent_that_froze_too_much_goes_back():
    algorithm = frozen(C=100.0)
    descent, freezing = algorithm.descent, algorithm._freezing
    start, certain = descent.point.w, freezing._certain
    freezing._before = Before(start, -np.inf)  # as if the objective had risen since
    descent.switch(algorithm.whole)
    descent.step()
    freezing.start_round(descent, algorithm.whole)
    np.testing.assert_array_equal(descent.point.w, start)
    assert freezing._certain < 0.1 * certain


def test_axes_save_passes_where_features_are_correlated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20)) @ (rng.normal(size=(20, 20)) * np.geomspace(1, 0.01, 20))
    y = np.argmax(X @ rng.normal(size=(20, 4)), axis=1)
    WithoutAxes = with_task(Multiclass, curvature=None)
    with_axes, without = (
        SmoothedLBFGS().solve(kind(), X, y, 30.0 * len(y)) for kind in (Multiclass, WithoutAxes)
    )
    assert with_axes.status is without.status is Status.CONVERGED
    assert with_axes.primal == pytest.approx(without.primal, rel=2e-3)
    assert with_axes.iterations < 0.8 * without.iterations


# ---------------------------------------------------------------------- first steps on a sample


W = 0.1 * np.random.default_rng(0).normal(size=640)


def test_the_objective_of_a_sample_is_that_of_the_sample_alone():
    whole, places = begun(*DIGITS).algorithm.whole, np.arange(0, N, 7)
    sample = SampledObjective(whole, places).at(W, 0.1)
    alone = begun(*(part[places] for part in DIGITS)).algorithm.whole.at(W, 0.1)
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
    solver, X, Y = SmoothedLBFGS(max_iter=max_iter), *MANY
    without = solver.solve(Multiclass(), X / 16, Y, 0.1 * len(Y))
    monkeypatch.setattr(sampling, "LEAST", len(Y) // sampling.SPARSITY)
    sampled = solver.solve(Multiclass(), X / 16, Y, 0.1 * len(Y))
    assert sampled.verify(Multiclass(), X / 16, Y).matches
    calls = np.diff([step.oracle_calls for step in sampled.history])
    assert all(calls[1:4] < len(Y) / 4)
    if max_iter == 10_000:
        assert sampled.status is without.status is Status.CONVERGED
        assert sampled.oracle_calls < 0.95 * without.oracle_calls


def test_a_descent_that_was_led_astray_returns_to_its_start(monkeypatch):
    monkeypatch.setattr(sampling, "LEAST", 10)
    monkeypatch.setattr(Descent, "step", lambda self: self.restart(self.point.w + 100.0 * W))
    run = begun(*DIGITS)
    for _ in range(1 + sampling.STEPS):
        run.step()
    descent = run.algorithm.descent
    assert descent.point.w.any() and descent.objective is not run.algorithm.whole
    run.step()
    np.testing.assert_array_equal(descent.point.w, 0)
    assert descent.objective is run.algorithm.whole
