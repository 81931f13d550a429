"""Kernels by features, of which there may be fewer than rows."""

import numpy as np
import pytest
from clustering_data import agreement, quietly
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

import structsvm
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc import features as module
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex


def blobs(n, k=2):
    return make_blobs(n, centers=4 * simplex(k) @ np.eye(k - 1, 2), random_state=0)


def fitted(X, **settings):
    return quietly(SDPMMC(random_state=0, **settings), X)


def test_inner_products_by_features():
    X, y = blobs(24)
    X = X - X.mean(axis=0)
    new = X[:5] + 0.1
    linear = fitted(X, kernel="linear")
    given = fitted(X @ X.T, kernel="precomputed")
    by_sparse = fitted(sparse.csr_matrix(X), kernel="linear")
    assert linear.lower_bound_ == pytest.approx(given.lower_bound_)
    assert agreement(linear.labels_, y) == 1
    scores = linear.decision_function(new)
    np.testing.assert_allclose(scores, given.decision_function(new @ X.T))
    np.testing.assert_allclose(scores, by_sparse.decision_function(new))


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
def test_many_rows_take_features(monkeypatch, kernel):
    X, y = blobs(60)
    monkeypatch.setattr(module, "EXACT_ROWS", 40)
    monkeypatch.setattr(module, "LANDMARKS", 20)
    rows = rbf_kernel(X, gamma=0.1) if kernel == "precomputed" else X - X.mean(axis=0)
    sdp = fitted(rows, kernel=kernel, solver="low_rank", tol=0.05)
    assert agreement(sdp.labels_, y) == 1
    np.testing.assert_array_equal(sdp.predict(rows), sdp.labels_)
    assert sdp.verify(rows).matches


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed", "callable"])
def test_as_many_components_as_rows_are_the_exact_kernel(monkeypatch, kernel):
    X, _ = blobs(20)
    K = rbf_kernel(X, gamma=0.1)
    rows = K if kernel == "precomputed" else X
    expected = X @ X.T if kernel == "linear" else K
    named = (lambda x, z: np.exp(-0.1 * np.sum((x - z) ** 2))) if kernel == "callable" else kernel
    for limit in (1, 15):  # fewer than the columns, and more
        monkeypatch.setattr(module, "EXACT_ROWS", limit)
        sdp = fitted(rows, kernel=named, gamma=0.1, n_components=20, max_iter=3)
        features = module.training_features(sdp._kernel, sdp._landmarks, rows)
        matrix = features.rows @ features.rows.T + np.diag(features.residual)
        np.testing.assert_allclose(matrix, expected, atol=1e-6 * expected.max())


def test_landmarks_are_exact_where_all_rows_are(tmp_path):
    X, _ = blobs(24)
    few, most = (fitted(X, n_components=n) for n in (8, 23))
    exact = fitted(X, solver="low_rank")
    assert most.lower_bound_ == pytest.approx(exact.lower_bound_, rel=0.03)
    assert few._landmarks.transformation.shape[0] == 8
    structsvm.save(few, tmp_path / "model.zip")
    again = structsvm.load(tmp_path / "model.zip")
    np.testing.assert_allclose(again.decision_function(X), few.decision_function(X))
    np.testing.assert_allclose(again.M_, few.M_)
