"""The covariance: centred, scaled, one function."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.features.kernels import Kernel
from structsvm.problems.relatives.bayesian_mmc.prior import Prior, graph_covariance


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
    kernel = kernels[kind]
    everything = rbf_kernel(np.vstack([X, new]), gamma=0.3)
    if kind == "callable":
        stacked = np.vstack([X, new])
        everything = (1 + stacked @ stacked.T) ** 2
    rows = everything[:12, :12] if kind == "precomputed" else X
    prior = Prior(kernel, rows, offset)
    # The whole of it at once: centred by the mean function over the training rows, then scaled.
    H = np.vstack([np.eye(16)[:12], np.eye(16)[12:]]) - np.r_[np.full(12, 1 / 12), np.zeros(4)]
    whole = H @ everything @ H.T
    whole = whole / whole[:12, :12].trace() * 12 + offset
    np.testing.assert_allclose(prior.K, whole[:12, :12], atol=1e-12)
    assert np.trace(prior.K - offset) == pytest.approx(12)
    np.testing.assert_allclose((prior.K - offset).sum(axis=0), 0, atol=1e-10)
    given = everything[12:, :12] if kind == "precomputed" else new
    np.testing.assert_allclose(prior.cross(given), whole[12:, :12], atol=1e-12)
    if kind == "precomputed":
        return
    np.testing.assert_allclose(prior.between(new, new), whole[12:, 12:], atol=1e-12)
    np.testing.assert_allclose(prior.variances(new), whole[12:, 12:].diagonal(), atol=1e-12)
    np.testing.assert_allclose(prior.cross(X), prior.K, atol=1e-12)


def test_the_graph_prior_is_smooth_along_the_graph():
    X, y = make_moons(60, noise=0.03, random_state=0)
    K = graph_covariance(X)
    assert np.linalg.eigvalsh(K).min() > 0
    correlation = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    same = y[:, None] == y
    assert correlation[same].mean() > 2 * np.abs(correlation[~same]).mean()
