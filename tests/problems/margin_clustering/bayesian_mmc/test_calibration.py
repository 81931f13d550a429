"""Probabilities as sure as the clusters are stable."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc.refits import (
    agreement,
    fitted_temperature,
    stability,
    tempered,
)


def test_agreement_matches_the_names():
    one, other = np.array([0, 0, 1, 1, 2, 2]), np.array([2, 2, 0, 0, 1, 0])
    assert agreement(one, other, 3) == pytest.approx(5 / 6)


@given(st.integers(0, 2**32 - 1), st.floats(0.35, 0.95), st.integers(2, 6))
@settings(max_examples=50, deadline=None)
def test_the_mean_confidence_is_the_one_asked_for(seed, confidence, k):
    p = np.random.default_rng(seed).dirichlet(np.ones(k), size=50)
    temperature = fitted_temperature(p, confidence)
    found = tempered(p, temperature)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(found.argmax(axis=1), p.argmax(axis=1))
    most = tempered(p, np.exp(-3.0)).max(axis=1).mean()  # at the least temperature
    wanted = min(max(confidence, 1 / k), most)
    assert found.max(axis=1).mean() == pytest.approx(wanted, abs=0.02)


def test_a_temperature_of_one_changes_nothing():
    p = np.random.default_rng(0).dirichlet(np.ones(4), size=9)
    np.testing.assert_allclose(tempered(p, 1.0), p)
    assert fitted_temperature(p, p.max(axis=1).mean()) == pytest.approx(1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("k", "kernel"), [(2, "precomputed"), (4, "diffusion")])
def test_stable_clusters_are_surer(k, kernel):
    """Blobs that are far apart, and one blob that is cut anyhow."""
    clear, _ = make_blobs(160, centers=k, cluster_std=0.3, random_state=1)
    vague = np.random.default_rng(0).normal(size=(160, 2))
    means = []
    for X in (clear, vague):
        rows = rbf_kernel(X, gamma=0.1) if kernel == "precomputed" else X
        plain = BayesianMMC(kernel=kernel, n_clusters=k, random_state=0).fit(rows)
        fit = BayesianMMC(kernel=kernel, n_clusters=k, calibrate=True, random_state=0).fit(rows)
        np.testing.assert_array_equal(fit.labels_, plain.labels_)
        np.testing.assert_allclose(fit.predict_proba(rows), fit.probabilities_, atol=1e-6)
        assert plain.temperature_ == 1
        means.append(fit.probabilities_.max(axis=1).mean())
    assert means[0] > 0.97 > means[1] + 0.1


def test_confidence_is_the_square_of_the_stability():
    X = np.random.default_rng(0).normal(size=(160, 2))
    fit = BayesianMMC(n_clusters=4, calibrate=True, random_state=0).fit(X)
    stable = stability(fit, X, fit.labels_, np.random.default_rng(5))
    assert fit.probabilities_.max(axis=1).mean() == pytest.approx(stable**2, abs=0.1)
