"""More than two clusters."""

import numpy as np
import pytest
from clustering_data import agreement
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import BayesianMMC


def four():
    return make_blobs(120, centers=[[-6, 0], [0, 0], [6, 0], [0, 7]], random_state=0)


@pytest.mark.parametrize("kernel", ["diffusion", "rbf", "graph"])
def test_several_clusters(kernel):
    X, y = four()
    fit = BayesianMMC(kernel=kernel, n_clusters=4, random_state=0).fit(X)
    table = np.array([[np.sum((fit.labels_ == i) & (y == j)) for j in range(4)] for i in range(4)])
    assert sorted(table.max(axis=1).tolist()) == [30, 30, 30, 30]
    assert fit.probabilities_.shape == (120, 4)
    np.testing.assert_allclose(fit.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(fit.probabilities_.argmax(axis=1), fit.labels_)
    assert not fit.collapsed_
    if kernel != "graph":
        np.testing.assert_allclose(fit.predict_proba(X), fit.probabilities_, atol=1e-6)
        between = fit.predict_proba([[-3.0, 0.0], [-6.0, 0.0]]).max(axis=1)
        assert between[0] < 0.85 < 0.9 < between[1]


def test_a_precomputed_kernel():
    X, _ = four()
    K = rbf_kernel(X, gamma=0.02)
    rows = BayesianMMC(kernel="rbf", length_scale=5.0, n_clusters=4, n_init=1, random_state=0)
    by_matrix = BayesianMMC(kernel="precomputed", n_clusters=4, n_init=1, random_state=0).fit(K)
    rows.fit(X)
    assert by_matrix.log_posterior_ == pytest.approx(rows.log_posterior_, rel=1e-4)
    np.testing.assert_allclose(by_matrix.predict_proba(K), by_matrix.probabilities_, atol=1e-6)


def test_equal_bits_for_a_seed():
    X, _ = make_blobs(150, centers=5, cluster_std=2.5, random_state=3)
    one, two = (BayesianMMC(n_clusters=5, random_state=7).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.probabilities_, two.probabilities_)
    assert one.log_posterior_ == two.log_posterior_


def test_a_universum_keeps_within_all_margins():
    X, _ = four()
    fit = BayesianMMC(kernel="rbf", n_clusters=4, universum="mean", random_state=0).fit(X)
    f = fit._searches[0].posterior.f
    assert f.shape == (140, 4)
    assert np.all(np.abs(f[120:]) < 1)


def test_two_of_several_and_two_agree():
    """A third cluster far away leaves the division of the other two as it is."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(c, 1, (40, 2)) for c in ([-3, 0], [3, 0], [0, 40])])
    three = BayesianMMC(n_clusters=3, random_state=0).fit(X)
    two = BayesianMMC(random_state=0).fit(X[:80])
    assert len(set(three.labels_[80:])) == 1
    assert agreement(three.labels_[:80] == three.labels_[0], two.labels_) == 1
