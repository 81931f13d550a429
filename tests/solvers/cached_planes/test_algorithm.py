"""SmoothedCuttingPlane: optima, few passes, a restricted objective, stalls, inexact oracles."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from found_planes import filled
from scipy import sparse
from toy_problems import (
    Assignment,
    ConstrainedMultilabel,
    LocalSearchMultilabel,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    full_optimum,
    multilabel_data,
)

from structsvm import (
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.problems import Chain, Multiclass
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.scaling import rough
from structsvm.solvers.restricted import RestrictedObjective


def blobs(n=300, d=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d)), y


# ---------------------------------------------------------------------- the restricted objective


@pytest.mark.parametrize("mu", [0.02, 0.5])
def test_the_restricted_objective_is_smooth_and_above_the_slacks(mu):
    planes, examples = filled(Multilabel(), *multilabel_data(0))
    objective, w = RestrictedObjective(planes, 7.0 / examples.n), np.full(examples.size, 0.1)
    point = objective.at(w, mu)
    assert np.all(point.soft_slacks >= planes.example_slacks(w)[np.unique(planes.groups)])
    direction, h = np.random.default_rng(0).normal(size=examples.size), 1e-5 * mu
    ahead, behind = (objective.at(w + s * direction, mu).value for s in (h, -h))
    assert (ahead - behind) / (2 * h) == pytest.approx(point.gradient @ direction, rel=1e-4)
    assert point.expected <= point.primal * (1 + 1e-12) <= point.value * (1 + 2e-12)


def test_the_weights_are_the_dual_solution_of_the_descent():
    planes, examples = filled(Multilabel(), *multilabel_data(0))
    objective = RestrictedObjective(planes, 7.0 / examples.n)
    start = objective.at(np.zeros(examples.size), 0.3)
    descent = Descent(objective, start, 0.3, rough(np.ones(examples.size)))
    for _ in range(20):
        descent.step()
        if descent.needs_lower_mu(1e-3):
            descent.lower_mu(1e-3)
    again = RestrictedObjective(planes, 7.0 / examples.n).dual
    assert again.value == pytest.approx(descent.dual, rel=1e-9)
    assert np.all(np.bincount(planes.groups, planes.alpha) <= 1 + 1e-12)


# ---------------------------------------------------------------------- the solver


@pytest.mark.parametrize(
    ("problem", "data", "C"),
    [(Multiclass, blobs(), 300.0), (Assignment, assignment_data(), 10.0)],
)
def test_the_optimum_lies_between_the_values(problem, data, C):
    result = SmoothedCuttingPlane().solve(problem(), *data, C)
    reference = OneSlackCuttingPlane(rtol=1e-6).solve(problem(), *data, C)
    assert result.status is Status.CONVERGED and result.gap <= 1e-3 * result.primal
    assert result.dual <= reference.primal and reference.dual <= result.primal
    assert result.verify(problem(), *data).matches
    assert result.oracle_calls <= 0.6 * reference.oracle_calls


def test_tampered_weights_do_not_match():
    X, y = blobs()
    result = SmoothedCuttingPlane().solve(Multiclass(), X, y, 300.0)
    heavier = tuple(p._replace(alpha=1.2 * p.alpha) for p in result.support)
    assert not replace(result, support=heavier).verify(Multiclass(), X, y).matches
    assert not replace(result, support=result.support[50:]).verify(Multiclass(), X, y).matches


def sequences():
    rng = np.random.default_rng(0)
    Y = [np.cumsum(rng.integers(2, size=length)) % 4 for length in rng.integers(2, 7, size=120)]
    return [np.eye(4, 8)[y] + 0.8 * rng.normal(size=(len(y), 8)) for y in Y], Y


def test_few_passes_suffice_for_a_chain():
    X, Y = sequences()
    few = SmoothedCuttingPlane().solve(Chain(), X, Y, 20.0)
    plain = OneSlackCuttingPlane().solve(Chain(), X, Y, 20.0)
    soft = SmoothedLBFGS().solve(Chain(), X, Y, 20.0)
    assert few.oracle_calls <= 20 * len(X) < 0.5 * plain.oracle_calls
    assert few.dual <= min(plain.primal, soft.primal) and plain.dual <= few.primal


def test_the_history_shows_a_falling_gap():
    result = SmoothedCuttingPlane(rtol=1e-5).solve(Chain(), *sequences(), 200.0)
    history = result.history
    evaluated = [step.iteration for step in history if np.isfinite(step.primal)]
    for last, following in pairwise(evaluated):
        assert following - last <= max(3, 2 + 0.1 * last)
    gaps = [history[number - 1].gap for number in evaluated]
    assert np.all(np.diff(gaps) < 0) and len(gaps) >= 5
    assert np.all([step.primal >= result.dual for step in history])
    assert np.all([step.dual <= result.primal for step in history])


def test_sparse_rows_give_the_same_result_as_dense_ones():
    X, y = blobs(d=30)
    X[np.abs(X) < 0.7] = 0
    one = SmoothedCuttingPlane().solve(Multiclass(), X, y, 300.0)
    other = SmoothedCuttingPlane().solve(Multiclass(), sparse.csr_matrix(X), y, 300.0)
    assert other.primal == pytest.approx(one.primal, rel=1e-6)


def test_an_undergenerating_oracle_gives_a_lower_bound():
    X, Y = multilabel_data(0)
    result = SmoothedCuttingPlane().solve(LocalSearchMultilabel(), X, Y, 5.0)
    optimum, _ = full_optimum(Multilabel(), X, Y, 5.0)
    assert result.dual <= optimum * (1 + 1e-9)
    assert result.guarantee.lower_bound and not result.guarantee.upper_bound


def test_an_overgenerating_oracle_gives_an_upper_bound():
    data = assignment_data()
    result = SmoothedCuttingPlane().solve(RelaxedAssignment(), *data, 5.0)
    optimum, _ = full_optimum(Assignment(), *data, 5.0)
    assert result.primal >= optimum * (1 - 1e-9)


def test_constraints_are_refused_with_an_alternative():
    with pytest.raises(ValueError, match="SmoothedCuttingPlane cannot keep to the"):
        SmoothedCuttingPlane().solve(ConstrainedMultilabel("balanced"), *multilabel_data())


def test_a_start_where_nothing_is_violated():
    X, Y = multilabel_data(0)
    far = OneSlackCuttingPlane(rtol=1e-6).solve(Multilabel(), X, Y, 1e6).w
    result = SmoothedCuttingPlane().solve(Multilabel(), X, Y, 1.0, w0=5 * far)
    optimum, _ = full_optimum(Multilabel(), X, Y, 1.0)
    assert result.primal == pytest.approx(optimum, rel=2e-3)


def test_it_is_the_same_every_time():
    X, y = blobs()
    one, other = (SmoothedCuttingPlane().solve(Multiclass(), X, y, 30.0) for _ in range(2))
    np.testing.assert_array_equal(one.w, other.w)


def test_fewer_examples_than_portions():
    X, Y = multilabel_data(0)
    result = SmoothedCuttingPlane().solve(Multilabel(), X[:2], Y[:2], 5.0)
    assert result.status is Status.CONVERGED
