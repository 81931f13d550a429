"""The active set alone: steps on the simplices, warm starts, growing sequences, many groups."""

import numpy as np
import pytest
from qp_instances import INF, SHAPES, make_instance

from structsvm.qp import active_set, solve_restricted_dual
from structsvm.qp.active_set import project, to_boundary
from structsvm.qp.certificate import certify, clip_to_feasible

GROUPS, CAPS = np.array([0, 0, 1, 2, 0, 1, 2]), np.array([1.0, 2.0, INF])
X = np.array([0.25, 0.25, 2.0, 5.0, 0.5, 0.0, INF])  # four planes, three zero planes
PLANES, PIVOTS = np.array([0, 1]), np.array([4, 4])


def assert_on_simplices(x):
    assert (x >= 0).all()
    np.testing.assert_allclose(np.bincount(GROUPS, x), CAPS)


@pytest.mark.parametrize("d", [(0.1, 0.1), (-1.0, 0.1), (3.0, 1.0)])
def test_a_projected_step_is_feasible(d):
    target, inside = project(X, PLANES, PIVOTS, np.array(d), GROUPS, CAPS)
    assert inside == (d == (0.1, 0.1))
    assert_on_simplices(target)
    np.testing.assert_array_equal(target[[2, 3, 5, 6]], X[[2, 3, 5, 6]])


def test_the_way_to_the_boundary_ends_where_a_plane_reaches_zero():
    target = to_boundary(X, PLANES, PIVOTS, np.array([-0.5, 0.25]), GROUPS, CAPS)
    np.testing.assert_allclose(target[:2], [0.0, 0.375])
    assert target[0] == 0
    assert_on_simplices(target)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(2))
def test_it_ends_at_the_tolerance(shape, seed):
    H, b, groups, caps = make_instance(seed, shape)
    alpha, _ = active_set.solve(H, b, groups, caps, np.zeros(len(b)))
    alpha = clip_to_feasible(alpha, groups, caps)
    assert certify(H, b, groups, caps, alpha).accepted


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


def test_warm_start_at_the_solution_stays_there():
    instance = make_instance(3, "n-slack")
    solution = solve_restricted_dual(*instance)
    again = solve_restricted_dual(*instance, alpha0=solution.alpha)
    assert again.iterations == 0
    np.testing.assert_allclose(again.alpha, solution.alpha)


def test_many_groups_with_hundreds_of_planes_at_once():
    rng = np.random.default_rng(4)
    n, d = 300, 20
    A, groups = rng.normal(size=(3 * n, d)), np.tile(np.arange(n), 3)
    caps = np.full(n, 0.1)
    alpha = np.zeros(0)
    for m in (n, 2 * n, 3 * n):
        alpha = np.append(alpha, np.zeros(m - len(alpha)))
        A_m = A[:m]
        solution = solve_restricted_dual(A_m @ A_m.T, np.ones(m), groups[:m], caps, alpha)
        alpha = solution.alpha
        assert solution.certified and solution.backend == "active-set"
        assert solution.iterations < 60
