"""The compact form of the inverse Hessian, against the recursion that defines it."""

import numpy as np
import pytest

from structsvm.solvers import lbfgs
from structsvm.solvers.lbfgs import InverseHessian


def test_the_compact_form_is_the_recursion():
    rng = np.random.default_rng(0)
    d, H = 6, None
    root = rng.normal(size=(d, d))
    A = root @ root.T + np.eye(d)
    inverse = InverseHessian(np.ones(d))
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


def test_old_pairs_are_dropped_and_the_rest_kept(monkeypatch):
    rng = np.random.default_rng(0)
    few, many = InverseHessian(np.ones(4)), InverseHessian(np.ones(4))
    pairs = [(s, np.array([1.0, 2, 3, 4]) * s) for s in rng.normal(size=(lbfgs.MOST + 1, 4))]
    for pair in pairs:
        many.add(*pair)
    for pair in pairs[lbfgs.MOST - lbfgs.FEWEST :]:
        few.add(*pair)
    g = rng.normal(size=4)
    np.testing.assert_allclose(many.times(g), few.times(g), rtol=1e-3)


def test_pairs_without_curvature_are_refused():
    inverse = InverseHessian(np.ones(3))
    g = np.array([3.0, 0, 4])
    for change in (np.zeros(3), np.array([-1.0, 0, 0]), np.array([0.0, 1, 0])):
        inverse.add(np.array([1.0, 0, 0]), change)
    np.testing.assert_allclose(inverse.times(g), g)


@pytest.mark.parametrize("curvature", [1.0, 30.0, 1e9, 1e60])
def test_without_pairs_a_step_is_near_that_of_the_curvature(curvature):
    g = np.array([3.0, 4.0])
    step = InverseHessian(np.full(2, curvature)).times(g)
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
    one, other = InverseHessian(np.full(d, 2.0)), InverseHessian(np.full(d, 2.0 * scale**2))
    for s in rng.normal(size=(4, d)):
        one.add(s, A @ s)
        other.add(s / scale, scale * (A @ s))
    np.testing.assert_allclose(scale * other.times(scale * g), one.times(g), rtol=1e-3)


def test_entries_that_dominate_do_not_hide_the_others():
    """Without factors single precision would lose all but the entry of 1e18."""
    rng = np.random.default_rng(0)
    curvature = np.array([1.0, 2.0, 3.0, 1e18])
    inverse = InverseHessian(curvature)
    for s in rng.normal(size=(12, 4)) / np.sqrt(curvature):
        inverse.add(s, curvature * s)
    g = rng.normal(size=4) * np.sqrt(curvature)
    np.testing.assert_allclose(inverse.times(g), g / curvature, rtol=0.05, atol=1e-12)


def test_pairs_can_be_forgotten():
    inverse, g = InverseHessian(np.ones(2)), np.array([0.3, 0.4])
    inverse.add(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    np.testing.assert_allclose(inverse.times(g), g / 4)
    inverse.forget()
    np.testing.assert_allclose(inverse.times(g), g)
