"""Products in stacks of rows are products."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems import Chain, Multiclass
from structsvm.problems.classification import products as module
from structsvm.problems.classification.multiclass import task as multiclass
from structsvm.problems.classification.products import combined, products
from structsvm.problems.classification.states import all_states


@pytest.fixture(autouse=True)
def stacks(monkeypatch):
    """As on a processor where they are faster."""
    monkeypatch.setattr(module, "_has_small_kernels", lambda: True)


@pytest.mark.parametrize("n", [0, 1, 39, 300])
@pytest.mark.parametrize(("k", "d"), [(2, 5), (10, 64), (200, 40), (3, 2000)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stacks_change_nothing_but_rounding(n, k, d, dtype):
    rng = np.random.default_rng(0)
    X, W, P = (rng.normal(size=shape).astype(dtype) for shape in ((n, d), (k, d), (k, n)))
    tolerance = {"rtol": 0, "atol": 1e-4 * np.sqrt(max(n, d))} if dtype == np.float32 else {}
    for x in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        for found, expected in ((products(W, x), W @ X.T), (combined(P, x), P @ X)):
            assert found.dtype == dtype and found.flags.c_contiguous
            np.testing.assert_allclose(found, expected, **tolerance)
    x = sparse.csr_matrix(X)
    np.testing.assert_allclose(products(W, x), W @ X.T, **tolerance)
    np.testing.assert_allclose(combined(P, x), P @ X, **tolerance)


def test_products_of_what_is_small_are_made_in_stacks(monkeypatch):
    X = np.zeros((1000, 64))
    assert module._stacked_rows(10, X) == 102
    assert module._stacked_rows(10, X[:50]) == 0
    assert module._stacked_rows(10, np.asfortranarray(X)) == 0
    assert module._stacked_rows(10, X[:, :8]) == 0
    monkeypatch.setattr(module, "_has_small_kernels", lambda: False)
    assert module._stacked_rows(10, X) == 0


def subnormal(numbers):
    return (numbers != 0) & (np.abs(numbers) < np.finfo(numbers.dtype).tiny)


@pytest.mark.parametrize("problem", [Multiclass, Chain])
def test_no_probability_is_subnormal(problem, monkeypatch):
    """Products with such numbers can take twenty times as long."""
    rng = np.random.default_rng(0)
    seen = []
    module = (all_states if problem is Chain else multiclass).__name__
    monkeypatch.setattr(f"{module}.combined", lambda P, X: seen.append(P.copy()) or combined(P, X))
    X = rng.normal(size=(300, 4)).astype(np.float32)
    Y = rng.integers(5, size=300)
    if problem is Chain:
        X, Y = np.split(X, 60), np.split(Y, 60)
    bound = problem()
    bound.initialize(X, Y)
    task = bound.task(X, Y)
    w = 30 * rng.normal(size=bound.size_joint_feature)
    for mu in (10.0, 1.0, 0.3, 0.1):
        found = task.soft(w, mu, np.ones(len(Y)))
        assert np.isfinite(found.values).all() and np.isfinite(found.joint_feature_difference).all()
    seen = np.concatenate([P.ravel() for P in seen])
    assert seen.dtype == np.float32 and not subnormal(seen).any()
    assert (np.abs(seen) < 1e-30).any()  # that small ones come up
