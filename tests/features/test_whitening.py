"""Whitening against the singular value decomposition."""

import tracemalloc

import numpy as np
import pytest
from feature_rows import rows
from scipy import sparse

from structsvm.features import feature_map


@pytest.mark.parametrize("d", [5, 600])
def test_whitening_is_the_singular_value_decomposition(d):
    X, new = rows(80, d), rows(7, d, seed=1)
    for data, fresh in ((X, new), (sparse.csr_matrix(X), sparse.csr_matrix(new))):
        features = feature_map("whiten", data, n_components=4, random_state=0)
        Z = features.fit_transform(data)
        mean = X.mean(axis=0)
        U, s, Vt = np.linalg.svd(X - mean, full_matrices=False)
        np.testing.assert_allclose(np.abs(Z), np.abs(U[:, :4]) * np.sqrt(79), atol=1e-8)
        expected = (new - mean) @ (Vt[:4] / s[:4, None]).T * np.sqrt(79)
        np.testing.assert_allclose(np.abs(features.transform(fresh)), np.abs(expected), atol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("d", [6, 600])
def test_whitening_stops_at_the_rank(kind, d):
    X = kind(rows(50, 3) @ rows(3, d, seed=1) + 1)
    Z = feature_map("whiten", X).fit_transform(X)
    assert Z.shape == (50, 3)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(3), atol=1e-8)
    assert feature_map("whiten", X).fit_transform(X[:3]).shape == (3, 2)


def test_whitening_keeps_float32():
    X = rows().astype(np.float32)
    assert feature_map("whiten", X).fit_transform(X).dtype == np.float32


def test_whitening_keeps_sparse_rows_sparse():
    n, d = 500, 20_000
    X = sparse.random(n, d, 1e-3, "csr", random_state=0)
    tracemalloc.start()
    feature_map("whiten", X, random_state=0).fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * d * 8 / 4
