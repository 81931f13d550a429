"""Nodes of different sizes in clusters of equal size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structsvm.problems.margin_clustering.sdp_mmc.rounding import evened, packed


def spread(labels, sizes, k):
    return np.sum(np.bincount(labels, sizes, k) ** 2)


def test_the_largest_first_is_not_enough():
    labels = packed(np.array([3.0, 3, 2, 2, 2, 3, 3]), 3)
    assert np.bincount(labels, [3, 3, 2, 2, 2, 3, 3]).tolist() == [6, 6, 6]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_planted_clusters_of_equal_size_are_nearly_always_found(k):
    missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cuts = [np.sort(rng.choice(np.arange(1, 20), 4, replace=False)) for _ in range(k)]
        sizes = np.concatenate([np.diff([0, *cut, 20]) for cut in cuts]).astype(float)
        rng.shuffle(sizes)
        missed += spread(packed(sizes, k), sizes, k) > k * 20**2
    assert missed <= 2


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(4, 12))
@settings(max_examples=50, deadline=None)
def test_each_exchange_makes_clusters_more_equal(seed, k, m):
    rng = np.random.default_rng(seed)
    sizes, scores = rng.integers(1, 6, m).astype(float), rng.normal(size=(m, k))
    labels = rng.integers(0, k, m)
    while (better := evened(labels, sizes, scores)) is not None:
        assert spread(better, sizes, k) < spread(labels, sizes, k)
        assert np.sum(better != labels) <= 2
        labels = better
    assert len(np.unique(labels)) == k
    assert len(np.unique(packed(sizes, k))) == k


def test_of_equal_nodes_the_one_that_loses_least_goes():
    scores = np.array([[5.0, 0], [1, 0], [9, 0], [0, 1]])
    labels = evened(np.array([0, 0, 0, 1]), np.ones(4), scores)
    assert labels.tolist() == [0, 1, 0, 1]
