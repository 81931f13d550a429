"""The planes of the last points: their dual solution, and which of them are replaced."""

import numpy as np
import pytest
from pressed import broken_off

from structsvm.data.arrays import Vector
from structsvm.planes.plane import SoftSource
from structsvm.planes.recent import RecentPlanes
from structsvm.qp.restricted import solve_restricted_dual

C = 3.0


def cuts(row: Vector, offset: float, source=None):
    class Plane:
        rows, offsets, sources = row[None], np.array([offset]), [source]

    return Plane


def drawn(m, size=50, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, size)) / 10, rng.uniform(0.5, 1, size=m)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dual_is_that_of_all_planes_while_they_are_few(dtype):
    rows, offsets = drawn(8)
    planes = RecentPlanes(C, 50, 8, dtype)
    duals = []
    for row, offset in zip(rows, offsets, strict=True):
        planes.add(cuts(row, offset, SoftSource(None, row, 0.1)))
        duals.append(planes.solve())
    value = duals[-1]
    assert np.all(np.diff(duals) >= -1e-6) and planes.sources[0].w.dtype == dtype
    groups = np.zeros(8, dtype=np.intp)
    expected = solve_restricted_dual(rows @ rows.T, offsets, groups, np.array([C]))
    assert value == planes.value == pytest.approx(expected.dual, rel=1e-6)
    v, linear = planes.dual_point()
    assert linear - v @ v / 2 == pytest.approx(value, rel=1e-6)
    assert v.dtype == np.float64
    np.testing.assert_allclose(planes.alpha, expected.alpha, atol=1e-3)
    w = np.random.default_rng(1).normal(size=50)
    slack = max(0, (offsets - rows @ w).max())
    assert planes.slacks(w)[0] == pytest.approx(slack, rel=1e-5)


def test_a_new_plane_replaces_the_one_of_least_weight():
    rows, offsets = np.eye(4), np.array([1.0, 0.2, 0.9, 1.0])
    planes = RecentPlanes(C, 4, 3)
    for row, offset in zip(rows[:3], offsets, strict=False):
        planes.add(cuts(row, offset))
    planes.solve()
    assert planes.alpha.argmin() == 1
    planes.add(cuts(rows[3], offsets[3]))
    np.testing.assert_array_equal(planes.rows, rows[[0, 3, 2]])
    np.testing.assert_array_equal(planes.offsets, offsets[[0, 3, 2]])
    assert planes.alpha[1] == 0


def test_planes_that_came_since_the_last_solution_stay():
    planes = RecentPlanes(C, 6, 3)
    for j in range(6):
        planes.add(cuts(np.eye(6)[j], 1.0))
    np.testing.assert_array_equal(sorted(planes.rows.argmax(axis=1)), [3, 4, 5])


def test_the_magnitude_covers_the_terms():
    rows, offsets = drawn(5)
    planes = RecentPlanes(C, 50, 5)
    assert planes.magnitude(np.ones(50)) == 0
    for row, offset in zip(rows, offsets, strict=True):
        planes.add(cuts(row, offset))
    w = np.random.default_rng(1).normal(size=50)
    assert planes.magnitude(w) >= np.abs(offsets - rows @ w).max()


def add_two(planes):
    for row, offset in zip(*drawn(2, seed=7), strict=True):
        planes.add(cuts(row, offset, offset))


@pytest.mark.parametrize(
    ("many", "change"), [(3, RecentPlanes.solve), (9, RecentPlanes.solve), (9, add_two)]
)
def test_ctrl_c_leaves_planes_that_are_whole(many, change):
    """At every line of a change, with and without a plane that is replaced."""
    before = RecentPlanes(C, 50, 4)
    for row, offset in zip(*drawn(many), strict=True):
        before.add(cuts(row, offset, offset))
        before.solve()
    if change is not add_two:
        add_two(before)
    every = {float(offset): row for m, seed in ((many, 0), (2, 7))
             for row, offset in zip(*drawn(m, seed=seed), strict=True)}  # fmt: skip
    for place, planes in broken_off(change, before, ("structsvm/planes/", "structsvm/qp/")):
        assert planes.sources == planes.offsets.tolist(), place
        np.testing.assert_array_equal(planes.rows, [every[offset] for offset in planes.offsets])
        np.testing.assert_allclose(planes.dual_point()[0], planes.alpha @ planes.rows, atol=1e-12)
        value = planes.solve()
        whole = RecentPlanes(C, 50, 4)
        for offset in planes.offsets.tolist():
            whole.add(cuts(every[offset], offset))
        assert value == pytest.approx(whole.solve(), rel=1e-6), place
