"""Axes of features are those of their moments, in groups, and stretch w symmetrically."""

import numpy as np
from scipy import sparse

from structsvm.problems.classification import curvature_axes as module
from structsvm.problems.classification.curvature_axes import FeatureAxes, feature_axes

K = 3


def rows(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ (rng.normal(size=(d, d)) * np.geomspace(3, 0.1, d))


def matrix(axes, factors, size):
    return axes.times(factors, np.eye(size))


def test_the_curvature_of_equal_weights_becomes_diagonal():
    X, size = rows(4000, 6), K * 6
    axes, of_labels = FeatureAxes(X, K), np.array([1.0, 5.0, 0.2])
    hessian = np.kron(np.diag(of_labels), X.T @ X)
    along = axes.along(hessian.diagonal())
    # The matrix with this curvature along the axes is the Hessian.
    np.testing.assert_allclose(
        matrix(axes, along, size), hessian, rtol=0.1, atol=0.05 * along.max()
    )


def test_many_features_are_told_apart_by_their_largest_moments(monkeypatch):
    monkeypatch.setattr(module, "RANK", 2)
    X = np.random.default_rng(0).normal(size=(2000, 6)) * [5, 4, 1, 1, 1, 1]
    along = FeatureAxes(X, 1).along(np.full(6, 10.0))
    assert along.shape == (3,)
    np.testing.assert_allclose(along / along[2], [25, 16, 1], rtol=0.2)


def test_features_without_correlation_have_one_curvature():
    X = np.random.default_rng(0).normal(size=(300, 300))
    along = FeatureAxes(X, 1).along(np.full(300, 1.0))
    # Chosen and measured on the same rows, the largest moments would be twice the others.
    assert along.max() < 1.3 * along[-1]


def test_sparse_rows_have_no_axes_but_dense_ones_in_sparse_form():
    X = rows(50, 8)
    found = feature_axes(sparse.csr_matrix(X), K)
    np.testing.assert_array_equal(
        found.along(np.ones(8 * K)), feature_axes(X, K).along(np.ones(8 * K))
    )
    assert feature_axes(sparse.eye(50, format="csr"), K) is None


def test_the_rows_of_zeros_have_axes():
    axes = FeatureAxes(np.zeros((10, 4)), K)
    assert np.all(1 + axes.along(np.ones(4 * K)) > 0)
    w = np.arange(4.0 * K)
    np.testing.assert_allclose(axes.times(np.ones(len(axes.along(w))), w), w)
