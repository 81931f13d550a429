"""The compact form of the inverse Hessian, against the recursion that defines it."""

import numpy as np
import pytest

from structsvm.solvers.lbfgs import inverse_hessian
from structsvm.solvers.lbfgs.inverse_hessian import InverseHessian
from structsvm.solvers.lbfgs.scaling import Coordinates, measured, rough


class Inverse:
    """The inverse Hessian in the coordinates of w, which the descent has stretched."""

    def __init__(self, scaling, size):
        self.coordinates = Coordinates(scaling)
        self.inner = InverseHessian(size)

    def add(self, step, change):
        stretch = self.coordinates.stretched(np.eye(len(step)))
        self.inner.add(np.linalg.solve(stretch, step), self.coordinates.stretched(change))

    def times(self, g):
        return self.coordinates.stretched(self.inner.times(self.coordinates.stretched(g)))


def test_the_compact_form_is_the_recursion():
    rng = np.random.default_rng(0)
    d, H = 6, None
    root = rng.normal(size=(d, d))
    A = root @ root.T + np.eye(d)
    inverse = Inverse(rough(np.ones(d)), d)
    pairs = []
    for _ in range(8):
        s = rng.normal(size=d)
        inverse.add(s, A @ s)
        pairs.append((s, A @ s))
        y = pairs[-1][1]
        H = (s @ y) / (y @ y) * np.eye(d)
        for step, change in pairs:
            rho = 1 / (step @ change)
            V = np.eye(d) - rho * np.outer(change, step)
            H = V.T @ H @ V + rho * np.outer(step, step)
        g = rng.normal(size=d)
        np.testing.assert_allclose(inverse.times(g), H @ g, rtol=2e-3, atol=1e-4)


def test_a_new_pair_replaces_the_oldest(monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(inverse_hessian, "PAIRS", (5, 5))
    few, many = Inverse(rough(np.ones(4)), 4), Inverse(rough(np.ones(4)), 4)
    pairs = [(s, np.array([1.0, 2, 3, 4]) * s) for s in rng.normal(size=(13, 4))]
    for pair in pairs:
        many.add(*pair)
    for pair in pairs[-5:]:
        few.add(*pair)
    g = rng.normal(size=4)
    np.testing.assert_allclose(many.times(g), few.times(g), rtol=1e-3)


def test_long_vectors_have_fewer_pairs(monkeypatch):
    monkeypatch.setattr(inverse_hessian, "NUMBERS", 2 * 20 * 100)
    few, many = inverse_hessian.PAIRS
    for size, expected in ((100, 20), (5, many), (10_000, few)):
        assert InverseHessian(size)._most == expected


def test_without_pairs_measured_entries_move_by_the_root_of_their_curvature():
    curvature, g = np.array([1.0, 100, 1e4]), np.ones(3)
    step = Inverse(measured(curvature), 3).times(g)
    np.testing.assert_allclose(step / step[0], curvature**-0.5, rtol=1e-5)


def test_pairs_without_curvature_are_refused():
    inverse = Inverse(rough(np.ones(3)), 3)
    g = np.array([3.0, 0, 4])
    for change in (np.zeros(3), np.array([-1.0, 0, 0]), np.array([0.0, 1, 0])):
        inverse.add(np.array([1.0, 0, 0]), change)
    np.testing.assert_allclose(inverse.times(g), g)


@pytest.mark.parametrize("curvature", [1.0, 30.0, 1e9, 1e60])
def test_without_pairs_a_step_is_near_that_of_the_curvature(curvature):
    g = np.array([3.0, 4.0])
    step = Inverse(rough(np.full(2, curvature)), 2).times(g)
    np.testing.assert_allclose(step / np.linalg.norm(step), g / 5)
    # Powers of four stand for the roots of the curvature, and the sum of both for each.
    assert 1 / 32 <= np.linalg.norm(step) * curvature / 5 <= 4


@pytest.mark.parametrize("scale", [1e-6, 1e12, 1e60])
def test_the_scale_of_the_problem_changes_nothing_else(scale):
    """Features times ``scale`` change the units of w and gradients; floats hold both."""
    rng = np.random.default_rng(0)
    d = 5
    root = rng.normal(size=(d, d))
    A, g = root @ root.T + np.eye(d), rng.normal(size=d)
    one, other = (
        Inverse(rough(np.full(d, 2.0)), d),
        Inverse(rough(np.full(d, 2.0 * scale**2)), d),
    )
    for s in rng.normal(size=(4, d)):
        one.add(s, A @ s)
        other.add(s / scale, scale * (A @ s))
    np.testing.assert_allclose(scale * other.times(scale * g), one.times(g), rtol=1e-3)


@pytest.mark.parametrize("scaling", [rough, measured])
def test_entries_that_dominate_do_not_hide_the_others(scaling):
    """Without factors single precision would lose all but the entry of 1e18."""
    rng = np.random.default_rng(0)
    curvature = np.array([1.0, 2.0, 3.0, 1e18])
    inverse = Inverse(scaling(curvature), 4)
    for s in rng.normal(size=(12, 4)) / np.sqrt(curvature):
        inverse.add(s, curvature * s)
    g = rng.normal(size=4) * np.sqrt(curvature)
    np.testing.assert_allclose(inverse.times(g), g / curvature, rtol=0.05, atol=1e-12)


def test_pairs_can_be_forgotten():
    inverse, g = Inverse(rough(np.ones(2)), 2), np.array([0.3, 0.4])
    inverse.add(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    np.testing.assert_allclose(inverse.times(g), g / 4)
    inverse.inner.forget()
    np.testing.assert_allclose(inverse.times(g), g)
