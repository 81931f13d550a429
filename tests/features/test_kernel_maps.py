"""The coordinates of a kernel against the kernel, kernel PCA and Nystroem."""

import logging

import numpy as np
import pytest
from feature_rows import centred, gram, rows
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from structsvm.features import (
    KernelMap,
    feature_map,
    kernel_maps,
)


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        ("rbf", lambda X, Y: rbf_kernel(X, Y, gamma=0.2)),
        ("poly", lambda X, Y: polynomial_kernel(X, Y, gamma=0.2, degree=2)),
    ],
)
def test_inner_products_are_the_kernel(kernel, formula):
    X, new = rows(25), rows(5, seed=1)
    K = formula(X, X)
    named = feature_map(kernel, X, gamma=0.2, degree=2)
    called = feature_map(lambda x, y: formula(x[None], y[None])[0, 0], X)
    given = feature_map("precomputed", K)
    expected = centred(formula(*[np.vstack([X, new])] * 2))
    for features, old_rows, new_rows in (
        (named, X, new),
        (called, X, new),
        (given, K, formula(new, X)),
    ):
        Z = features.fit_transform(old_rows)
        np.testing.assert_allclose(gram(Z), centred(K), atol=1e-7)
        if kernel == "poly":  # of finite rank, so that the pivots span the new rows too
            both = np.vstack([Z, features.transform(new_rows)])
            np.testing.assert_allclose(gram(both), expected, atol=1e-6)
        np.testing.assert_allclose(Z, named.fit_transform(X), atol=1e-6)


def test_landmarks_span_nystroems_approximation():
    X, new = rows(), rows(20, seed=1)
    features = feature_map("rbf", X, gamma=0.2, n_components=15, random_state=0).fit(X)
    assert len(features.pivots_) == 15
    chosen = np.random.RandomState(0).choice(60, 16, replace=False)
    K, cross = rbf_kernel(X[chosen], gamma=0.2), rbf_kernel(new, X[chosen], gamma=0.2)
    expected = cross @ np.linalg.solve(K, cross.T)
    np.testing.assert_allclose(gram(features.transform(new)), centred(expected), atol=0.05)
    old = features.transform(X[chosen])
    np.testing.assert_allclose(gram(old), centred(K), atol=1e-9)


def test_many_rows_have_landmarks_and_say_so(monkeypatch, caplog):
    monkeypatch.setattr(kernel_maps, "EXACT_ROWS", 50)
    monkeypatch.setattr(kernel_maps, "LANDMARKS", 20)
    X = rows()
    with caplog.at_level(logging.INFO, logger="structsvm"):
        features = feature_map("rbf", X, random_state=0).fit(X)
    assert features.factor_.shape == (20, 20)
    assert "60 rows are more than 50" in caplog.text
    K = rbf_kernel(X)
    Z = feature_map("precomputed", K).fit_transform(K)
    np.testing.assert_allclose(gram(Z), centred(K), atol=1e-8)


def test_a_kernel_that_is_nearly_constant_keeps_its_digits():
    X = rows()
    Z = feature_map("rbf", X, gamma=1e-7).fit_transform(X)
    expected = centred(2e-7 * X @ X.T)
    np.testing.assert_allclose(gram(Z), expected, atol=1e-4 * np.abs(expected).max())


def test_copies_of_rows_add_no_coordinate():
    X = np.vstack([rows(20)] * 3)
    assert feature_map("rbf", X).fit_transform(X).shape == (60, 19)


def test_rbf_matrix_of_rows_far_from_the_origin():
    X = np.random.default_rng(0).normal(size=(20, 3))
    near, far = KernelMap("rbf").fit(X), KernelMap("rbf").fit(X + 1e7)
    np.testing.assert_allclose(
        near.transform(X) @ near.transform(X).T, far.transform(X + 1e7) @ far.transform(X + 1e7).T,
        atol=1e-6,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [("gamma", 0.0), ("gamma", "scale"), ("degree", 0), ("degree", 10**6), ("n_components", 0),
     ("n_components", 2.5), ("kernel", "linear"), ("kernel", ["rbf"])],
)  # fmt: skip
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"{name}.* must be "):
        KernelMap(**{name: value}).fit(rows())


def test_a_kernel_that_overflows_warns_of_nothing():
    with pytest.raises(ValueError, match="kernel='poly' must give finite numbers"):
        KernelMap("poly", gamma=1e300).fit(rows())


@pytest.mark.parametrize("X", [np.zeros((0, 3)), [[1.0, 2.0]], np.asmatrix(np.eye(3))])
def test_gamma_of_no_matrix(X):
    with pytest.raises(ValueError, match=r"X has no rows|X must be a numpy array"):
        feature_map("rbf", X)
