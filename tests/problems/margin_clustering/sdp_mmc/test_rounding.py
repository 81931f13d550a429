"""From the relaxed matrix to labels, and nodes of different sizes in clusters of equal size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import labellings, margin, some_kernel, unlinked
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc.admm import solve
from structsvm.problems.margin_clustering.sdp_mmc.candidates import candidates, draws, kernel_rows
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.rounding import (
    balanced_signs,
    evened,
    packed,
    rounded,
)
from structsvm.solvers.shared.loop import Limits


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
@settings(max_examples=80, deadline=None)
def test_balanced_signs(seed, n):
    rng = np.random.default_rng(seed)
    values, sizes = rng.normal(size=n), rng.integers(-3, 4, n).astype(float)
    limit = float(rng.integers(0, 4))
    signs = balanced_signs(values, sizes, limit)
    if signs is not None:
        assert set(np.abs(signs)) == {1.0}
        assert abs(sizes @ signs) <= limit
    plain = np.where(values >= 0, 1.0, -1.0)
    if abs(sizes @ plain) <= limit:
        np.testing.assert_array_equal(signs, plain)


def test_balance_is_reached_by_changes_towards_it_alone():
    values = np.array([0.9, 0.8, 0.7, -0.1])
    signs = balanced_signs(values, np.ones(4), 0.0)
    np.testing.assert_array_equal(signs, [1, 1, -1, -1])
    assert balanced_signs(values, np.array([5.0, 1, 1, 1]), 1.0) is None


def of_least_f(relaxation, result):
    rng = np.random.default_rng(0)
    scores = candidates(relaxation, result, kernel_rows(relaxation), rng)
    return rounded(relaxation, scores, draws(relaxation, result, rng))


def test_rounding_finds_the_best_labels_of_few_rows():
    """Over all labellings the best is among the draws, where the relaxation is near."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.normal(-1.5, 1, (4, 2)), rng.normal(1.5, 1, (4, 2))])
        K = rbf_kernel(X, gamma=0.5)
        relaxation = Relaxation(K, 50.0, 0.0, unlinked(8))
        best = of_least_f(relaxation, solve(relaxation, 1e-3, Limits(1000)))
        least = min(margin(K, 50.0, np.outer(y, y)) for y in labellings(8, 0))
        assert best.value == pytest.approx(least, rel=1e-5)


def test_rounding_where_the_matrix_is_undecided():
    """Of two moons: draws of low rank find labels near the best that are known."""
    X, upper = make_moons(60, noise=0.08, random_state=0)
    sdp = SDPMMC(solver="admm", tol=0.1, random_state=0).fit(X)
    y = 2.0 * upper - 1
    K = rbf_kernel(X, gamma=sdp.gamma_)
    assert sdp.label_objective_ <= 1.5 * margin(K, 100.0, np.outer(y, y))


@pytest.mark.parametrize("pressed", [0, 3])
def test_interruption_while_rounding(monkeypatch, pressed):
    relaxation = Relaxation(some_kernel(np.random.default_rng(0), 10), 100.0, 0.2, unlinked(10))
    result = solve(relaxation, 1.0, Limits(1))
    calls, margin_of = [], relaxation.margin

    def press(*arguments):
        calls.append(None)
        if len(calls) == pressed + 1:
            raise KeyboardInterrupt
        calls[-1] = margin_of(*arguments).value
        return margin_of(*arguments)

    monkeypatch.setattr(relaxation, "margin", press)
    if not pressed:
        with pytest.raises(KeyboardInterrupt):
            of_least_f(relaxation, result)
        return
    assert of_least_f(relaxation, result).value == min(calls[:pressed])


def test_labels_by_sizes_where_no_candidate_meets_the_balance():
    K = some_kernel(np.random.default_rng(0), 11)
    groups = [(0, 1), (0, 2), (0, 3), (4, 5), (4, 6), *((i, i + 1) for i in (7, 9))]
    relaxation = Relaxation(K, 10.0, 0.1, linked(11, np.full(11, -1), groups, None))
    assert relaxation.difference(rounded(relaxation, [], []).labels) == 1


# ---------------------------------------------------------------------- nodes of different sizes

SIZES = np.array([3.0, 3, 2, 2, 2, 3, 3])


def spread(labels, sizes, k):
    return np.sum(np.bincount(labels, sizes, k) ** 2)


def test_the_largest_first_is_not_enough():
    assert np.bincount(packed(SIZES, 3), SIZES).tolist() == [6, 6, 6]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_planted_clusters_of_equal_size_are_nearly_always_found(k):
    missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cuts = [np.sort(rng.choice(np.arange(1, 20), 4, replace=False)) for _ in range(k)]
        sizes = np.concatenate([np.diff([0, *cut, 20]) for cut in cuts]).astype(float)
        rng.shuffle(sizes)
        missed += spread(packed(sizes, k), sizes, k) > k * 20**2
    assert missed <= 2


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(4, 12))
@settings(max_examples=50, deadline=None)
def test_each_exchange_makes_clusters_more_equal(seed, k, m):
    rng = np.random.default_rng(seed)
    sizes, scores = rng.integers(1, 6, m).astype(float), rng.normal(size=(m, k))
    labels = rng.integers(0, k, m)
    while (better := evened(labels, sizes, scores)) is not None:
        assert spread(better, sizes, k) < spread(labels, sizes, k)
        assert np.sum(better != labels) <= 2
        labels = better
    assert len(np.unique(labels)) == k
    assert len(np.unique(packed(sizes, k))) == k


def test_of_equal_nodes_the_one_that_loses_least_goes():
    scores = np.array([[5.0, 0], [1, 0], [9, 0], [0, 1]])
    labels = evened(np.array([0, 0, 0, 1]), np.ones(4), scores)
    assert labels.tolist() == [0, 1, 0, 1]
