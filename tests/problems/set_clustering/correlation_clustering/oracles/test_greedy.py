"""Merging and moving, against all partitions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from set_data import symmetric

from structsvm.problems import (
    GreedyOracle,
    RelaxedOracle,
)
from structsvm.problems.set_clustering.correlation_clustering.oracles.greedy import (
    inside,
    local_optimum,
    merged,
)
from structsvm.problems.set_clustering.partitions import partitions

seeds = st.integers(0, 100_000)


@given(seeds, st.integers(2, 7))
@settings(max_examples=30, deadline=None)
def test_oracles_against_all_partitions(seed, m):
    rng = np.random.default_rng(seed)
    K = symmetric(rng, m)
    best = max(inside(K, y) for y in partitions(m))
    Z = RelaxedOracle().cluster(K)
    i, j = np.triu_indices(m, 1)
    assert K[i, j] @ Z[i, j] >= best - 1e-6
    assert np.allclose(Z, Z.T)
    assert Z.min() >= 0
    assert Z.max() == 1
    triangles = Z[:, :, None] + Z[None] - Z[:, None, :]
    assert triangles.max() <= 1 + 1e-6
    assert inside(K, GreedyOracle().cluster(K)) <= best + 1e-9
    assert np.isclose(inside(K, GreedyOracle(50).cluster(K)), best)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_greedy_ends_where_neither_merging_nor_moving_helps(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 25))
    K = symmetric(rng, m)
    grown = merged(K)
    for a in range(grown.max() + 1):
        for b in range(a):
            assert K[np.ix_(grown == a, grown == b)].sum() <= 1e-9
    y = local_optimum(K, grown)
    assert inside(K, y) >= inside(K, grown) - 1e-9
    for i in range(m):
        for c in range(y.max() + 2):
            z = y.copy()
            z[i] = c
            assert inside(K, z) <= inside(K, y) + 1e-9


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_greedy_merges_the_best_pair_each_time(seed):
    rng = np.random.default_rng(seed)
    K = symmetric(rng, int(rng.integers(1, 15)))
    clusters = [[i] for i in range(len(K))]
    while len(clusters) > 1:
        gains = {
            (a, b): K[np.ix_(clusters[a], clusters[b])].sum()
            for a in range(len(clusters))
            for b in range(a)
        }
        a, b = max(gains, key=gains.get)
        if gains[a, b] <= 0:
            break
        clusters[b] += clusters.pop(a)
    found = merged(K)
    assert sorted(sorted(c) for c in clusters) == sorted(
        np.flatnonzero(found == c).tolist() for c in set(found.tolist())
    )


def test_greedy_ignores_the_diagonal_and_keeps_its_starts():
    rng = np.random.default_rng(0)
    K, start = symmetric(rng, 12), rng.integers(4, size=12)
    kept = start.copy()
    found = GreedyOracle().cluster(K, [start])
    np.testing.assert_array_equal(GreedyOracle().cluster(K + 9 * np.eye(12), [start]), found)
    for _ in range(30):
        K, oracle = symmetric(rng, 40), GreedyOracle(n_init=1)
        found = oracle.cluster(K)
        np.testing.assert_array_equal(oracle.cluster(K + 9 * np.eye(40)), found)
    np.testing.assert_array_equal(start, kept)
    assert GreedyOracle().cluster(-np.ones((4, 4))).tolist() == [0, 1, 2, 3]
    assert GreedyOracle().cluster(np.ones((4, 4))).tolist() == [0, 0, 0, 0]
