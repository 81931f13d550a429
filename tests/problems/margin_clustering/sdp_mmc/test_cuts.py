"""Inequalities of pairs in the low-rank solver."""

from itertools import product

import numpy as np
import pytest
from sdp_data import unit_rows

from structsvm.problems.margin_clustering.sdp_mmc.low_rank import cuts as module
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import (
    NO_CUTS,
    Cuts,
    Pairs,
    violated,
)
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex


def left_sides(cuts, Z):
    i, j, k = cuts.items.T
    return (cuts.signs * np.column_stack([Z[i, j], Z[j, k], Z[i, k]])).sum(axis=1)


@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_every_labelling_satisfies_what_is_found(n_clusters):
    rng = np.random.default_rng(n_clusters)
    found = violated(unit_rows(rng, 6), n_clusters, 1000, rng)
    assert len(found.bounds) > 3
    for y in product(range(n_clusters), repeat=6):
        codes = simplex(n_clusters)[list(y)]
        assert np.all(Pairs(found, 6).excess(codes) <= 1e-9)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_the_most_violated_of_all_are_found(n_clusters):
    rng = np.random.default_rng(0)
    V = unit_rows(rng, 7)
    found = violated(V, n_clusters, 1000, rng)
    Z = V @ V.T
    excess = -found.bounds - left_sides(found, Z)
    assert np.all(np.diff(excess) <= 1e-12)
    triples = [t for t in product(range(7), repeat=3) if len(set(t)) == 3]
    two = [-1 - Z[i, j] - Z[j, k] - Z[i, k] for i, j, k in triples]
    transitive = [-1 + Z[i, j] + Z[j, k] - Z[i, k] for i, j, k in triples]
    apart = [-1 / (n_clusters - 1) - Z[i, k] for i, _, k in triples]
    worst = max(transitive + (two if n_clusters == 2 else apart))
    assert excess[0] == pytest.approx(worst)
    assert len(violated(V, n_clusters, 2, rng).bounds) == 2


def test_rows_that_are_drawn(monkeypatch):
    monkeypatch.setattr(module, "SEARCHED", 600)
    monkeypatch.setattr(module, "MIDDLE", 10)
    rng = np.random.default_rng(0)
    V = unit_rows(rng, 50)
    found = violated(V, 2, 1000, rng)
    assert 0 < len(found.bounds) <= 120
    assert np.all(found.items < 50)
    assert np.all(-1 - left_sides(found, V @ V.T) > module.VIOLATED)


def test_pairs_are_those_of_a_dense_matrix():
    rng = np.random.default_rng(1)
    V = unit_rows(rng, 8)
    found = violated(V, 3, 40, rng)
    pairs, Z = Pairs(found, 8), V @ V.T
    np.testing.assert_allclose(pairs.excess(V), -found.bounds - left_sides(found, Z))
    t = rng.exponential(size=len(found.bounds))
    Q = pairs.matrix(t).toarray()
    np.testing.assert_allclose(Q, Q.T)
    assert np.sum(Q * Z) / 2 == pytest.approx(t @ left_sides(found, Z))
    assert Pairs(NO_CUTS, 8).matrix(np.zeros(0)).nnz == 0


def test_no_inequality_is_twice_in_a_working_set():
    equal = Cuts(np.array([[0, 1, 2], [2, 0, 1], [1, 0, 2]]), np.ones((3, 3)), np.ones(3))
    assert len(NO_CUTS.joined(equal).bounds) == 1
    signs = np.tile((-1.0, -1.0, 1.0), (3, 1))
    assert len(NO_CUTS.joined(Cuts(equal.items, signs, equal.bounds)).bounds) == 3
    kept = equal.take(np.array([0]))
    np.testing.assert_array_equal(kept.joined(equal).items, kept.items)
