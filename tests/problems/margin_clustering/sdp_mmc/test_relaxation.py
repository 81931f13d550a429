"""The relaxation and ADMM: other solvers, bounds of all labellings, triangles, groups of rows."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import margin, some_features, some_kernel, unit_rows, unlinked
from sklearn.datasets import load_digits, make_circles
from sklearn.metrics.pairwise import rbf_kernel

from structsvm import Status
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc.admm import solve
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import SIGNS, DualPoint, Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.triangles import Triangles, violated_triangles
from structsvm.solvers.shared.loop import Limits


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.sampled_from([0.1, 1.0, 100.0]))
@settings(max_examples=40, deadline=None)
def test_the_margin_by_a_kernel_and_by_features_is_that_of_another_solver(seed, n, C):
    rng = np.random.default_rng(seed)
    features, K = some_features(rng, n)
    V = unit_rows(rng, n)
    Z = V @ V.T
    expected = margin(K, C, Z)
    by_kernel = Relaxation(K, C, 1.0, unlinked(n)).margin(Z)
    by_features = LowRankProgram(features, C, 0.5, unlinked(n), 2).margin(V)
    assert by_kernel.value == pytest.approx(expected, rel=1e-5)
    assert expected * (1 - 1e-6) <= by_features[0] <= expected * (1 + 1e-3)
    for lam, error in ((by_kernel[1], 1e-5), (by_features[1], 2e-3)):
        assert np.all((lam >= 0) & (lam <= C * (1 + 1e-12)))
        assert 2 * lam.sum() - lam @ (K * Z) @ lam == pytest.approx(expected, rel=error)


@given(st.integers(0, 2**32 - 1), st.integers(3, 7), st.booleans())
@settings(max_examples=10, deadline=None)
def test_any_multipliers_bound_every_labelling(seed, n, with_links):
    """The bound needs no optimality, so it is tried at random multipliers."""
    rng = np.random.default_rng(seed)
    K = 3 * some_kernel(rng, n)
    groups = linked(n, np.full(n, -1), [(0, 1)] if with_links else None, None)
    balance = 0.5
    relaxation = Relaxation(K, 10.0, balance, groups)
    k = groups.n_nodes
    M = rng.uniform(-1, 1, (k, k))
    triangles, _ = violated_triangles((M + M.T) / 2, SIGNS, 0.0)
    point = DualPoint(
        rng.uniform(0, 1, n),
        triangles,
        rng.exponential(0.1, len(triangles.signs)),
        rng.normal(0, 0.1, k),
        rng.normal(size=k),
    )
    assert relaxation.allows(point)
    bound = relaxation.bound(point)
    for z in product((-1.0, 1.0), repeat=k):
        y = groups.of_rows(np.array(z))
        if abs(y.sum()) <= relaxation.limit:
            assert bound <= margin(K, 10.0, np.outer(y, y)) * (1 + 1e-6)


# ---------------------------------------------------------------------- the optimum


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("n", "C", "balance", "known", "must", "cannot"),
    [
        (8, 100.0, 0.2, None, None, None),
        (9, 1.0, 0.2, None, None, None),
        (8, 100.0, 0.0, None, [(0, 5)], [(1, 2)]),
        (8, 10.0, 0.25, [0, 1, 1, -1, -1, -1, -1, -1], None, None),
        (8, 10.0, 0.25, [0, 1, -1, -1, -1, -1, -1, -1], [(3, 4), (4, 0)], [(6, 7)]),
    ],
)
def test_the_optimum_is_certified(n, C, balance, known, must, cannot):
    rng = np.random.default_rng(0)
    K = 4 * some_kernel(rng, n)
    groups = linked(n, np.full(n, -1) if known is None else np.array(known), must, cannot)
    relaxation = Relaxation(K, C, balance, groups)
    result = solve(relaxation, 1e-5, Limits(2000))
    assert result.status is Status.CONVERGED
    assert 0 <= result.primal - result.dual <= 1e-4 * result.primal
    assert result.violation <= 1e-5
    assert result.verify(relaxation).matches


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "optimum"), [(20, 9.2127), (40, 11.3755)])
def test_reference_values(n, optimum):
    """Of two other solvers, at half the median of all n^2 distances for a width.

    They were stated for the median of the pairs i < j; the zeros of the diagonal are in it.
    """
    X, y = load_digits(return_X_y=True)
    random = np.random.RandomState(0)
    rows = [random.permutation(np.flatnonzero(y == digit))[: n // 2] for digit in (2, 3)]
    X = X[np.concatenate(rows)] / 16
    squares = np.square(X[:, None] - X).sum(axis=2)
    width = 0.5 * np.median(np.sqrt(squares))
    K = np.exp(-squares / (2 * width**2))
    sdp = SDPMMC(kernel="precomputed", solver="admm", balance=0.2, tol=1e-4, random_state=0).fit(K)
    assert sdp.objective_ == pytest.approx(optimum, abs=1e-3)
    assert sdp.lower_bound_ == pytest.approx(optimum, abs=1.5e-3)
    assert sdp.max_violation_ < 1e-3


def test_rows_near_the_origin_of_a_linear_kernel():
    """Their lambda is large, one of them at C: the scale of the method follows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 2)) * rng.uniform(0.05, 2, (9, 1))
    X[0] = 0
    relaxation = Relaxation(X @ X.T, 100.0, 0.4, unlinked(9))
    result = solve(relaxation, 0.01, Limits(60))
    assert result.status is Status.CONVERGED
    assert result.gap <= 0.01 * result.primal and result.verify(relaxation).matches


@pytest.fixture(scope="module")
def solved():
    X, _ = make_circles(16, factor=0.4, noise=0.03, random_state=0)
    relaxation = Relaxation(rbf_kernel(X, gamma=2.0), 100.0, 0.1, unlinked(16))
    return relaxation, solve(relaxation, 1e-3, Limits(1000))


def test_verify_catches_what_is_wrong(solved):
    relaxation, result = solved
    point = result.dual_point
    assert result.verify(relaxation).matches
    wrong = [
        replace(result, primal=result.primal * 1.001),
        replace(result, dual=result.dual * 1.001),
        replace(result, violation=result.violation + 0.01),
        replace(result, Z=np.eye(16)),
        replace(result, dual_point=point._replace(lam=point.lam * 1.01)),
        replace(result, dual_point=point._replace(t=point.t * 0.99)),
        replace(result, dual_point=point._replace(delta=point.delta + np.eye(16)[0])),
    ]
    for bad in wrong:
        assert not bad.verify(relaxation).matches
    negative = point._replace(t=np.where(np.arange(len(point.t)) == 0, -0.1, point.t))
    unsigned = point._replace(triangles=Triangles(point.triangles.items, 2 * point.triangles.signs))
    large = point._replace(lam=np.where(np.arange(16) == 0, 200.0, point.lam))
    for infeasible in (negative, unsigned, large):
        dual = relaxation.bound(infeasible)
        assert not replace(result, dual_point=infeasible, dual=dual).verify(relaxation).matches
    other = Relaxation(relaxation.K + 0.01 * np.eye(16), 100.0, 0.1, unlinked(16))
    assert not result.verify(other).matches


# ---------------------------------------------------------------------- triangle inequalities


@given(st.integers(0, 2**32 - 1), st.integers(2, 7))
@settings(max_examples=50, deadline=None)
def test_the_most_violated_triangles_are_found(seed, n):
    rng = np.random.default_rng(seed)
    M = rng.uniform(-1, 1, (n, n))
    M = (M + M.T) / 2
    triangles, excess = violated_triangles(M, SIGNS, 0.01)
    sides = ((M[i, j], M[j, k], M[i, k]) for i, j, k in combinations(range(n), 3))
    values = [v for a, b, c in sides for v in (a + b + c, a - b - c, b - a - c, c - a - b)]
    if not len(excess):
        assert min(values, default=0) >= -1.01
        return
    assert excess[0] == pytest.approx(-1 - min(values))
    assert np.all(np.diff(excess) <= 0)
    ends = np.triu_indices(n, 1)
    np.testing.assert_allclose(triangles.rows(n) @ M[ends], -1 - excess)
    # Every violated pair of ends is there, whatever the middle is.
    for s, i, k in product(SIGNS, range(n), range(n)):
        others = [j for j in range(n) if j not in (i, k)]
        if i < k and others:
            worst = max(-1 - s * (M[i, j] + M[j, k]) - M[i, k] for j in others)
            chosen = (triangles.signs == s) & np.all(triangles.items[:, ::2] == (i, k), axis=1)
            assert chosen.sum() == (worst > 0.01)


# ---------------------------------------------------------------------- rows that are linked


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(0, 12))
@settings(max_examples=80, deadline=None)
def test_groups_allow_exactly_the_labellings_that_keep_labels_and_links(seed, n, n_links):
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1, 1], n)
    pairs = [tuple(rng.integers(n, size=2)) for _ in range(n_links)]
    must = [(i, j) for i, j in pairs if truth[i] == truth[j]]
    cannot = [(i, j) for i, j in pairs if truth[i] != truth[j]]
    known = np.where(rng.random(n) < 0.3, (truth + 1) // 2, -1)
    groups = linked(n, known, must, cannot)

    def keeps(y):
        """Up to the names of the clusters."""
        labelled = y[known >= 0] * (2 * known[known >= 0] - 1)
        return (
            all(y[i] == y[j] for i, j in must)
            and all(y[i] != y[j] for i, j in cannot)
            and abs(labelled.sum()) == len(labelled)
        )

    wanted = {tuple(y) for y in product((-1, 1), repeat=n) if keeps(np.array(y))}
    made = {
        tuple(groups.of_rows(np.array(z)).astype(int))
        for z in product((-1, 1), repeat=groups.n_nodes)
    }
    assert made == wanted
    assert groups.n_nodes == round(np.log2(len(wanted)))
    z = rng.choice([-1.0, 1.0], groups.n_nodes)
    assert groups.sizes @ z == groups.of_rows(z).sum()
    y = groups.of_rows(z)
    np.testing.assert_array_equal(groups.pairs_of_rows(np.outer(z, z)), np.outer(y, y))
    A = rng.normal(size=(n, n))
    A += A.T
    R = np.eye(groups.n_nodes)[groups.nodes]
    np.testing.assert_allclose(groups.summed(A), R.T @ A @ R)


@pytest.mark.parametrize(
    ("known", "must", "cannot", "message"),
    [
        ([-1] * 4, [(0, 1), (1, 2)], [(2, 0)], r"cannot_link has \(2, 0\).*rows 2 and 0 are apart"),
        ([-1] * 4, [(0, 1)], [(1, 0)], r"cannot_link has \(1, 0\)"),
        ([-1] * 4, [(2, 2)], [(3, 3)], "row 3 differs from itself"),
        ([0, 1, -1, -1], [(0, 2), (2, 1)], [], r"must_link has \(2, 1\).*but the labels"),
        ([0, 0, -1, -1], [], [(0, 1)], r"cannot_link has \(0, 1\).*but the labels"),
        ([-1] * 4, [], [(0, 1), (1, 2), (2, 0)], r"cannot_link has \(2, 0\).*other links"),
    ],
)
def test_contradictory_links_are_named(known, must, cannot, message):
    with pytest.raises(ValueError, match=message):
        linked(4, np.array(known), must, cannot)
