"""Newton systems: both ways to solve them agree with the dense equations."""

import numpy as np
import pytest

from structsvm.solvers.interior_point import newton
from structsvm.solvers.interior_point.newton import ConjugateGradients, Factorization


def system(n=12, k=3, decades=2.0, seed=0):
    """K, B and a right-hand side."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 * n))
    barrier = 10.0 ** rng.uniform(-decades, decades, size=(n, k))
    return X @ X.T, barrier, rng.normal(size=(n, k))


def dense_solution(products, barrier, residual):
    """U and the multipliers, by the equations as one matrix."""
    n, k = barrier.shape
    hessian = np.kron(products, np.eye(k)) + np.diag(barrier.ravel())
    sums = np.kron(np.eye(n), np.ones(k))
    whole = np.block([[hessian, sums.T], [sums, np.zeros((n, n))]])
    found = np.linalg.solve(whole, np.append(residual.ravel(), np.zeros(n)))
    return found[: n * k].reshape(n, k), found[n * k :]


@pytest.mark.parametrize("decades", [0.0, 3.0, 8.0])
def test_factorizations_solve_the_equations(decades):
    products, barrier, residual = system(decades=decades)
    U, multipliers = Factorization(products, barrier).solve(residual)
    expected = dense_solution(products, barrier, residual)
    np.testing.assert_allclose(U, expected[0], atol=1e-6 * np.abs(expected[0]).max())
    np.testing.assert_allclose(multipliers, expected[1], atol=1e-6 * np.abs(expected[1]).max())


def test_entries_that_hardly_move_are_left_out_of_factorizations_but_not_of_the_solution():
    products, barrier, residual = system()
    barrier[::2, 0] = 10 * newton.FIXED * products.diagonal().mean()
    solved = Factorization(products, barrier)
    assert [len(places) for places, _ in solved._columns] == [6, 12, 12]
    U, _ = solved.solve(residual)
    expected, _ = dense_solution(products, barrier, residual)
    np.testing.assert_allclose(U, expected, atol=1e-6 * np.abs(expected).max())


def test_conjugate_gradients_come_close(monkeypatch):
    monkeypatch.setattr(newton, "RESIDUAL", 1e-10)
    monkeypatch.setattr(newton, "MOST", 10.0)
    products, barrier, residual = system()
    U, multipliers = ConjugateGradients(products, barrier).solve(residual)
    expected = dense_solution(products, barrier, residual)
    np.testing.assert_allclose(U, expected[0], atol=1e-9)
    np.testing.assert_allclose(multipliers, expected[1], atol=1e-8)


def test_conjugate_gradients_give_up(monkeypatch):
    monkeypatch.setattr(newton, "MOST", 0.1)
    assert ConjugateGradients(*system(decades=6.0)[:2]).solve(system()[2]) is None


def test_a_matrix_that_is_not_positive_is_named():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        Factorization(10 - 9 * np.eye(12), np.ones((12, 3)))
