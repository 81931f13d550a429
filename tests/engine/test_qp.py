"""The restricted dual QP against closed forms and cvxopt, and its certificate against lies."""

import copy
import time

import cvxopt.solvers
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from structsvm.qp import active_set, interior_point, solve_restricted_dual
from structsvm.qp.certificate import certify, clip_to_feasible

INF = np.inf


def solve(A, b, groups, caps, **kwargs):
    A = np.atleast_2d(np.asarray(A, dtype=float))
    b, caps = np.asarray(b, dtype=float), np.asarray(caps, dtype=float)
    return solve_restricted_dual(A @ A.T, b, np.asarray(groups), caps, **kwargs)


def make_instance(seed, shape, cap=1.0):
    """A feasible random instance of one of the shapes the cutting planes produce."""
    rng = np.random.default_rng(seed)
    m, d, n_groups = int(rng.integers(1, 60)), int(rng.integers(1, 12)), 1
    if shape == "n-slack":
        n_groups = int(rng.integers(2, 25))
    A, b = rng.normal(size=(m, d)), rng.random(m)
    groups, caps = rng.integers(n_groups, size=m), np.full(n_groups, cap)
    if shape == "duplicates":
        A[m // 2 :] = A[: m - m // 2] + rng.choice([0, 1e-9]) * rng.normal(size=(m - m // 2, d))
    if shape == "zeros":
        A[rng.random(m) < 0.4] = 0
    if shape == "percent":
        b *= 100
    if shape == "balance":  # two-sided, tight or with room: makes H singular
        v = rng.normal(size=(1, d))
        A, b = np.r_[A, v, -v], np.r_[b, np.full(2, -rng.choice([0.0, 0.1]))]
    if shape == "pairwise":  # 90 rows of rank 9
        V = rng.normal(size=(10, d))
        rows = [V[p] - V[q] for p in range(10) for q in range(10) if p != q]
        A, b = np.r_[A, rows], np.r_[b, np.full(90, -0.05)]
    hard = len(b) - m
    if hard:
        groups, caps = np.r_[groups, np.full(hard, n_groups)], np.r_[caps, INF]
    return A @ A.T, b, groups, caps


SHAPES = ["1-slack", "n-slack", "duplicates", "zeros", "percent", "balance", "pairwise"]


def assert_feasible(alpha, groups, caps):
    assert (alpha >= 0).all()
    assert (np.bincount(groups, alpha, len(caps)) <= caps * (1 + 1e-12)).all()


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
    ("a", "b", "cap", "expected"),
    [(2.0, 1.0, 10.0, 0.25), (2.0, 1.0, 0.1, 0.1), (2.0, -1.0, 1.0, 0.0), (0.0, 1.0, 3.0, 3.0)],
)
def test_single_plane_closed_form(a, b, cap, expected):
    solution = solve([[a]], [b], [0], [cap])
    assert solution.certified and solution.backend == "active-set"
    assert solution.alpha == pytest.approx([expected], abs=1e-12)


def test_simplex_of_two_orthogonal_planes():
    # With the cap tight and a_1, a_2 orthonormal: alpha_1 - alpha_2 = b_1 - b_2.
    solution = solve(np.eye(2), [0.9, 0.5], [0, 0], [1.0])
    assert solution.alpha == pytest.approx([0.7, 0.3])
    assert solution.primal == pytest.approx(solution.dual)


def test_hard_plane_is_the_projection_onto_a_halfspace():
    solution = solve([[3.0, 4.0]], [10.0], [0], [INF])
    assert solution.alpha == pytest.approx([0.4])  # w = (1.2, 1.6), and a.w = 10
    assert solution.dual == pytest.approx(2.0) and solution.violation < 1e-9


def test_separable_groups_are_solved_separately():
    solution = solve(np.eye(3), [1.0, 0.2, 5.0], [0, 1, 2], [0.5, 1.0, 100.0])
    assert solution.alpha == pytest.approx([0.5, 0.2, 5.0])


def test_empty_problem_and_empty_groups():
    nothing = solve_restricted_dual(np.zeros((0, 0)), np.zeros(0), np.zeros(0, int), np.ones(3))
    assert nothing.certified and nothing.primal == nothing.dual == 0
    assert solve([[1.0]], [1.0], [2], [1.0, 1.0, 1.0, INF]).alpha == pytest.approx([1.0])


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.sampled_from([1e-2, 1.0, 1e2, 1e5]))
@example(70706, "pairwise", 1e5)  # a gap of 3e-9 is all that float64 allows
def test_agrees_with_cvxopt_and_kkt(seed, shape, cap):
    instance = _, _, groups, caps = make_instance(seed, shape, cap)
    solution = solve_restricted_dual(*instance)
    assert solution.certified
    assert_feasible(solution.alpha, groups, caps)
    assert_kkt(instance, solution, 1e-6)
    reference = clip_to_feasible(interior_point.solve(*instance, 1e-9)[0], groups, caps)
    other = certify(*instance, reference)
    scale = max(abs(solution.primal), 1e-12)
    assert solution.dual >= other.dual - 1e-6 * scale  # nothing feasible is better
    if other.violation < 1e-9:
        assert solution.primal <= other.primal + 1e-6 * scale


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.floats(0, 1e3))
def test_warm_start_equals_cold_start(seed, shape, size):
    instance = _, b, _, _ = make_instance(seed, shape)
    start = size * np.random.default_rng(seed).normal(size=len(b))  # infeasible on purpose
    cold, warm = solve_restricted_dual(*instance), solve_restricted_dual(*instance, alpha0=start)
    assert warm.certified and cold.certified
    assert warm.dual == pytest.approx(cold.dual, rel=1e-8, abs=1e-12)


def test_warm_start_at_the_solution_stays_there():
    instance = make_instance(3, "n-slack")
    solution = solve_restricted_dual(*instance)
    again = solve_restricted_dual(*instance, alpha0=solution.alpha)
    assert again.iterations == 0
    np.testing.assert_allclose(again.alpha, solution.alpha)


def test_badly_scaled_caps():
    rng = np.random.default_rng(0)
    A, groups = rng.normal(size=(60, 8)), np.append(rng.integers(5, size=58), [5, 5])
    A[-1] = -A[-2]
    solution = solve(A, np.append(rng.random(58), [0, 0]), groups, [1e-2, 1e5, 1e-2, 1e5, 1, INF])
    assert solution.certified and solution.gap <= 1e-8 * solution.primal


def test_growing_sequence_in_a_view_of_a_larger_buffer():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(120, 15)) + 0.5, rng.random(120)
    buffer = np.full((200, 200), np.nan)
    buffer[:120, :120] = A @ A.T
    alpha, previous = np.zeros(0), 0.0
    for m in range(1, 121):
        H = buffer[:m, :m]
        groups = np.zeros(m, int)
        solution = solve_restricted_dual(H, b[:m], groups, np.array([10.0]), np.append(alpha, 0.0))
        alpha = solution.alpha
        assert solution.certified and solution.backend == "active-set"
        assert solution.dual >= previous * (1 - 1e-9)  # a plane more never lowers the optimum
        previous = solution.dual


def test_inputs_and_cvxopt_options_are_untouched(monkeypatch):
    instance = make_instance(5, "balance")
    alpha0 = np.full(len(instance[1]), -1.0)
    copies, options = copy.deepcopy([*instance, alpha0]), dict(cvxopt.solvers.options)
    for array in (*instance, alpha0):
        array.setflags(write=False)
    solve_restricted_dual(*instance, alpha0=alpha0)
    monkeypatch.setattr(active_set, "solve", lambda H, b, g, c, a, tol: (a, 0))
    assert solve_restricted_dual(*instance, alpha0=alpha0).backend == "cvxopt"
    for array, kept in zip((*instance, alpha0), copies, strict=True):
        np.testing.assert_array_equal(array, kept)
    assert cvxopt.solvers.options == options


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
@pytest.mark.parametrize("shape", ["1-slack", "n-slack", "pairwise"])
def test_certificate_rejects_a_lying_active_set(monkeypatch, lie, shape):
    instance = make_instance(11, shape)
    truth = solve_restricted_dual(*instance)
    assert truth.backend == "active-set"
    monkeypatch.setattr(active_set, "solve", lambda *args: (WRONG[lie](truth.alpha), 1))
    solution = solve_restricted_dual(*instance)
    assert solution.backend == "cvxopt" and solution.certified
    assert solution.dual == pytest.approx(truth.dual, rel=1e-8)


def test_two_lying_backends_are_not_certified_and_the_better_is_kept(monkeypatch):
    instance = make_instance(11, "n-slack")
    truth = solve_restricted_dual(*instance).alpha
    monkeypatch.setattr(active_set, "solve", lambda *args: (0.99 * truth, 1))
    monkeypatch.setattr(interior_point, "solve", lambda *args: (0.5 * truth, 1))
    solution = solve_restricted_dual(*instance)
    assert not solution.certified and solution.backend == "active-set"
    np.testing.assert_allclose(solution.alpha, 0.99 * truth)


def test_a_violated_hard_plane_is_not_certified():
    # alpha = 0 has primal = dual = 0, no gap at all; only the violation gives it away.
    H, b, groups, caps = np.eye(1), np.ones(1), np.zeros(1, int), np.array([INF])
    certificate = certify(H, b, groups, caps, np.zeros(1))
    assert certificate.gap == 0 and certificate.violation == 1
    assert not certificate.accepts(1e-6)


def test_a_squared_norm_rounded_below_zero_is_no_violation():
    H = np.array([[1.0, -1 - 1e-12], [-1 - 1e-12, 1.0]])  # v, -v after rounding
    hard = certify(H, -np.ones(2), np.zeros(2, int), np.array([INF]), np.ones(2))
    assert hard.violation == 0


@pytest.mark.parametrize("n_soft", [0, 5, 200])
def test_unbounded_dual_terminates_uncertified(n_soft):
    rng = np.random.default_rng(2)
    v = rng.normal(size=(1, 4))
    A = np.r_[v, -v, rng.normal(size=(n_soft, 4))]  # v.w >= 1 and -v.w >= 1
    b = np.r_[1.0, 1.0, rng.random(n_soft)]
    groups = np.r_[1, 1, np.zeros(n_soft, int)]
    begin = time.process_time()
    solution = solve(A, b, groups, [1.0, INF])
    assert not solution.certified and solution.violation > 0.1
    assert_feasible(solution.alpha, groups, np.array([1.0, INF]))
    assert np.isfinite(solution.alpha).all() and time.process_time() - begin < 5


def test_many_groups_with_hundreds_of_planes_at_once():
    rng = np.random.default_rng(4)
    n, d = 300, 20
    A, groups = rng.normal(size=(3 * n, d)), np.tile(np.arange(n), 3)
    caps = np.full(n, 0.1)
    alpha = np.zeros(0)
    for m in (n, 2 * n, 3 * n):
        alpha = np.append(alpha, np.zeros(m - len(alpha)))
        solution = solve(A[:m], np.ones(m), groups[:m], caps, alpha0=alpha)
        alpha = solution.alpha
        assert solution.certified and solution.backend == "active-set"
        assert solution.iterations < 60
