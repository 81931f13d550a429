"""Searches by listed pairs, against all partitions and against the searches of matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linkage_data import pair_similarity, value
from scipy import sparse

from structsvm.data.labels import in_order
from structsvm.problems import GreedyOracle
from structsvm.problems.set_clustering.correlation_clustering.oracles import listed
from structsvm.problems.set_clustering.correlation_clustering.oracles.merging import (
    Agglomeration,
    Neighbours,
)
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.similarities import PairSimilarity

seeds = st.integers(0, 100_000)
costs = st.sampled_from([-np.inf, 0.0, -0.5])


@given(seeds, st.integers(2, 7), costs)
@settings(max_examples=25, deadline=None)
def test_oracles_against_all_partitions(seed, m, elsewhere):
    K = pair_similarity(np.random.default_rng(seed), m, elsewhere)
    best = max(value(K, y) for y in partitions(m))
    found = GreedyOracle().cluster(K)
    assert -np.inf < value(K, found) <= best + 1e-9
    np.testing.assert_array_equal(found, in_order(found))
    assert value(K, GreedyOracle(30).cluster(K)) == pytest.approx(best)


@given(seeds, costs)
@settings(max_examples=30, deadline=None)
def test_greedy_ends_where_neither_merging_nor_moving_helps(seed, elsewhere):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 14))
    K = pair_similarity(rng, m, elsewhere, share=0.8)
    known = Neighbours.of(K)
    grown = Agglomeration(known, np.arange(m)).run()
    for a in range(grown.max() + 1):
        for b in range(a):
            joined = np.where(grown == a, b, grown)
            assert value(K, joined) <= value(K, grown) + 1e-9
    y = listed.local_optimum(known, grown)
    for i in range(m):
        for c in range(y.max() + 2):
            z = y.copy()
            z[i] = c
            assert value(K, z) <= value(K, y) + 1e-9


def test_a_start_with_a_pair_that_is_impossible_is_left():
    K = pair_similarity(np.random.default_rng(0), 6, -np.inf, share=0.3)
    assert value(K, np.zeros(6)) == -np.inf
    assert value(K, GreedyOracle().refine(K, [np.zeros(6, dtype=int)])) > -np.inf


def test_equal_similarities_give_equal_labels_whatever_the_rounding():
    K = pair_similarity(np.random.default_rng(1), 40, -np.inf, share=0.3)
    K.listed.data[:] = np.round(K.listed.data)
    noisy = K.listed.copy()
    noisy.data *= 1 + 1e-14
    one, other = GreedyOracle(3).cluster(K), GreedyOracle(3).cluster(PairSimilarity(noisy, -np.inf))
    np.testing.assert_array_equal(one, other)


def test_a_chain_of_pairs_is_cut_where_an_unlisted_pair_is_impossible():
    """a-b and b-c are similar; a-c is not listed."""
    dense = np.array([[0, 2.0, 0], [2, 0, 1], [0, 1, 0]])
    for elsewhere, expected in ((-np.inf, [0, 0, 1]), (0.0, [0, 0, 0]), (-0.5, [0, 0, 0])):
        K = PairSimilarity(sparse.csr_matrix(dense), elsewhere)
        assert GreedyOracle().cluster(K).tolist() == expected
    K = PairSimilarity(sparse.csr_matrix(dense), -1.5)
    assert GreedyOracle().cluster(K).tolist() == [0, 0, 1]
