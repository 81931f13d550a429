"""Newton systems and the inner products they are of, by features or as a matrix."""

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


def test_where_the_main_directions_are_all_of_K_one_conjugate_gradient_is_enough(monkeypatch):
    X = np.random.default_rng(0).normal(size=(12, 4))
    products = InnerProducts(X, X.T)
    _, barrier, residual = system()
    whole, calls, times = products.main_directions(4), [], products.roughly_times
    monkeypatch.setattr(products, "roughly_times", lambda U: calls.append(U) or times(U))
    U, _ = ConjugateGradients(products, barrier, whole).solve(residual)
    expected, _ = dense_solution(products, barrier, residual)
    np.testing.assert_allclose(U, expected, atol=1e-5 * np.abs(expected).max())
    assert len(calls) == 1


def test_a_correction_is_as_precise_as_the_first_solution_needs():
    products, barrier, residual = system(n=40)
    gradients = ConjugateGradients(products, barrier, products.main_directions(2))
    gradients.solve(residual)
    U, _ = gradients.solve(1e-3 * residual)
    assert not U.any()


def test_conjugate_gradients_give_up():
    _, barrier, residual = system(decades=6.0)
    X = np.random.default_rng(1).normal(size=(12, 24)) * np.geomspace(1e-4, 1e4, 24)
    products = InnerProducts(X @ X.T)
    with pytest.raises(np.linalg.LinAlgError, match="not converged"):
        ConjugateGradients(products, barrier, products.main_directions(0)).solve(residual)


# ---------------------------------------------------------------------- inner products


def features(n=30, d=6):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)) * np.geomspace(30, 1, d)


@pytest.mark.parametrize("form", [lambda F: (F @ F.T,), lambda F: (F, F.T)])
def test_both_forms_are_the_same_matrix(form):
    F = features()
    K, U = F @ F.T, np.random.default_rng(1).normal(size=(30, 4))
    products = InnerProducts(*form(F))
    np.testing.assert_allclose(products.diagonal, np.diag(K))
    np.testing.assert_allclose(products.times(U), K @ U)
    np.testing.assert_allclose(products.roughly_times(U), K @ U, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("most", [0, 2, 5])
def test_main_directions_hold_nearly_as_much_as_the_best_approximation(most):
    F = features()
    K = F @ F.T
    L = InnerProducts(K).main_directions(most)
    best = np.linalg.eigvalsh(K)[30 - most :].sum()
    assert best * 0.99 <= np.square(L).sum() <= best * (1 + 1e-5)


@pytest.mark.parametrize("most", [8, 40])
def test_more_directions_than_features(most):
    F = features(d=3)
    L = InnerProducts(F, F.T).main_directions(most)
    assert L.shape == (30, min(most, 30))
    np.testing.assert_allclose(L @ L.T, F @ F.T, atol=1e-5 * np.square(F).sum())


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_products_outside_of_the_range_of_single_precision(scale):
    F = scale * features()
    products, U = InnerProducts(F, F.T), np.random.default_rng(1).normal(size=(30, 4))
    expected = features() @ features().T @ U
    np.testing.assert_allclose(products.roughly_times(U) / scale**2, expected, rtol=1e-3, atol=1e-2)
    L = products.main_directions(2) / scale
    largest = np.linalg.eigvalsh(F @ F.T / scale**2)[-2:]
    assert np.square(L).sum() == pytest.approx(largest.sum(), rel=1e-2)


def test_features_that_are_0():
    assert not InnerProducts(np.zeros((5, 5))).main_directions(2).any()
