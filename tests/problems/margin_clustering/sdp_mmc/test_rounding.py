"""From the relaxed matrix to labels: candidates, balance, codes of several clusters."""

from itertools import product

import numpy as np
import pytest
from clustering_data import agreement, quietly
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import margin, some_kernel, unlinked
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc import candidates as module
from structsvm.problems.margin_clustering.sdp_mmc.admm import solve
from structsvm.problems.margin_clustering.sdp_mmc.candidates import candidates, draws, kernel_rows
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.program import least_imbalance, simplex
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.rounding import (
    balanced,
    balanced_signs,
    evened,
    packed,
    rounded,
)
from structsvm.solvers.shared.loop import Limits


@pytest.mark.parametrize("k", [2, 3, 5])
def test_vertices_of_a_simplex(k):
    codes = simplex(k)
    assert codes.shape == (k, k - 1)
    expected = np.where(np.eye(k, dtype=bool), 1.0, -1 / (k - 1))
    np.testing.assert_allclose(codes @ codes.T, expected, atol=1e-12)
    assert k > 2 or codes.tolist() == [[-1.0], [1.0]]


@pytest.mark.parametrize(("n", "k"), [(5, 2), (6, 2), (6, 3), (7, 3), (5, 4)])
def test_the_least_imbalance_of_all_labellings_and_the_largest_balance(n, k):
    """Below its limit no cluster is empty."""
    labellings = np.array([*product(range(k), repeat=n)])
    norms = np.linalg.norm(simplex(k)[labellings].sum(axis=1), axis=1)
    assert least_imbalance(n, k) == pytest.approx(norms.min(), abs=1e-12)
    balanced = labellings[norms < n / (k - 1) - 1e-9]
    assert all(len(set(y)) == k for y in balanced.tolist())


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


def spread(labels, sizes, k):
    return np.sum(np.bincount(labels, sizes, k) ** 2)


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


def graph_divisions(relaxation):
    """The values of the nodes by the rows: the difference of the scores of the two clusters."""
    rng, result = np.random.default_rng(0), solve(relaxation, 1.0, Limits(1))
    _, _, *found = candidates(relaxation, result, kernel_rows(relaxation), rng)
    return [scores[:, 1] - scores[:, 0] for scores in found]


def rings(noise=0.05, seed=0):
    return make_circles(120, factor=0.5, noise=noise, random_state=seed)


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "seed"), [(0.05, 0), (0.06, 1)])
def test_near_rings_are_found(noise, seed):
    """M alone is undecided between many halves of the rings."""
    X, inner = rings(noise, seed)
    sdp = SDPMMC(solver="admm", tol=0.1, random_state=0).fit(X)
    y, K = 2.0 * inner - 1, rbf_kernel(X, gamma=sdp.gamma_)
    assert agreement(sdp.labels_, inner) == 1
    assert sdp.label_objective_ == pytest.approx(margin(K, 100.0, np.outer(y, y)), rel=1e-5)


@given(st.integers(0, 2**32 - 1), st.integers(4, 12))
@settings(max_examples=10, deadline=None)
def test_candidates_keep_labels_links_and_balance(seed, n):
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1, 1], n)
    pairs = rng.integers(n, size=(3, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = np.full(n, -1)
    known[[0, 1]] = (truth[:2] + 1) // 2
    must, cannot = pairs[same], pairs[~same]
    groups = linked(n, known, must, cannot)
    balance = max(abs(truth.sum()) / n, 0.1)  # the truth shows that there are such labels
    relaxation = Relaxation(some_kernel(rng, n), 10.0, balance, groups)
    for values in graph_divisions(relaxation):
        assert values.shape == (groups.n_nodes,)
        labels = balanced(relaxation, np.column_stack([-values, values]))
        if labels is None:
            continue
        y = groups.of_rows(2.0 * labels - 1)
        assert abs(y.sum()) <= relaxation.limit + 1e-9
        assert all(y[i] == y[j] for i, j in must)
        assert all(y[i] != y[j] for i, j in cannot)
        assert (y[0] == y[1]) == (truth[0] == truth[1])


def test_two_rows_beyond_copies():
    K = np.kron([[1.0, 0.2], [0.2, 1.0]], np.ones((6, 6)))
    for values in graph_divisions(Relaxation(K, 1.0, 0.9, unlinked(12))):
        assert len(set(np.sign(values[:6]))) == len(set(np.sign(values[6:]))) == 1
    assert graph_divisions(Relaxation(np.ones((4, 4)), 1.0, 0.9, unlinked(4))) == []


@pytest.mark.slow
def test_copies_of_few_rows_have_candidates():
    X = np.repeat(np.arange(3.0)[:, None], 40, axis=0)
    _, by_k_means = module.by_rows(X, 3, np.random.default_rng(0))  # graphs have no scale
    assert len(set(zip(X[:, 0], by_k_means.argmax(axis=1), strict=True))) == 3
    X = np.repeat(np.arange(5.0)[:, None], 8, axis=0)
    sdp = SDPMMC(n_clusters=6, n_components=10, random_state=0)  # BayesianMMC refuses
    assert len(np.unique(quietly(sdp, X).labels_)) == 6
