"""The loss between two clusterings."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from set_data import clustering, orthonormal

from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix, trace_loss

seeds = st.integers(0, 100_000)


@given(seeds, st.integers(2, 8))
def test_the_loss(seed, m):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, m + 1))
    y, z, R = clustering(rng, m, k), clustering(rng, m, k), orthonormal(rng, m, k)
    pairs = [
        np.sum((y == a) & (z == b)) ** 2 / (np.sum(y == a) * np.sum(z == b))
        for a in range(k)
        for b in range(k)
    ]
    assert np.isclose(trace_loss(y, z), 100 * (1 - sum(pairs) / k))  # equation 18
    assert np.isclose(trace_loss(clustering_matrix(y), clustering_matrix(z)), trace_loss(y, z))
    assert np.isclose(trace_loss(y, z), trace_loss(z, y))
    assert np.isclose(trace_loss(y, R), trace_loss(R, y))
    order = rng.permutation(k)
    assert np.isclose(trace_loss(y, order[z]), trace_loss(y, z))
    assert np.isclose(trace_loss(y, R[:, order]), trace_loss(y, R))
    assert trace_loss(y, y) == trace_loss(y, order[y]) == 0
    assert np.isclose(trace_loss(R, R), 0, atol=1e-9)
    assert 0 <= trace_loss(y, R) <= 100


def test_clusterings_of_different_widths_are_not_compared():
    for y_hat in (np.array([0, 1, 2]), np.eye(3), np.array([0, 0, 0])):
        with pytest.raises(ValueError, match="equally many clusters"):
            trace_loss(np.array([0, 0, 1]), y_hat)
    with pytest.raises(ValueError, match="same items"):
        trace_loss(np.array([0, 0, 1]), np.array([0, 1]))


def test_the_memory_of_the_loss_is_in_the_number_of_items():
    """A table of 20000 by 20000 clusters would take 3 GB."""
    y = np.arange(40_000) // 2
    tracemalloc.start()
    loss = trace_loss(y, np.roll(y, 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert loss == pytest.approx(50)
