"""Merging of clusters by listed pairs: the order of the merges, and their work."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linkage_data import pair_similarity
from scipy import sparse

from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.correlation_clustering.oracles.merging import (
    Agglomeration,
    Neighbours,
)
from structsvm.problems.set_clustering.similarities import PairSimilarity


def by_matrix(K, known):
    """The same merges, with the gains of all clusters that share a listed pair in a matrix."""
    m = len(K)
    listed = K.listed.toarray() != 0
    values = np.where(listed, K.listed.toarray(), known.elsewhere)
    labels = np.arange(m)
    while True:
        best = None
        for a in np.unique(labels):
            for b in np.unique(labels[labels > a]):
                across = np.ix_(labels == a, labels == b)
                if listed[across].any() and values[across].sum() > known.margin:
                    entry = known.rank(values[across].sum()), a, b
                    best = entry if best is None else min(best, entry)
        if best is None:
            return in_order(labels)
        labels[labels == best[2]] = best[1]


@given(st.integers(0, 100_000), st.integers(2, 12), st.sampled_from([-np.inf, 0.0, -0.1, -0.5]))
@settings(max_examples=40, deadline=None)
def test_the_best_merge_is_next(seed, m, elsewhere):
    rng = np.random.default_rng(seed)
    K = pair_similarity(rng, m, elsewhere, share=0.5)
    K.listed.data[K.listed.data != 0] += 0.5
    known = Neighbours.of(K)
    found = Agglomeration(known, np.arange(m)).run()
    np.testing.assert_array_equal(found, by_matrix(K, known))


@pytest.mark.parametrize("elsewhere", [-np.inf, 0.0, -0.02])
def test_the_gains_computed_are_in_the_number_of_pairs(elsewhere, monkeypatch):
    """A star: with gains computed anew after each merge they would be a million."""
    values = 1 + np.random.default_rng(0).random(1500)
    star = sparse.csr_matrix(
        (values, (np.zeros(1500, dtype=int), 1 + np.arange(1500))), (1501,) * 2
    )
    known = Neighbours.of(PairSimilarity((star + star.T).tocsr(), elsewhere))
    calls, gain = [], Agglomeration.gain
    monkeypatch.setattr(
        Agglomeration, "gain", lambda *arguments: calls.append(1) or gain(*arguments)
    )
    Agglomeration(known, np.arange(1501)).run()
    assert len(calls) < 30 * 1500
