"""From the relaxed matrix to labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import labellings, margin, some_kernel, unlinked
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc import rounding
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.rounding import (
    _draws,
    balanced,
    candidates,
    rounded,
    soft_assignment,
)
from structsvm.problems.margin_clustering.sdp_mmc.solver import solve
from structsvm.solvers.shared.loop import Limits


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
@settings(max_examples=80, deadline=None)
def test_balanced_signs(seed, n):
    rng = np.random.default_rng(seed)
    values, sizes = rng.normal(size=n), rng.integers(-3, 4, n).astype(float)
    limit = float(rng.integers(0, 4))
    signs = balanced(values, sizes, limit)
    if signs is not None:
        assert set(np.abs(signs)) == {1.0}
        assert abs(sizes @ signs) <= limit
    plain = np.where(values >= 0, 1.0, -1.0)
    if abs(sizes @ plain) <= limit:
        np.testing.assert_array_equal(signs, plain)


def test_balance_is_reached_by_changes_towards_it_alone():
    values = np.array([0.9, 0.8, 0.7, -0.1])
    signs = balanced(values, np.ones(4), 0.0)
    np.testing.assert_array_equal(signs, [1, 1, -1, -1])
    assert balanced(values, np.array([5.0, 1, 1, 1]), 1.0) is None


def test_rounding_finds_the_best_labels_of_few_rows():
    """Over all labellings the best is among the draws, where the relaxation is near."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.normal(-1.5, 1, (4, 2)), rng.normal(1.5, 1, (4, 2))])
        K = rbf_kernel(X, gamma=0.5)
        relaxation = Relaxation(K, 50.0, 0.0, unlinked(8))
        Z = solve(relaxation, 1e-3, Limits(1000)).Z
        best = rounded(relaxation, candidates(relaxation, Z), Z, np.random.default_rng(0))
        least = min(margin(K, 50.0, np.outer(y, y)) for y in labellings(8, 0))
        assert best.value == pytest.approx(least, rel=1e-5)


def test_the_soft_assignment_is_the_leading_eigenvector_of_the_whole_matrix():
    rng = np.random.default_rng(0)
    groups = linked(7, np.full(7, -1), [(0, 3), (3, 4)], [(1, 2)])
    relaxation = Relaxation(some_kernel(rng, 7), 1.0, 0.5, groups)
    factor = rng.normal(size=(groups.n_nodes, 2))
    Z = factor @ factor.T
    values, vectors = np.linalg.eigh(groups.pairs_of_rows(Z))
    soft = groups.of_rows(soft_assignment(relaxation, Z))
    leading = np.sqrt(values[-1]) * vectors[:, -1]
    np.testing.assert_allclose(soft * np.sign(soft[0]), leading * np.sign(leading[0]))


@pytest.mark.parametrize("seed", range(3))
def test_rounding_where_the_matrix_is_undecided(seed):
    """Of two moons: draws of low rank find labels near the best that are known."""
    X, upper = make_moons(90, noise=0.08, random_state=0)
    sdp = SDPMMC(solver="admm", tol=0.1, random_state=seed).fit(X)
    y = 2.0 * upper - 1
    K = rbf_kernel(X, gamma=sdp.gamma_)
    assert sdp.label_objective_ <= 1.5 * margin(K, 100.0, np.outer(y, y))
    assert sdp.label_gap_ == sdp.label_objective_ - sdp.lower_bound_


def test_interruption_while_rounding(monkeypatch):
    K = some_kernel(np.random.default_rng(0), 10)
    relaxation = Relaxation(K, 100.0, 0.2, unlinked(10))
    Z, calls, margin_of = np.eye(10), [], relaxation.margin

    def press(*arguments):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(margin_of(*arguments))
        return calls[-1]

    monkeypatch.setattr(relaxation, "margin", press)
    best = rounded(relaxation, candidates(relaxation, Z), Z, np.random.default_rng(0))
    assert best.value == min(found.value for found in calls)
    calls[:] = [None] * 3
    with pytest.raises(KeyboardInterrupt):
        rounded(relaxation, candidates(relaxation, Z), Z, np.random.default_rng(0))


def test_draws_do_not_depend_on_the_signs_of_eigenvectors(monkeypatch):
    Y = np.random.default_rng(0).normal(size=(12, 12))
    Z = Y @ Y.T

    def draws():
        return np.array(list(_draws(Z, np.random.default_rng(0))))

    expected = draws()

    def flipped(matrix):
        values, vectors = np.linalg.eigh(matrix)
        return values, vectors * (-1.0) ** np.arange(len(values))

    monkeypatch.setattr(rounding, "eigh", flipped)
    np.testing.assert_allclose(draws(), expected, rtol=1e-9, atol=1e-9)
    covariance = np.cov(expected[::4].T, bias=True)
    np.testing.assert_allclose(covariance, Z, atol=0.35 * Z.max())


def test_labels_by_sizes_where_no_candidate_meets_the_balance(monkeypatch):
    K = some_kernel(np.random.default_rng(0), 11)
    groups = [(0, 1), (0, 2), (0, 3), (4, 5), (4, 6), *((i, i + 1) for i in (7, 9))]
    relaxation = Relaxation(K, 10.0, 0.1, linked(11, np.full(11, -1), groups, None))
    monkeypatch.setattr(rounding, "_draws", lambda Z, rng: [])
    best = rounded(relaxation, [], np.eye(4), np.random.default_rng(0))
    assert abs(relaxation.sizes @ best.z) == 1
