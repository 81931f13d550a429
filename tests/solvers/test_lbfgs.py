"""The compact form of the inverse Hessian, against the recursion that defines it."""

import numpy as np

from structsvm.solvers import lbfgs
from structsvm.solvers.lbfgs import InverseHessian


def test_the_compact_form_is_the_recursion():
    rng = np.random.default_rng(0)
    d, H = 6, None
    root = rng.normal(size=(d, d))
    A = root @ root.T + np.eye(d)
    inverse = InverseHessian(d)
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
    few, many = InverseHessian(4), InverseHessian(4)
    pairs = [(s, np.array([1.0, 2, 3, 4]) * s) for s in rng.normal(size=(lbfgs.MOST + 1, 4))]
    for pair in pairs:
        many.add(*pair)
    for pair in pairs[lbfgs.MOST - lbfgs.FEWEST :]:
        few.add(*pair)
    g = rng.normal(size=4)
    np.testing.assert_allclose(many.times(g), few.times(g), rtol=1e-3)


def test_pairs_without_curvature_are_refused():
    inverse = InverseHessian(3)
    g = np.array([3.0, 0, 4])
    for change in (np.zeros(3), np.array([-1.0, 0, 0]), np.array([0.0, 1, 0])):
        inverse.add(np.array([1.0, 0, 0]), change)
    np.testing.assert_allclose(inverse.times(g), g / 5)


def test_without_pairs_a_step_has_norm_one_at_most():
    inverse = InverseHessian(2)
    np.testing.assert_allclose(inverse.times(np.array([3.0, 4.0])), [0.6, 0.8])
    np.testing.assert_allclose(inverse.times(np.array([0.3, 0.4])), [0.3, 0.4])


def test_pairs_can_be_forgotten():
    inverse, g = InverseHessian(2), np.array([0.3, 0.4])
    inverse.add(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    np.testing.assert_allclose(inverse.times(g), g / 4)
    inverse.forget()
    np.testing.assert_allclose(inverse.times(g), g)
