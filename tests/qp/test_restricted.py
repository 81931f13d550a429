"""The restricted dual QP against closed forms and cvxopt, and what is done where a method fails."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from qp_instances import INF, SHAPES, assert_feasible, make_instance

from structsvm.qp import active_set, interior_point, solve_restricted_dual
from structsvm.qp.by_cvxopt import solve_by_cvxopt
from structsvm.qp.certificate import certify, certify_pair

interior_point_solve = interior_point.solve


def solve(A, b, groups, caps, **kwargs):
    A = np.atleast_2d(np.asarray(A, dtype=float))
    b, caps = np.asarray(b, dtype=float), np.asarray(caps, dtype=float)
    return solve_restricted_dual(A @ A.T, b, np.asarray(groups), caps, **kwargs)


def assert_kkt(instance, solution, tol):
    """In every group the planes with weight have the largest residual, with complementarity."""
    H, b, groups, caps = instance
    residual = b - H @ solution.alpha
    scale = max(abs(solution.primal), abs(solution.dual))
    for g, cap in enumerate(caps):
        members = groups == g
        slack = max(residual[members].max(initial=0.0), 0.0) if np.isfinite(cap) else 0.0
        weight = solution.alpha[members]
        assert (weight * np.abs(slack - residual[members]) <= tol * scale).all()
        if np.isfinite(cap):
            assert slack * (cap - weight.sum()) <= tol * scale


@pytest.mark.parametrize(
    ("A", "b", "groups", "caps", "alpha"),
    [
        ([[2.0]], [1.0], [0], [10.0], [0.25]),
        ([[2.0]], [1.0], [0], [0.1], [0.1]),
        ([[2.0]], [-1.0], [0], [1.0], [0.0]),
        ([[0.0]], [1.0], [0], [3.0], [3.0]),
        # With the cap tight and a_1, a_2 orthonormal: alpha_1 - alpha_2 = b_1 - b_2.
        (np.eye(2), [0.9, 0.5], [0, 0], [1.0], [0.7, 0.3]),
        # The projection onto a half-space: w = (1.2, 1.6), and a.w = 10.
        ([[3.0, 4.0]], [10.0], [0], [INF], [0.4]),
        (np.eye(3), [1.0, 0.2, 5.0], [0, 1, 2], [0.5, 1.0, 100.0], [0.5, 0.2, 5.0]),
        ([[1.0]], [1.0], [2], [1.0, 1.0, 1.0, INF], [1.0]),
    ],
)
def test_closed_forms(A, b, groups, caps, alpha):
    solution = solve(A, b, groups, caps)
    assert solution.certified and solution.backend == "active-set"
    assert solution.alpha == pytest.approx(alpha, abs=1e-9)
    assert solution.primal == pytest.approx(solution.dual) and solution.violation < 1e-9
    w = np.asarray(A).T @ solution.alpha
    assert solution.dual == pytest.approx(b @ solution.alpha - w @ w / 2)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("seed", range(2))
def test_hard_planes_have_no_scale(seed, scale):
    rng = np.random.default_rng(seed)
    rows, b, groups = rng.normal(size=(8, 5)), rng.random(8), np.repeat([0, 1], 4)
    caps, b[4:] = np.array([5.0, INF]), 0.0
    expected = solve_restricted_dual(rows @ rows.T, b, groups, caps)
    rows[4:] *= scale
    solution = solve_restricted_dual(rows @ rows.T, b, groups, caps)
    assert solution.certified
    assert solution.dual == pytest.approx(expected.dual, rel=1e-9)
    assert solution.primal == pytest.approx(expected.primal, rel=1e-9)


def test_a_problem_without_planes():
    nothing = solve_restricted_dual(np.zeros((0, 0)), np.zeros(0), np.zeros(0, int), np.ones(3))
    assert nothing.certified and nothing.primal == nothing.dual == 0


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.sampled_from([1e-2, 1.0, 1e2, 1e5]))
@example(70706, "pairwise", 1e5)  # a gap of 3e-9 is all that float64 allows
def test_agrees_with_cvxopt_and_kkt(seed, shape, cap):
    instance = _, _, groups, caps = make_instance(seed, shape, cap)
    solution = solve_restricted_dual(*instance)
    assert solution.certified
    assert_feasible(solution.alpha, groups, caps)
    assert_kkt(instance, solution, 1e-6)
    other = solve_by_cvxopt(*instance)
    assert other[1:6] == certify(*instance, other.alpha)[1:6]
    assert_feasible(other.alpha, groups, caps)
    scale = max(abs(solution.primal), 1e-12)
    assert solution.dual >= other.dual - 1e-6 * scale  # nothing feasible is better
    if other.violation < 1e-9:
        assert solution.primal <= other.primal + 1e-6 * scale
    # Any start leads to the same optimum, an infeasible one too.
    start = 10.0 ** (seed % 7 - 3) * np.random.default_rng(seed).normal(size=len(groups))
    warm = solve_restricted_dual(*instance, alpha0=start)
    assert warm.certified
    assert warm.dual == pytest.approx(solution.dual, rel=1e-7, abs=1e-12)


WRONG = {
    "zeros": lambda alpha: 0 * alpha,
    "one per mille off": lambda alpha: 0.999 * alpha,
    "above the cap": lambda alpha: 3 * alpha + 1,
    "nan": lambda alpha: np.nan * alpha,
    "inf": lambda alpha: alpha + INF,
    "negative": lambda alpha: -alpha,
    "permuted": lambda alpha: alpha[::-1],
}


@pytest.mark.parametrize("lie", WRONG)
@pytest.mark.parametrize("shape", ["n-slack", "pairwise"])
def test_certificate_rejects_a_lying_active_set(monkeypatch, lie, shape):
    instance = make_instance(11, shape)
    truth = solve_restricted_dual(*instance)
    assert truth.backend == "active-set"
    monkeypatch.setattr(active_set, "solve", lambda *args: (WRONG[lie](truth.alpha), 1))
    solution = solve_restricted_dual(*instance)
    assert solution.backend == "interior-point" and solution.certified
    assert solution.dual == pytest.approx(truth.dual, rel=1e-8)


def wrong_by_half(T, b, groups, caps):
    answer = interior_point_solve(T, b, groups, caps)
    alpha = 0.5 * answer.alpha
    return certify_pair(T, b, groups, caps, alpha, T.T @ alpha)._replace(w=T.T @ alpha)


def test_two_lying_backends_are_not_certified_and_the_better_is_kept(monkeypatch):
    instance = make_instance(11, "n-slack")
    truth = solve_restricted_dual(*instance).alpha
    monkeypatch.setattr(active_set, "solve", lambda *args: (0.99 * truth, 1))
    monkeypatch.setattr(interior_point, "solve", wrong_by_half)
    solution = solve_restricted_dual(*instance)
    assert not solution.certified and solution.backend == "active-set"
    np.testing.assert_allclose(solution.alpha, 0.99 * truth)


@pytest.mark.parametrize("n_soft", [0, 5, 200])
def test_an_unbounded_dual_ends_uncertified(n_soft):
    rng = np.random.default_rng(2)
    v = rng.normal(size=(1, 4))
    A = np.r_[v, -v, rng.normal(size=(n_soft, 4))]  # v.w >= 1 and -v.w >= 1
    b = np.r_[1.0, 1.0, rng.random(n_soft)]
    groups = np.r_[1, 1, np.zeros(n_soft, int)]
    solution = solve(A, b, groups, [1.0, INF])
    assert not solution.certified and solution.violation > 0.1
    assert_feasible(solution.alpha, groups, np.array([1.0, INF]))
    assert np.isfinite(solution.alpha).all()
    most = max(active_set.MOST_STEPS + len(b), interior_point.MAX_ITERATIONS)
    assert solution.iterations <= most


def test_an_answer_within_the_looser_tolerance_is_certified(monkeypatch):
    instance = make_instance(11, "n-slack")
    truth = solve_restricted_dual(*instance).alpha
    monkeypatch.setattr(active_set, "solve", lambda *args: ((1 - 1e-8) * truth, 1))
    monkeypatch.setattr(interior_point, "solve", wrong_by_half)
    solution = solve_restricted_dual(*instance)
    assert solution.certified and solution.backend == "active-set"
    assert solution.gap > 1e-9 * solution.primal  # the tight tolerance is missed


def test_a_gap_that_rounding_hides_is_not_accepted():
    """A gap that comes out small where its terms are larger by 16 digits means nothing."""
    rng = np.random.default_rng(0)
    rows = (rng.normal(size=(12, 4)) + 1e9) * rng.choice([-1, 1], size=(12, 1))
    b, groups, caps = rng.random(12), np.zeros(12, int), np.array([5.0])
    H = rows @ rows.T
    for seed in range(4):
        start = np.random.default_rng(seed).random(12)
        solution = solve_restricted_dual(H, b, groups, caps, start, rows=rows)
        assert solution.certified and solution.rounding <= 1e-6 * solution.primal
