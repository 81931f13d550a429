"""Leading eigenvectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from set_data import symmetric, value_of

from structsvm.problems import SpectralOracle
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix

seeds = st.integers(0, 100_000)


@pytest.mark.parametrize("m", [40, 300])
def test_spectral_at_matrices_without_a_gap(m):
    Y = clustering_matrix(np.arange(m) % 3)
    for K in (np.zeros((m, m)), np.eye(m), np.ones((m, m)), -30 * Y @ Y.T):
        found = SpectralOracle().cluster(K, 3)
        np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-8)
        assert np.isclose(value_of(K, found), np.linalg.eigvalsh(K)[-3:].sum(), atol=1e-7)


def test_spectral_finds_the_leading_eigenvalues_of_many_points():
    rng = np.random.default_rng(0)
    K = symmetric(rng, 400)
    exact = np.linalg.eigvalsh(K)[-4:].sum()
    assert value_of(K, SpectralOracle().cluster(K, 4)) == pytest.approx(exact, rel=1e-9)


@pytest.mark.slow
@given(seeds, st.integers(2, 12), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_spectral_finds_eigenvectors_of_one_eigenvalue(seed, k, rank):
    """Few node features make a similarity of low rank, and zero an eigenvalue of many vectors."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(160, 320))
    nodes, truth = rng.normal(size=(m, rank)), clustering_matrix(rng.permutation(m) % k)
    K = (nodes * rng.normal(size=rank)) @ nodes.T - 1000 / k * truth @ truth.T
    K = (K + K.T) / 2
    best = np.linalg.eigvalsh(K)
    found = value_of(K, SpectralOracle().cluster(K, k))
    assert found == pytest.approx(best[-k:].sum(), abs=1e-6 * np.abs(best).max())


def test_an_unsigned_number_of_clusters_is_a_number():
    K = symmetric(np.random.default_rng(0), 6)
    found, expected = (SpectralOracle().cluster(K, k) for k in (np.uint8(4), 4))
    np.testing.assert_array_equal(found, expected)
