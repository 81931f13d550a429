"""Partitions to start from."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from structsvm.problems import BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc.initial_clusters import starts


def partitions(X, n_init, n_clusters=2, seed=0):
    fit = BayesianMMC(n_clusters=n_clusters, n_init=1, random_state=0).fit(X)
    return starts(fit._coordinates, n_clusters, n_init, np.random.default_rng(seed))


@pytest.mark.parametrize("k", [2, 5])
def test_partitions_are_different_and_repeatable(k):
    X, _ = make_blobs(90, centers=4, cluster_std=3.0, random_state=0)
    found = partitions(X, 12, k)
    assert 1 < len(found) <= 12
    same = [[np.array_equal(a[:, None] == a, b[:, None] == b) for b in found] for a in found]
    np.testing.assert_array_equal(same, np.eye(len(found), dtype=bool))
    assert all(set(labels) == set(range(k)) for labels in found)
    for one, two in zip(found, partitions(X, 12, k), strict=True):
        np.testing.assert_array_equal(one, two)
