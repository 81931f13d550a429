"""Merging, moving and the relaxation: against all partitions, and step by step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linkage_data import pair_similarity, value
from scipy import sparse
from set_data import symmetric

from structsvm.data.labels import in_order
from structsvm.problems import GreedyOracle, RelaxedOracle
from structsvm.problems.set_clustering.correlation_clustering.oracles import greedy, listed, relaxed
from structsvm.problems.set_clustering.correlation_clustering.oracles.merging import (
    Agglomeration,
    Neighbours,
)
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.similarities import PairSimilarity

seeds = st.integers(0, 100_000)
#: A matrix of all similarities, or that of the pairs that are not listed.
kinds = st.sampled_from(["matrix", -np.inf, 0.0, -0.1, -0.5])


def drawn(kind, rng, m):
    return symmetric(rng, m) if kind == "matrix" else pair_similarity(rng, m, kind)


def total(K, y):
    return greedy.inside(K, y) if isinstance(K, np.ndarray) else value(K, y)


def grown_and_moved(K):
    """The partitions after merging, and after moving."""
    if isinstance(K, np.ndarray):
        grown = greedy.merged(K)
        return grown, greedy.local_optimum(K, grown)
    known = Neighbours.of(K)
    grown = Agglomeration(known, np.arange(len(K))).run()
    return grown, listed.local_optimum(known, grown)


@given(seeds, st.integers(2, 6), kinds)
@settings(max_examples=60, deadline=None)
def test_greedy_search_reaches_the_best_of_all_partitions(seed, m, kind):
    K = drawn(kind, np.random.default_rng(seed), m)
    best = max(total(K, y) for y in partitions(m))
    found = GreedyOracle().cluster(K)
    assert -np.inf < total(K, found) <= best + 1e-9
    np.testing.assert_array_equal(found, in_order(found))
    assert total(K, GreedyOracle(50).cluster(K)) == pytest.approx(best)


@given(seeds, st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_the_relaxation_is_above_all_partitions(seed, m):
    K, (i, j) = symmetric(np.random.default_rng(seed), m), np.triu_indices(m, 1)
    Z = RelaxedOracle().cluster(K)
    assert K[i, j] @ Z[i, j] >= max(greedy.inside(K, y) for y in partitions(m)) - 1e-6
    assert np.allclose(Z, Z.T)
    assert Z.min() >= 0
    assert Z.max() == 1
    triangles = Z[:, :, None] + Z[None] - Z[:, None, :]
    assert triangles.max() <= 1 + 1e-6


@given(seeds, st.integers(3, 14), kinds)
@settings(max_examples=40, deadline=None)
def test_greedy_ends_where_neither_merging_nor_moving_helps(seed, m, kind):
    K = drawn(kind, np.random.default_rng(seed), m)
    grown, y = grown_and_moved(K)
    for a in range(grown.max() + 1):
        for b in range(a):
            assert total(K, np.where(grown == a, b, grown)) <= total(K, grown) + 1e-9
    assert total(K, y) >= total(K, grown) - 1e-9
    for i in range(m):
        for c in range(y.max() + 2):
            z = y.copy()
            z[i] = c
            assert total(K, z) <= total(K, y) + 1e-9


def merged_by_hand(K):
    """The best merge of two clusters that share a listed pair, each time."""
    if isinstance(K, np.ndarray):
        values, pairs, margin, rank = K, np.ones_like(K), 1e-12, lambda gain: -gain
    else:
        known, pairs = Neighbours.of(K), K.listed.toarray() != 0
        values = np.where(pairs, K.listed.toarray(), known.elsewhere)
        margin, rank = known.margin, known.rank
    labels = np.arange(len(values))
    while True:
        merges = []
        for a in np.unique(labels):
            for b in np.unique(labels[labels > a]):
                across = np.ix_(labels == a, labels == b)
                if pairs[across].any() and values[across].sum() > margin:
                    merges.append((rank(values[across].sum()), a, b))
        if not merges:
            return in_order(labels)
        _, a, b = min(merges)
        labels[labels == b] = a


@given(seeds, st.integers(2, 12), kinds)
@settings(max_examples=60, deadline=None)
def test_the_best_merge_is_next(seed, m, kind):
    K = drawn(kind, np.random.default_rng(seed), m)
    if kind != "matrix":
        K.listed.data[K.listed.data != 0] += 0.5
    grown, _ = grown_and_moved(K)
    np.testing.assert_array_equal(in_order(grown), merged_by_hand(K))


def test_greedy_ignores_the_diagonal_and_keeps_its_starts():
    rng = np.random.default_rng(0)
    start = rng.integers(4, size=40)
    kept = start.copy()
    for _ in range(10):
        K, oracle = symmetric(rng, 40), GreedyOracle(n_init=1)
        found = oracle.cluster(K, [start])
        np.testing.assert_array_equal(oracle.cluster(K + 9 * np.eye(40), [start]), found)
    np.testing.assert_array_equal(start, kept)


def test_a_start_with_a_pair_that_is_impossible_is_left():
    K = pair_similarity(np.random.default_rng(0), 6, -np.inf, share=0.3)
    assert value(K, np.zeros(6)) == -np.inf
    assert value(K, GreedyOracle().refine(K, [np.zeros(6, dtype=int)])) > -np.inf


def test_equal_similarities_give_equal_labels_whatever_the_rounding():
    K = pair_similarity(np.random.default_rng(1), 40, -np.inf, share=0.3)
    K.listed.data[:] = np.round(K.listed.data)
    noisy = K.listed.copy()
    noisy.data *= 1 + 1e-14
    other = GreedyOracle(3).cluster(PairSimilarity(noisy, -np.inf))
    np.testing.assert_array_equal(other, GreedyOracle(3).cluster(K))


def test_a_chain_of_pairs_is_cut_where_an_unlisted_pair_is_impossible():
    """a-b and b-c are similar; a-c is not listed."""
    dense = sparse.csr_matrix([[0, 2.0, 0], [2, 0, 1], [0, 1, 0]])
    for elsewhere, expected in ((-np.inf, 1), (0.0, 0), (-0.5, 0), (-1.5, 1)):
        found = GreedyOracle().cluster(PairSimilarity(dense, elsewhere))
        assert found.tolist() == [0, 0, expected]


def test_relaxed_where_partitions_are_not_optimal():
    """Three pairs that attract in a ring of repulsion: halves beat every partition."""
    K = -10 * np.ones((4, 4))
    K[3, :3] = K[:3, 3] = 1
    i, j = np.triu_indices(4, 1)
    assert K[i, j] @ RelaxedOracle().cluster(K)[i, j] == pytest.approx(1.5)
    assert greedy.inside(K, GreedyOracle(20).cluster(K)) == pytest.approx(1)


def test_the_simplex_method_takes_over_where_interior_points_find_nothing(monkeypatch):
    K, solve, methods = np.array([[0.0, 2, -1], [2, 0, 3], [-1, 3, 0]]), relaxed.linprog, []
    expected = RelaxedOracle().cluster(K)

    def only_simplex(cost, *, method, **options):
        methods.append(method)
        answer = solve(cost, method=method, **options)
        if method == "highs-ipm":
            answer.x = None
        return answer

    monkeypatch.setattr(relaxed, "linprog", only_simplex)
    np.testing.assert_allclose(RelaxedOracle().cluster(K), expected, atol=1e-8)
    assert methods[:2] == ["highs-ipm", "highs-ds"]
