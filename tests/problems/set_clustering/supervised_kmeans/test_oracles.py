"""Moving one point at a time, and leading eigenvectors: against all partitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from set_data import drawn, symmetric, value_of

from structsvm.problems import DiscreteOracle, IterativeOracle, SpectralOracle, SupervisedKMeans
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import (
    local_optimum,
    random_labels,
)
from structsvm.problems.set_clustering.ties import margin_of

seeds = st.integers(0, 100_000)


@given(seeds, st.integers(3, 8))
@settings(max_examples=30, deadline=None)
def test_oracles_against_all_partitions(seed, m):
    """On indefinite matrices: Spectral above the best, Iterative at it with enough starts."""
    rng = np.random.default_rng(seed)
    k, K = int(rng.integers(2, min(m, 4) + 1)), symmetric(rng, m)
    best = max(value_of(K, y) for y in partitions(m, k))
    relaxed = SpectralOracle().cluster(K, k)
    np.testing.assert_allclose(relaxed.T @ relaxed, np.eye(k), atol=1e-10)
    assert value_of(K, relaxed) >= best - 1e-9
    assert np.isclose(value_of(K, relaxed), np.linalg.eigvalsh(K)[-k:].sum())
    for oracle in (IterativeOracle(60), DiscreteOracle()):
        y = oracle.cluster(K, k)
        assert sorted(set(y.tolist())) == list(range(k))
        assert value_of(K, y) <= best + 1e-9
    found = value_of(K, IterativeOracle(60).cluster(K, k))
    assert np.isclose(found, best, atol=1e-9)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_iterative_ends_where_no_move_helps(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(5, 40)), int(rng.integers(2, 5))
    K = symmetric(rng, m)
    start = random_labels(m, k, rng)
    y, objective = local_optimum(K, start, k, margin_of(K))
    assert np.isclose(objective, value_of(K, y))
    assert objective >= value_of(K, start) - 1e-9
    for i in range(m):
        for c in range(k):
            z = y.copy()
            z[i] = c
            if len(set(z.tolist())) == k:
                assert value_of(K, z) <= objective + 1e-6


def test_starts_are_used_and_not_changed():
    K, y = np.zeros((6, 6)), np.array([0, 1, 0, 1, 0, 1])
    K[np.ix_(y == 0, y == 0)] = K[np.ix_(y == 1, y == 1)] = 1
    kept = y.copy()
    assert value_of(K, IterativeOracle(n_init=0).cluster(K, 2, [y])) == pytest.approx(6)
    np.testing.assert_array_equal(y, kept)


test_unusable_starts_and_parameters = refused(
    lambda parameters, k, *starts: IterativeOracle(**parameters).cluster(np.eye(6), k, starts),
    ({"n_init": 0}, 2, "without a start"),
    ({}, 3, np.arange(6) % 2, "each of the labels 0 to 2"),
    ({"n_init": -1}, 2, "must be an integer >= 0"),
    ({"n_init": 2.5}, 2, "must be an integer >= 0"),
    ({"random_state": None}, 2, "must be an integer >= 0"),
)


def test_a_large_common_offset_is_not_rounded_away():
    X, y = drawn(0)
    shifted = SupervisedKMeans().fit([x + 1e4 for x in X], y)
    assert shifted.score([x + 1e4 for x in X], y) > 0.9
    rng = np.random.default_rng(0)
    K = symmetric(rng, 40)
    start, oracle = [np.arange(40) % 3], IterativeOracle(n_init=0)
    assert (oracle.cluster(K + 1e9, 3, start) == oracle.cluster(K, 3, start)).all()


@pytest.mark.parametrize("m", [40, 300])
def test_spectral_at_matrices_without_a_gap(m):
    Y = clustering_matrix(np.arange(m) % 3)
    for K in (np.zeros((m, m)), np.eye(m), np.ones((m, m)), -30 * Y @ Y.T):
        found = SpectralOracle().cluster(K, 3)
        np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-8)
        assert np.isclose(value_of(K, found), np.linalg.eigvalsh(K)[-3:].sum(), atol=1e-7)


@pytest.mark.parametrize("rank", [1, 5, 400])
def test_spectral_finds_the_leading_eigenvalues_of_many_points(rank):
    """Few node features make a similarity of low rank, and zero an eigenvalue of many vectors."""
    rng = np.random.default_rng(rank)
    nodes, truth = rng.normal(size=(400, rank)), clustering_matrix(rng.permutation(400) % 4)
    K = (nodes * rng.normal(size=rank)) @ nodes.T - 250 * truth @ truth.T
    K = (K + K.T) / 2
    eigenvalues = np.linalg.eigvalsh(K)
    found = value_of(K, SpectralOracle().cluster(K, np.uint8(4)))
    assert found == pytest.approx(eigenvalues[-4:].sum(), abs=1e-6 * np.abs(eigenvalues).max())
