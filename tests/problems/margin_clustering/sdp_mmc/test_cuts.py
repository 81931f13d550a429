"""Inequalities of pairs in the low-rank solver."""

from itertools import product

import numpy as np
import pytest
from sdp_data import unit_rows

from structsvm.problems.margin_clustering.sdp_mmc.low_rank import cuts as module
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import (
    Pairs,
    violated,
)
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex


def left_sides(cuts, Z):
    i, j, k = cuts.items.T
    return (cuts.signs * np.column_stack([Z[i, j], Z[j, k], Z[i, k]])).sum(axis=1)


@pytest.mark.parametrize("n_clusters", [2, 4])
def test_every_labelling_satisfies_what_is_found(n_clusters):
    rng = np.random.default_rng(n_clusters)
    found = violated(unit_rows(rng, 5), n_clusters, 1000, rng)
    assert len(found.bounds) > 3
    for y in product(range(n_clusters), repeat=5):
        codes = simplex(n_clusters)[list(y)]
        assert np.all(Pairs(found, 5).excess(codes) <= 1e-9)


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
