"""Newton systems: conjugate gradients agree with the dense equations."""

import numpy as np
import pytest

from structsvm.solvers.interior_point import newton
from structsvm.solvers.interior_point.newton import ConjugateGradients
from structsvm.solvers.interior_point.products import InnerProducts


def system(n=12, k=3, decades=2.0, seed=0):
    """K, B and a right-hand side."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 * n))
    barrier = 10.0 ** rng.uniform(-decades, decades, size=(n, k))
    return InnerProducts(X @ X.T), barrier, rng.normal(size=(n, k))


def dense_solution(products, barrier, residual):
    """U and the multipliers, by the equations as one matrix."""
    n, k = barrier.shape
    hessian = np.kron(products.times(np.eye(n)), np.eye(k)) + np.diag(barrier.ravel())
    sums = np.kron(np.eye(n), np.ones(k))
    whole = np.block([[hessian, sums.T], [sums, np.zeros((n, n))]])
    found = np.linalg.solve(whole, np.append(residual.ravel(), np.zeros(n)))
    return found[: n * k].reshape(n, k), found[n * k :]


@pytest.mark.parametrize("r", [0, 1, 5, 12])
def test_conjugate_gradients_come_close(monkeypatch, r):
    monkeypatch.setattr(newton, "RESIDUAL", 1e-5)
    products, barrier, residual = system(n=60)
    directions = products.main_directions(r)
    assert directions.shape == (60, r)
    U, multipliers = ConjugateGradients(products, barrier, directions).solve(residual)
    expected = dense_solution(products, barrier, residual)
    np.testing.assert_allclose(U, expected[0], atol=1e-4 * np.abs(expected[0]).max())
    np.testing.assert_allclose(multipliers, expected[1], atol=1e-4 * np.abs(expected[1]).max())


def test_conjugate_gradients_give_up():
    _, barrier, residual = system(decades=6.0)
    X = np.random.default_rng(1).normal(size=(12, 24)) * np.geomspace(1e-4, 1e4, 24)
    products = InnerProducts(X @ X.T)
    with pytest.raises(np.linalg.LinAlgError, match="not converged"):
        ConjugateGradients(products, barrier, products.main_directions(0)).solve(residual)
