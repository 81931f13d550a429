"""Points of the simplices: moves stay feasible, and each group sums to its cap."""

import numpy as np
import pytest
from qp_instances import INF

from structsvm.qp.simplices import Simplices

GROUPS, CAPS = np.array([0, 0, 1, 2]), np.array([1.0, 2.0, INF])


@pytest.fixture
def simplices():
    return Simplices(GROUPS, CAPS)


@pytest.fixture
def x(simplices):
    return simplices.point(np.array([0.25, 0.25, 2.0, 5.0]))


def assert_on_simplices(x):
    assert (x >= 0).all()
    sums = np.bincount(np.append(GROUPS, [0, 1, 2]), x)
    np.testing.assert_allclose(sums, CAPS)


def test_the_slack_fills_up_the_cap(x):
    np.testing.assert_array_equal(x, [0.25, 0.25, 2, 5, 0.5, 0, INF])
    assert_on_simplices(x)


def test_largest_is_an_index_for_each_group(simplices):
    value = np.array([0.0, 3.0, -1.0, -2.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(simplices.largest(value), [1, 5, 6])


@pytest.mark.parametrize("d", [(0.1, 0.1), (-1.0, 0.1), (3.0, 1.0)])
def test_a_projected_step_is_feasible(simplices, x, d):
    J, P = np.array([0, 1]), np.array([4, 4])
    target, inside = simplices.project(x, J, P, np.array(d))
    assert inside == (d == (0.1, 0.1))
    assert_on_simplices(target)
    np.testing.assert_array_equal(target[[2, 3, 5, 6]], x[[2, 3, 5, 6]])


def test_the_way_to_the_boundary_ends_where_a_plane_reaches_zero(simplices, x):
    J, P = np.array([0, 1]), np.array([4, 4])
    target = simplices.to_boundary(x, J, P, np.array([-0.5, 0.25]))
    np.testing.assert_allclose(target[:2], [0.0, 0.375])
    assert target[0] == 0
    assert_on_simplices(target)


def test_between_keeps_an_infinite_slack(simplices, x):
    target = simplices.point(np.array([0.0, 0.5, 1.0, 7.0]))
    middle = simplices.between(x, target, 0.5)
    np.testing.assert_allclose(middle[:4], [0.125, 0.375, 1.5, 6.0])
    assert_on_simplices(middle)
