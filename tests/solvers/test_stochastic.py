"""Stochastic steps on mini-batches."""

import numpy as np
import pytest
from scipy import sparse

from structsvm import Plan, SmoothedAdaGrad, Status, choose_solver
from structsvm.oracle import examples
from structsvm.oracle.examples import Examples
from structsvm.oracle.soft_outputs import soft_outputs
from structsvm.problems import Chain
from structsvm.problems.sequences.chain import task as chain
from structsvm.solvers import stochastic
from structsvm.solvers.stochastic import AdaGrad


def sentences(n=300, d=400, dtype=np.float64, seed=0):
    """Sequences of rows with a feature of the label, now and then a wrong one, and a rare one."""
    rng = np.random.default_rng(seed)
    Y = [np.cumsum(rng.integers(2, size=length)) % 4 for length in rng.integers(1, 9, size=n)]
    X = []
    for y in Y:
        seen = np.where(rng.random(len(y)) < 0.8, y, rng.integers(4, size=len(y)))
        rare = rng.integers(4, d // 2, size=len(y))  # half of the columns are never used
        columns = np.column_stack([seen, rare]).ravel()
        ends = np.arange(0, 2 * len(y) + 1, 2)
        X.append(sparse.csr_matrix((np.ones(2 * len(y), dtype), columns, ends), (len(y), d)))
    return X, Y


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(chain, "POSITIONS", 40)
    monkeypatch.setattr(stochastic, "MANY", 1)


def value(bound, w, C, mu):
    return w @ w / 2 + C * np.mean(np.concatenate([s.values for s in soft(bound, w, mu)]))


def soft(bound, w, mu):
    return bound.map(soft_outputs, None, w, mu)


def test_epochs_lower_the_objective_and_leave_unused_entries_alone(small):
    X, Y = sentences()
    problem, C, mu = Chain(), 30.0, 0.1
    problem.initialize(X, Y)
    bound = Examples(problem, X, Y)
    steps = AdaGrad(bound.minibatches(), np.zeros(bound.size), C, len(X), 0.2)
    values, rng = [value(bound, steps.w, C, mu)], np.random.default_rng(0)
    for _ in range(4):
        steps.epoch(mu, rng)
        values.append(value(bound, steps.w, C, mu))
    assert values[1] < 0.7 * values[0] and values[-1] < values[1]
    weights = steps.w.reshape(-1, 4)
    assert weights[:200].any() and not weights[200:400].any()


def test_the_solver_begins_with_them(small):
    X, Y = sentences()
    epochs = SmoothedAdaGrad(rtol=1e-2).solve(Chain(), X, Y, 30.0)
    assert epochs.status is Status.CONVERGED and epochs.verify(Chain(), X, Y).matches
    calls = np.diff([step.oracle_calls for step in epochs.history])
    unknown = np.isinf([step.primal for step in epochs.history])
    assert unknown[1 : stochastic.EPOCHS + 1].all()
    assert np.all(calls[1 : stochastic.EPOCHS] == len(X))


@pytest.mark.parametrize("limit", [3, 100])
def test_alone_or_cut_short_they_return_the_w_that_they_reached(small, limit):
    X, Y = sentences()
    result = Plan([SmoothedAdaGrad()], max_iter=limit).solve(Chain(), X, Y, 30.0)
    assert result.status in (Status.STALLED, Status.MAX_ITER)
    assert result.primal < 0.7 * result.history[0].primal
    assert result.verify(Chain(), X, Y).matches


def test_a_start_is_not_given_up_for_them(small):
    X, Y = sentences()
    plan = choose_solver(Chain(), X, Y).solver.set_params(rtol=1e-2)
    first = plan.solve(Chain(), X, Y, 30.0)
    again = plan.solve(Chain(), X, Y, 30.0, w0=first.w)
    assert first.solver.startswith("SmoothedAdaGrad, ")
    assert again.solver.startswith("SmoothedLBFGS, ")
    assert again.primal <= first.primal * (1 + 1e-9)
    # No epochs: the descent begins at w0.
    assert len(again.history) <= len(first.history) - stochastic.EPOCHS


def test_steps_that_lead_astray_are_undone(small, monkeypatch):
    X, Y = sentences()
    monkeypatch.setattr(stochastic, "RATE", 1e4)
    wild = SmoothedAdaGrad(rtol=1e-2).solve(Chain(), X, Y, 30.0)
    assert wild.status is Status.CONVERGED
    assert np.abs(wild.w).max() < 100


def test_jobs_do_not_change_a_bit(small, monkeypatch):
    X, Y = sentences()
    problem = Chain()
    monkeypatch.setattr(examples, "LEAST_WORK", 1)
    monkeypatch.setattr(examples, "WORK_PER_WEIGHT", 1)
    one, two = (
        SmoothedAdaGrad(rtol=1e-2).solve(problem, X, Y, 30.0, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.w, two.w)


# ---------------------------------------------------------------------- text as it comes


def test_rows_without_any_feature_and_features_seen_once(small):
    X, Y = sentences(seed=1)
    X[0] = sparse.csr_matrix(X[0].shape)  # a sentence of unknown words
    X[1] = X[1].tolil()
    X[1][0, 399] = 1  # a feature of this row alone
    X[1] = X[1].tocsr()
    result = SmoothedAdaGrad(rtol=1e-3).solve(Chain(), X, Y, 30.0)
    assert result.status is Status.CONVERGED and result.verify(Chain(), X, Y).matches
    weights = result.w.reshape(-1, 4)
    assert weights[399].any() and not weights[200:399].any()


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_no_feature_at_all(small):
    X, Y = sentences()
    X = [sparse.csr_matrix(x.shape) for x in X]
    free = SmoothedAdaGrad(rtol=1e-3).solve(Chain(), X, Y, 30.0)
    assert free.status is Status.CONVERGED
    # A label that is shifted everywhere has transitions that are as frequent: none is worth it.
    assert not free.w.any() and free.primal == pytest.approx(30 * np.mean([len(y) for y in Y]))
    Y = [np.minimum(np.arange(len(y)), 3) for y in Y]
    counted = SmoothedAdaGrad(rtol=1e-3).solve(Chain(), X, Y, 30.0)
    assert counted.status is Status.CONVERGED
    assert not counted.w[:-16].any() and counted.w[-16:].any()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("C", [1e-3, 1e3, 1e6])
def test_a_small_or_a_separating_C(small, C):
    X, Y = sentences(n=60, d=2000)
    result = SmoothedAdaGrad(rtol=1e-2).solve(Chain(), X, Y, C)
    assert result.status is Status.CONVERGED and result.verify(Chain(), X, Y).matches


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_and_double_precision(small, dtype):
    X, Y = sentences(dtype=dtype)
    result = SmoothedAdaGrad(rtol=1e-3).solve(Chain(), X, Y, 30.0)
    reference = SmoothedAdaGrad(rtol=1e-5).solve(Chain(), sentences()[0], Y, 30.0)
    assert result.status is Status.CONVERGED and result.verify(Chain(), X, Y).matches
    assert reference.dual <= result.primal <= reference.primal * (1 + 2e-3)
