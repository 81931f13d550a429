"""The eigenfunctions of the covariance: centred, scaled, one function; rows of no cluster."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.features.kernels import Kernel
from structsvm.problems.margin_clustering.bayesian_mmc.prior import (
    Prior,
    graph_covariance,
    universum_rows,
)


@pytest.mark.parametrize("offset", [0.0, 2.0])
@pytest.mark.parametrize("kind", ["rbf", "callable", "precomputed"])
def test_the_prior_is_centred_scaled_and_one_function(kind, offset):
    X = np.random.default_rng(0).normal(size=(12, 3))
    new = np.random.default_rng(1).normal(size=(4, 3))
    kernels = {
        "rbf": Kernel("rbf", 0.3),
        "callable": Kernel(lambda x, z: (1 + x @ z) ** 2),
        "precomputed": Kernel("precomputed"),
    }
    everything = rbf_kernel(np.vstack([X, new]), gamma=0.3)
    if kind == "callable":
        stacked = np.vstack([X, new])
        everything = (1 + stacked @ stacked.T) ** 2
    rows = everything[:12, :12] if kind == "precomputed" else X
    prior = Prior(kernels[kind], rows, offset, 12)
    # The whole of it at once: centred by the mean function over the training rows, then scaled.
    H = np.eye(16) - np.r_[np.full(12, 1 / 12), np.zeros(4)]
    whole = H @ everything @ H.T
    whole = whole / whole[:12, :12].trace() * 12 + offset
    phi, given = prior.features, everything[12:, :12] if kind == "precomputed" else new
    np.testing.assert_allclose(phi @ phi.T, whole[:12, :12], atol=1e-10)
    np.testing.assert_allclose((phi @ phi.T - offset).sum(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(prior.of(given) @ phi.T, whole[12:, :12], atol=1e-8)
    np.testing.assert_allclose(prior.of(rows), phi, atol=1e-8)


def test_the_leading_eigenfunctions_are_kept_and_scaled():
    X = np.random.default_rng(0).normal(size=(30, 3))
    whole = Prior(Kernel("rbf", 0.3), X, 0.0, 30)
    few = Prior(Kernel("rbf", 0.3), X, 0.0, 4)
    assert few.features.shape == (30, 4)
    for prior in (whole, few):
        assert np.square(prior.features).sum() == pytest.approx(30)
    scale = np.linalg.norm(few.features[:, 0]) / np.linalg.norm(whole.features[:, 0])
    assert scale > 1
    np.testing.assert_allclose(few.features, scale * whole.features[:, :4], atol=1e-10)
    np.testing.assert_allclose(few.of(X), few.features, atol=1e-10)


def test_the_graph_prior_is_smooth_along_the_graph():
    X, y = make_moons(60, noise=0.03, random_state=0)
    K = graph_covariance(X)
    assert np.linalg.eigvalsh(K).min() > 0
    correlation = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    same = y[:, None] == y
    assert correlation[same].mean() > 2 * np.abs(correlation[~same]).mean()
    twice = graph_covariance(np.repeat(X, 9, axis=0))
    np.testing.assert_allclose(twice[::9, ::9], K)
    np.testing.assert_allclose(twice[1::9, 8::9], K)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_rows_of_no_cluster_are_drawn_about_the_mean_or_from_the_columns(convert):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 4)) < 0.5, 0, rng.integers(1, 5, (50, 4)).astype(float))
    X[:, 3] = 7.0
    given = convert(X)
    mean, marginal = (universum_rows(name, given, rng) for name in ("mean", "marginal"))
    assert sparse.issparse(mean) == sparse.issparse(marginal) == sparse.issparse(given)
    mean, marginal = (a.toarray() if sparse.issparse(a) else a for a in (mean, marginal))
    assert mean.shape == marginal.shape == (20, 4)
    assert np.abs(mean - X.mean(axis=0)).max() < 0.5 * X.std(axis=0).max()
    np.testing.assert_allclose(mean[:, 3], 7)
    assert all(set(marginal[:, j]) <= set(X[:, j]) for j in range(4))
    assert len({tuple(row) for row in marginal} - {tuple(row) for row in X}) > 0
