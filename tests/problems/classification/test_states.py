"""Products with the weights of some states, in stacks of rows; axes of the curvature."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from structsvm.oracle.remote import one_blas_thread
from structsvm.problems import Chain, Multiclass
from structsvm.problems.classification import products as stacked_products
from structsvm.problems.classification.curvature_axes import FeatureAxes, feature_axes
from structsvm.problems.classification.multiclass import task as multiclass
from structsvm.problems.classification.products import combined, products
from structsvm.problems.classification.states import (
    AllStates,
    SeenStates,
    all_states,
    choice,
    chosen_states,
)
from structsvm.problems.classification.states.seen_states import label_counts


def drawn(seed, n=40, d=25, k=12, density=0.1, dtype=np.float64):
    """Rows of few features, label codes, and the pairs that occur."""
    rng = np.random.default_rng(seed)
    X = sparse.random(n, d, density, "csr", dtype, rng)
    codes = rng.integers(k, size=n)
    seen = (X != 0).T.astype(float) @ np.eye(k)[codes] > 0
    return X, codes, seen


def of_pattern(seen):
    return SeenStates(sparse.csr_matrix(seen.astype(float)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 0.6), st.integers(1, 15), st.booleans())
def test_products_are_those_of_a_dense_matrix_with_zeros(seed, density, k, votes):
    X, _, _ = drawn(seed, density=density)
    rng = np.random.default_rng(seed)
    seen = rng.random((25, k)) < rng.random((25, 1))
    some = of_pattern(seen)
    w, p = rng.normal(size=some.size), rng.normal(size=(k, 40))
    p = p * (rng.random(p.shape) < 0.2) if votes else p
    W = np.zeros((25, k))
    W[seen] = w
    rows = some.rows(X)
    np.testing.assert_allclose(rows.scores(w), (X @ W).T, atol=1e-12)
    for few in (X, X[:1]):  # with more entries than features, and with fewer
        np.testing.assert_allclose(some.scores(few, w), (few @ W).T, atol=1e-12)
    given_p = sparse.csr_matrix(p) if votes else p
    np.testing.assert_allclose(rows.sums(given_p), (X.T @ p.T)[seen], atol=1e-12)
    squares = X.multiply(X).T @ p.T
    np.testing.assert_allclose(rows.squared().sums(given_p), squares[seen], atol=1e-12)
    np.testing.assert_array_equal(some.by_label(w).toarray(), W.T)
    np.testing.assert_array_equal(some.of_matrix(np.stack([W, 2 * W]))[1], 2 * w)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_have_the_precision_of_the_rows(dtype):
    X, codes, _ = drawn(0, dtype=dtype)
    some = SeenStates.counted(label_counts(X, codes, 12))
    rows = some.rows(X)
    assert rows.scores(np.ones(some.size, dtype)).dtype == dtype
    assert rows.sums(np.ones((12, 40), dtype)).dtype == dtype


def test_the_most_frequent_features_have_all_states_as_long_as_they_are_few():
    X, codes, seen = drawn(0)
    order = np.argsort(-np.bincount(X.indices, minlength=25), kind="stable")
    for number in (0, 1, 7, 25):
        wanted = seen.copy()
        wanted[order[:number]] = True
        missing = 12 - seen[order[number]].sum() if number < 25 else 1
        for more in (0, missing - 1):  # the next feature does not fit in
            found = SeenStates.counted(label_counts(X, codes, 12), int(wanted.sum()) + more)
            kept = found.by_label(np.ones(found.size)).toarray() > 0
            np.testing.assert_array_equal(kept, wanted.T)


def test_the_choice(monkeypatch):
    X, codes, seen = drawn(0)
    assert isinstance(chosen_states(True, [(X, codes)], range(12)), AllStates)
    assert isinstance(chosen_states("auto", [(X, codes)], range(12)), AllStates)
    assert chosen_states(False, [(X, codes)], range(12)).size == seen.sum()
    monkeypatch.setattr(choice, "MANY", 200)
    assert seen.sum() < chosen_states("auto", [(X, codes)], range(12)).size <= 200
    assert isinstance(chosen_states(False, [(X.toarray(), codes)], range(12)), AllStates)
    for wrong in ("all", None, 2, np.ones(2)):
        with pytest.raises(ValueError, match="all_possible_states must be True, False or 'auto'"):
            chosen_states(wrong, [(X, codes)], range(12))


# ---------------------------------------------------------------------- products in stacks of rows


@pytest.fixture(autouse=True)
def stacks(monkeypatch):
    """As on a processor where they are faster."""
    monkeypatch.setattr(stacked_products, "_has_small_kernels", lambda: True)


@pytest.mark.parametrize("n", [0, 1, 39, 300])
@pytest.mark.parametrize(("k", "d"), [(2, 5), (10, 64), (200, 40), (3, 2000)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stacks_change_nothing_but_rounding(n, k, d, dtype):
    rng = np.random.default_rng(0)
    X, W, P = (rng.normal(size=shape).astype(dtype) for shape in ((n, d), (k, d), (k, n)))
    tolerance = {"rtol": 0, "atol": 1e-4 * np.sqrt(max(n, d))} if dtype == np.float32 else {}
    for x in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        with np.errstate(invalid="ignore"):  # rarely set, without a NaN
            pairs = (products(W, x), W @ X.T), (combined(P, x), P @ X)
        for found, expected in pairs:
            assert found.dtype == dtype and found.flags.c_contiguous
            np.testing.assert_allclose(found, expected, **tolerance)
    x = sparse.csr_matrix(X)
    np.testing.assert_allclose(products(W, x), W @ X.T, **tolerance)
    np.testing.assert_allclose(combined(P, x), P @ X, **tolerance)


def test_products_in_two_threads_are_those_of_one():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(128, 26)).astype(np.float32).T  # as the weights of states are stored
    inputs = [rng.normal(size=(n, 128)).astype(np.float32) for n in range(2000, 2400, 25)]
    with one_blas_thread(), ThreadPoolExecutor(2) as pool:
        expected = [products(W, X) for X in inputs] * 60
        for found, each in zip(pool.map(partial(products, W), inputs * 60), expected, strict=True):
            np.testing.assert_array_equal(found, each)


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


K = 3


def rows(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ (rng.normal(size=(d, d)) * np.geomspace(3, 0.1, d))


def test_the_curvature_of_equal_weights_becomes_diagonal():
    X, size = rows(4000, 6), K * 6
    axes, of_labels = FeatureAxes(X, K), np.array([1.0, 5.0, 0.2])
    hessian = np.kron(np.diag(of_labels), X.T @ X)
    along = axes.along(hessian.diagonal())
    # The matrix with this curvature along the axes is the Hessian.
    found = axes.times(along, np.eye(size))
    np.testing.assert_allclose(found, hessian, rtol=0.1, atol=0.05 * along.max())


def test_sparse_rows_have_no_axes_but_dense_ones_in_sparse_form():
    X = rows(50, 8)
    thin, dense = (
        feature_axes(rows, K).along(np.ones(8 * K)) for rows in (sparse.csr_matrix(X), X)
    )
    np.testing.assert_array_equal(thin, dense)
    assert feature_axes(sparse.eye(50, format="csr"), K) is None


def test_the_rows_of_zeros_have_axes():
    axes = FeatureAxes(np.zeros((10, 4)), K)
    assert np.all(1 + axes.along(np.ones(4 * K)) > 0)
    w = np.arange(4.0 * K)
    np.testing.assert_allclose(axes.times(np.ones(len(axes.along(w))), w), w)
