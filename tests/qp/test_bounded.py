"""The restricted dual with lower bounds on w, against closed forms and the one without bounds."""

import numpy as np
import pytest
from qp_instances import INF

from structsvm.qp import solve_bounded_dual, solve_restricted_dual


def solve(rows, b, lower, cap=10.0):
    rows = np.atleast_2d(np.asarray(rows, dtype=float))
    groups, caps = np.zeros(len(rows), int), np.array([cap])
    b, lower = np.asarray(b, dtype=float), np.asarray(lower, dtype=float)
    return solve_bounded_dual(rows, b, groups, caps, np.zeros(len(rows)), lower)


@pytest.mark.parametrize(
    ("rows", "lower", "alpha", "optimum"),
    [
        # w = (max(a, -1), max(-a, 0)) for alpha = a, so w_1 = 1 and P = 1 / 2.
        ([[1.0, -1.0]], [-1.0, 0.0], 1.0, 0.5),
        # w = 3 satisfies w >= 1 without help: no plane has weight, and P = 9 / 2.
        ([[1.0]], [3.0], 0.0, 4.5),
    ],
)
def test_closed_forms(rows, lower, alpha, optimum):
    solution = solve(rows, [1.0], lower)
    assert solution.certified and solution.alpha == pytest.approx([alpha])
    assert solution.primal == pytest.approx(optimum) and solution.dual == pytest.approx(optimum)


def test_a_hard_plane_frees_a_weight_from_its_bound():
    # w >= 2 beside the bound w >= 0, where the quadratic function of the start is unbounded.
    rows, groups, caps = np.array([[1.0, 0.0], [-1.0, 0.5]]), np.array([1, 0]), np.array([1.0, INF])
    for lower in (0.0, 1.0):
        solution = solve_bounded_dual(
            rows, np.array([2.0, 0.0]), groups, caps, np.zeros(2), np.full(2, lower)
        )
        assert solution.certified
        w = np.maximum(solution.alpha @ rows, lower)
        assert w[0] == pytest.approx(2.0)


@pytest.mark.parametrize("scale", [1e4, 1e8])
@pytest.mark.parametrize("seed", range(2))
def test_caps_far_above_the_solution(seed, scale):
    rng = np.random.default_rng(seed)
    rows, b = rng.random(size=(12, 6)), 1 + rng.random(12)
    solution = solve(scale * rows, b, np.zeros(6), cap=1e6)
    expected = solve(rows, b, np.zeros(6), cap=1e6)
    assert expected.certified
    assert solution.dual == pytest.approx(expected.dual / scale**2, rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_equal_to_constraint_planes(seed):
    rng = np.random.default_rng(seed)
    m, size = int(rng.integers(1, 30)), int(rng.integers(1, 40))
    rows, b = rng.normal(size=(m, size)), rng.normal(size=m) + 1
    groups, caps = rng.integers(2, size=m), np.array([3.0, rng.choice([0.5, 50.0])])
    lower = np.where(rng.random(size) < 0.2, -np.inf, rng.choice([0.0, -0.3, 0.2, -1e3]))
    ours = solve_bounded_dual(rows, b, groups, caps, np.zeros(m), lower)
    assert ours.certified
    finite = np.flatnonzero(np.isfinite(lower))
    A = np.vstack([rows, np.eye(size)[finite]])
    theirs = solve_restricted_dual(
        A @ A.T,
        np.append(b, lower[finite]),
        np.append(groups, np.full(len(finite), 2)),
        np.append(caps, np.inf),
    )
    assert np.isclose(ours.dual, theirs.dual, rtol=1e-6, atol=1e-8)
    assert np.isclose(ours.primal, theirs.primal, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_almost_cancel(seed):
    rng = np.random.default_rng(seed)
    rows = (rng.normal(size=(12, 6)) + 1e5) * rng.choice([-1, 1], size=(12, 1))
    b, lower = rng.random(12) + 0.1, np.where(np.arange(6) < 3, 0.0, -INF)
    found = solve(rows, b, lower)
    assert found.certified
    w = np.maximum(found.alpha @ rows, lower) if found.w is None else found.w
    assert (w >= lower).all()
    assert 0.5 * w @ w + 10 * max(0.0, (b - rows @ w).max()) == pytest.approx(found.primal)
    assert found.dual == pytest.approx(found.primal, rel=1e-6)
