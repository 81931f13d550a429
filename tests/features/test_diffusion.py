"""The diffusion map against the formula that it states."""

import tracemalloc

import numpy as np
import pytest
from feature_rows import rows
from scipy import sparse
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons

from structsvm.features import (
    DiffusionMap,
    diffusion,
    feature_map,
)


def weights_by_hand(distances, scales, k):
    """Weights of each row of distances to its nearest training rows, and 0 to all others."""
    own = np.sort(distances, axis=1)[:, k - 1]
    W = np.exp(-(distances**2) / np.outer(own, scales))
    W[distances > own[:, None]] = 0
    return W


@pytest.mark.parametrize(("n", "k"), [(60, 11), (60, 20), (300, 11), (300, 8)])
def test_diffusion_is_the_walk_that_it_states(n, k):
    """By dense matrices, below and above the size from which ARPACK is used."""
    X, new = rows(n), rows(20, seed=1)
    D = cdist(X, X)
    scales = np.sort(D, axis=1)[:, k - 1]
    W = weights_by_hand(D, scales, k)
    A = (W + W.T) / 2
    degrees = A.sum(axis=1)
    values, vectors = eigh(A, np.diag(degrees))
    values, vectors = values[-2:-8:-1], vectors[:, -2:-8:-1] * np.sqrt(degrees.sum())
    features = DiffusionMap(6, k).fit(X)
    np.testing.assert_allclose(features.eigenvalues_, values, atol=1e-9)
    walks = [
        weights / weights.sum(axis=1, keepdims=True) @ vectors * values ** (diffusion.STEPS - 1)
        for weights in (W, weights_by_hand(cdist(new, X), scales, k))
    ]
    row_scale, walk_scale = (np.sqrt(Z.var(axis=0).sum()) for Z in (X, walks[0]))
    for data, walk in zip((X, new), walks, strict=True):
        Z = features.transform(data)
        np.testing.assert_allclose(Z[:, :5], data / row_scale, atol=1e-9)
        expected = diffusion.WALK_WEIGHT * walk / walk_scale
        np.testing.assert_allclose(np.abs(Z[:, 5:]), np.abs(expected), atol=1e-6)


def test_diffusion_parts_moons_and_knows_new_ones():
    X, y = make_moons(400, noise=0.05, random_state=0)
    new, classes = make_moons(200, noise=0.05, random_state=1)
    features = feature_map("diffusion", X)
    first = features.fit_transform(X)[:, 2]
    sign = np.sign(first[0]) * (1 if y[0] else -1)
    np.testing.assert_array_equal(sign * first > 0, y == 1)
    np.testing.assert_array_equal(sign * features.transform(new)[:, 2] > 0, classes == 1)


def test_diffusion_sets_components_apart():
    X = np.vstack([rows(100, seed=s) + 100 * s for s in range(3)])
    features = DiffusionMap(5)
    Z = features.fit_transform(X)
    np.testing.assert_allclose(features.eigenvalues_[:2], 1)
    assert features.eigenvalues_[2] < 0.999
    parts = Z[:, 5:7].reshape(3, 100, 2)
    np.testing.assert_allclose(parts, np.broadcast_to(parts[:, :1], parts.shape), atol=1e-6)
    assert cdist(parts[:, 0], parts[:, 0])[np.triu_indices(3, 1)].min() > 1


def test_all_of_many_components_are_found_by_every_fit():
    """ARPACK misses some of many equal eigenvalues, and others in the next call."""
    X = np.vstack([rows(60, seed=s) + 1000 * s for s in range(12)])
    fits = [DiffusionMap(15).fit(X) for _ in range(3)]
    for features in fits:
        np.testing.assert_array_equal(features.eigenvalues_[:11], 1)
        assert features.eigenvalues_[11] < 1 - 1e-6
        np.testing.assert_array_equal(features.eigenvectors_, fits[0].eigenvectors_)
        each = features.eigenvectors_[:, :11].reshape(12, 60, 11)
        np.testing.assert_allclose(each, np.broadcast_to(each[:, :1], each.shape), atol=1e-9)
        apart = cdist(each[:, 0], each[:, 0])[np.triu_indices(12, 1)]
        assert apart.min() > 1


def test_diffusion_warns_of_more_components_than_eigenvectors():
    X = np.vstack([rows(30, seed=s) + 100 * s for s in range(5)])
    with pytest.warns(UserWarning, match="5 components, more than n_components=2"):
        DiffusionMap(2).fit(X)


@pytest.mark.parametrize("copies", [2, 5, 30])
def test_diffusion_with_copies_of_a_row(copies):
    X = np.vstack([rows(100), np.repeat(rows(1, seed=1), copies, axis=0)])
    features = feature_map("diffusion", X)
    Z = features.fit_transform(X)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(features.transform(X[-1:]), Z[-1:], atol=1e-6)


def test_diffusion_does_not_depend_on_units():
    X = rows(300)
    one, two = (DiffusionMap(8).fit_transform(data) for data in (X, 1000 * X))
    np.testing.assert_allclose(one, two, atol=1e-6)


def test_diffusion_keeps_sparse_rows_sparse_and_float32():
    X = sparse.random(300, 20_000, 0.002, "csr", random_state=0, dtype=np.float32)
    features = feature_map("diffusion", X)
    tracemalloc.start()
    Z = features.fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert Z.shape == (300, 20_020)
    assert Z.dtype == np.float32
    assert peak < 300 * 20_000 * 4 / 2


def test_diffusion_of_rows_far_from_all_others():
    """Their weights underflow, and are what they are relative to each other."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    fitted = DiffusionMap(n_components=3).fit(X)
    far = fitted.transform([[1e6, 0.0], [0.0, -1e60]])
    assert np.isfinite(far).all()
    walks = fitted.eigenvectors_ * fitted.eigenvalues_ ** (diffusion.STEPS - 1)
    ends = walks / fitted._walk_scale
    assert np.all((far[:, 2:] >= ends.min(axis=0)) & (far[:, 2:] <= ends.max(axis=0)))


def test_diffusion_of_sparse_rows_after_dense_ones():
    """The index of few dense features takes no sparse queries."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    dense, mixed = DiffusionMap(n_components=3).fit(X), DiffusionMap(n_components=3).fit(X)
    found = mixed.transform(sparse.csr_matrix(X[:5]))
    assert sparse.issparse(found)
    np.testing.assert_allclose(found.toarray(), dense.transform(X[:5]))


@pytest.mark.parametrize("n_components", [0, -1, 2.5, "many", np.inf, None])
def test_the_number_of_components(n_components):
    with pytest.raises(ValueError, match="n_components must be an integer >= 1"):
        DiffusionMap(n_components).fit(rows())


@pytest.mark.parametrize("n_neighbors", [1, 2.5, None])
def test_the_number_of_neighbors(n_neighbors):
    with pytest.raises(ValueError, match="n_neighbors must be an integer >= 2"):
        DiffusionMap(n_neighbors=n_neighbors).fit(rows())
