"""SmoothedCuttingPlane and its cache: optima, few passes, planes by example, bad oracles."""

from dataclasses import replace

import numpy as np
import pytest
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
    ProblemError,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.calls import initialize
from structsvm.oracle import BoundProblem
from structsvm.problems import Chain, Multiclass
from structsvm.separation import find
from structsvm.solvers import smoothed_cutting_plane
from structsvm.solvers.cache import OutputCache, RestrictedObjective
from structsvm.solvers.smoothing import Descent


def blobs(n=300, d=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d)), y


def dense(rows):
    return rows.toarray() if sparse.issparse(rows) else rows


def filled(problem, X, Y, points=4, seed=0):
    """A cache of what the oracle finds at some points, and what it was filled from."""
    initialize(problem, X, Y)
    bound = BoundProblem(problem, X, Y)
    cache, rng = OutputCache(bound.size), np.random.default_rng(seed)
    for _ in range(points):
        w = rng.normal(size=bound.size)
        rows = np.sort(rng.permutation(bound.n)[: 2 * bound.n // 3 + 1])
        known = cache.slacks(w, bound.n)[rows]
        cache.add(rows, find(bound.subset(rows), None, w, known + 1e-9))
    return cache, bound


# ---------------------------------------------------------------------- the cache


def test_planes_stay_with_their_example_and_output():
    X, Y = multilabel_data(0)
    cache, bound = filled(Multilabel(), X, Y)
    assert len(cache) > bound.n and np.all(np.diff(cache.examples) >= 0)
    for row, offset, i, output in zip(
        dense(cache.rows), cache.offsets, cache.examples, cache.outputs, strict=True
    ):
        problem = bound.problem
        np.testing.assert_allclose(row, problem.joint_feature_difference(X[i], Y[i], output))
        assert offset == problem.loss(Y[i], output)


def test_no_output_is_kept_twice():
    X, Y = multilabel_data(0)
    cache, _ = filled(Multilabel(), X, Y, points=60)
    pairs = list(zip(cache.examples.tolist(), cache.outputs, strict=True))
    assert len(set(pairs)) == len(pairs)


def test_weights_and_planes_are_dropped_together():
    cache, _ = filled(Multilabel(), *multilabel_data(0))
    heavy = np.arange(len(cache)) % 3 == 0
    cache.weights = np.where(heavy, 0.1, 1e-12)
    kept, m = dense(cache.rows)[heavy], len(cache)
    cache.prune(after=1)
    assert len(cache) == m  # idle once, which is let pass
    cache.prune(after=1)
    np.testing.assert_array_equal(dense(cache.rows), kept)
    assert np.all(cache.weights == 0.1) and len(cache.outputs) == heavy.sum() == len(cache.idle)


@pytest.mark.parametrize("share", [0.05, 0.9], ids=["sparse", "dense"])
def test_rows_are_kept_in_the_smaller_format(share):
    class Rows(Multiclass):
        def batch_joint_feature_difference(self, X, Y, Y_hat):
            rows = super().batch_joint_feature_difference(X, Y, Y_hat)
            return sparse.csr_matrix(rows) if share < 0.5 else rows

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)) * (rng.random((60, 40)) < share), rng.integers(3, size=60)
    cache, _ = filled(Rows(), X, y)
    assert sparse.issparse(cache.rows) == (share < 0.5)
    plain, _ = filled(Multiclass(), X, y)
    w = rng.normal(size=120)
    np.testing.assert_allclose(cache.scores(w), plain.scores(w))


@pytest.mark.parametrize("mu", [0.02, 0.5])
def test_the_restricted_objective_is_smooth_and_above_the_slacks(mu):
    cache, bound = filled(Multilabel(), *multilabel_data(0))
    objective, w = RestrictedObjective(cache, 7.0, bound.n), np.full(bound.size, 0.1)
    point = objective.at(w, mu)
    assert np.all(point.soft_slacks >= cache.slacks(w, bound.n)[np.unique(cache.examples)])
    direction, h = np.random.default_rng(0).normal(size=bound.size), 1e-5 * mu
    ahead, behind = (objective.at(w + s * direction, mu).value for s in (h, -h))
    assert (ahead - behind) / (2 * h) == pytest.approx(point.gradient @ direction, rel=1e-4)
    assert point.expected <= point.primal * (1 + 1e-12) <= point.value * (1 + 2e-12)


@pytest.mark.parametrize("points", [0, 4])
def test_labellings_have_the_weights_for_their_mean(points):
    cache, bound = filled(Multilabel(), *multilabel_data(0), points=points)
    rng = np.random.default_rng(1)
    weights = rng.random(len(cache))
    sums = np.bincount(cache.examples, weights, minlength=bound.n)
    share = np.where(rng.random(bound.n) < 0.5, 1.0, 0.6)  # the others have the truth for the rest
    cache.weights = weights / sums[cache.examples] * share[cache.examples]
    chosen = cache.labellings(1000)
    assert chosen.shape == (1000, len(cache))
    for labelling in chosen[::100]:
        assert len(set(cache.examples[labelling])) == np.count_nonzero(labelling)
    np.testing.assert_allclose(chosen.mean(axis=0), cache.weights, atol=2e-3)


def test_the_weights_are_the_dual_solution_of_the_descent():
    cache, bound = filled(Multilabel(), *multilabel_data(0))
    objective = RestrictedObjective(cache, 7.0, bound.n)
    descent = Descent(objective, np.zeros(bound.size), 0.3)
    for _ in range(20):
        descent.step()
        if descent.asks_for_less(1e-3):
            descent.lower_mu(1e-3)
    v, linear = objective.dual_solution()
    assert linear - 0.5 * v @ v == pytest.approx(descent.dual, rel=1e-9)
    assert np.all(np.bincount(cache.examples, cache.weights) <= 1 + 1e-12)


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
    assert result.oracle_calls <= 0.5 * reference.oracle_calls


def test_tampered_weights_do_not_match():
    X, y = blobs()
    result = SmoothedCuttingPlane().solve(Multiclass(), X, y, 300.0)
    heavier = tuple(p._replace(alpha=1.2 * p.alpha) for p in result.support)
    assert not replace(result, support=heavier).verify(Multiclass(), X, y).matches
    assert not replace(result, support=result.support[50:]).verify(Multiclass(), X, y).matches


def test_a_chain_takes_a_few_passes():
    rng = np.random.default_rng(0)
    Y = [np.cumsum(rng.integers(2, size=length)) % 4 for length in rng.integers(2, 7, size=120)]
    X = [np.eye(4, 8)[y] + 0.8 * rng.normal(size=(len(y), 8)) for y in Y]
    dear = SmoothedCuttingPlane().solve(Chain(), X, Y, 20.0)
    plain = OneSlackCuttingPlane().solve(Chain(), X, Y, 20.0)
    soft = SmoothedLBFGS().solve(Chain(), X, Y, 20.0)
    assert dear.oracle_calls <= 20 * len(X) < 0.5 * plain.oracle_calls
    assert dear.dual <= min(plain.primal, soft.primal) and plain.dual <= dear.primal


def test_sparse_rows_are_trained_on_as_dense_ones_are():
    X, y = blobs(d=30)
    X[np.abs(X) < 0.7] = 0
    one = SmoothedCuttingPlane().solve(Multiclass(), X, y, 300.0)
    other = SmoothedCuttingPlane().solve(Multiclass(), sparse.csr_matrix(X), y, 300.0)
    assert other.primal == pytest.approx(one.primal, rel=1e-6)


@pytest.mark.parametrize(
    ("problem", "data", "C"),
    [(Multiclass, blobs(), 300.0), (Assignment, assignment_data(), 10.0)],
)
def test_a_stall_is_handed_to_the_cutting_plane_with_planes(problem, data, C, monkeypatch):
    class Impatient:
        stalled = False

        def note(self, gap):
            self.stalled = True

    monkeypatch.setattr(smoothed_cutting_plane, "Progress", Impatient)
    handed = []

    def passes(self, run, query, go_on=OneSlackCuttingPlane._passes):
        handed.append((run.restricted.dual, run.best.dual.value))
        return go_on(self, run, query)

    monkeypatch.setattr(OneSlackCuttingPlane, "_passes", passes)
    result = SmoothedCuttingPlane().solve(problem(), *data, C)
    ((seeded, reached),) = handed
    assert 0.9 * reached <= seeded <= result.primal
    assert result.status is Status.CONVERGED and result.verify(problem(), *data).matches
    monkeypatch.setattr(smoothed_cutting_plane.CachedRun, "seed_one_slack", lambda run: None)
    assert result.iterations < SmoothedCuttingPlane().solve(problem(), *data, C).iterations


def test_an_undergenerating_oracle_is_no_reason_to_fail():
    X, Y = multilabel_data(0)
    result = SmoothedCuttingPlane().solve(LocalSearchMultilabel(), X, Y, 5.0)
    optimum, _ = full_optimum(Multilabel(), X, Y, 5.0)
    assert result.dual <= optimum * (1 + 1e-9)
    assert result.guarantee.lower_bound and not result.guarantee.upper_bound


def test_an_overgenerating_oracle_bounds_from_above():
    data = assignment_data()
    result = SmoothedCuttingPlane().solve(RelaxedAssignment(), *data, 5.0)
    optimum, _ = full_optimum(Assignment(), *data, 5.0)
    assert result.primal >= optimum * (1 - 1e-9)


def test_an_oracle_that_forgets_what_it_found_is_named():
    class Forgetful(Multilabel):
        def separation_oracle(self, x, y, w):
            return y if w.any() else super().separation_oracle(x, y, w)

    X, Y = multilabel_data(0)
    with pytest.raises(ProblemError, match="returned earlier scores higher for example"):
        SmoothedCuttingPlane(rtol=1e-8).solve(Forgetful(), X, Y, 100.0)


def test_an_oracle_without_losses_is_named():
    class Truth(Multilabel):
        def separation_oracle(self, x, y, w):
            return y

    with pytest.raises(ProblemError, match="loss 0 for every example at w = 0"):
        SmoothedCuttingPlane().solve(Truth(), *multilabel_data(0))


def test_constraints_are_refused_with_a_way_out():
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


def test_more_than_chunks_of_examples_are_not_needed():
    X, Y = multilabel_data(0)
    result = SmoothedCuttingPlane().solve(Multilabel(), X[:2], Y[:2], 5.0)
    assert result.status is Status.CONVERGED
