"""Supervised k-means: formulas, the loss, and the bounds that its oracles give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peak_memory import peak_below
from refusals import refused
from set_data import clustering, items_with_pairs, orthonormal

from structsvm import StructuredSVM
from structsvm.problems import ItemSet, SupervisedKMeansProblem
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix, trace_loss

seeds = st.integers(0, 100_000)


@given(seeds, st.integers(2, 8))
@settings(max_examples=30, deadline=None)
def test_joint_feature_is_equation_13(seed, m):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, m + 1))
    items, y = items_with_pairs(rng, m), clustering(rng, m, k)
    every = [(i, j) for i in range(m) for j in range(m)]
    psi = items.pair_vectors(*zip(*every, strict=True)).reshape(m, m, 4)
    by_clusters = sum(
        psi[np.ix_(c, c)].sum(axis=(0, 1)) / len(c)
        for c in (np.flatnonzero(y == label) for label in range(k))
    )
    Psi = SupervisedKMeansProblem().joint_feature((items, k), y)
    np.testing.assert_allclose(Psi, by_clusters, atol=1e-10)


@given(seeds, st.integers(2, 8))
@settings(max_examples=30, deadline=None)
def test_the_augmented_similarity(seed, m):
    """Delta + <w, Psi> = 100 + tr(Y' K' Y), for discrete and relaxed outputs and truths."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, m + 1))
    x, problem = (items_with_pairs(rng, m), k), SupervisedKMeansProblem(scale=1.7)
    w = rng.normal(size=4)
    for truth in (clustering(rng, m, k), orthonormal(rng, m, k)):
        augmented = problem.augmented(x, truth, w)
        for y in (clustering(rng, m, k), orthonormal(rng, m, k)):
            Y = clustering_matrix(y)
            value = problem.loss(truth, y) + w @ problem.joint_feature(x, y)
            assert np.isclose(value, 100 + np.trace(Y.T @ augmented @ Y))


test_bad_problem_data = refused(
    lambda x, y: StructuredSVM(SupervisedKMeansProblem()).fit([x], [y]),
    (ItemSet(np.eye(3)), np.array([0, 0, 1]), "input 0 must be a pair"),
    ((ItemSet(np.eye(3)), 4), np.array([0, 0, 1]), "from 2 to its 3 items; got 4"),
    ((ItemSet(np.eye(3)), True), np.array([0, 0, 1]), "got True"),
    ((ItemSet(np.eye(3)), 3), np.array([0, 0, 2]), "output 0 .* 0 to 2, each of which occurs"),
    ((ItemSet(np.eye(3)), 2), [0, 0, 1], "3 integer labels .* got .0, 0"),
    ((np.eye(3), 2), np.array([0, 0, 1]), "must be a pair .* got .array"),
    ((ItemSet(np.eye(3)), 2), np.array(["a", "a", "b"]), "integer labels"),
    ((ItemSet(np.eye(3)), 2), np.array([0, 1]), "3 integer labels"),
    ((ItemSet(np.eye(3)), 2), np.eye(3), r"matrix of shape \(3, 2\)"),
    ((ItemSet(np.eye(3)), 2), np.eye(3)[:, :2] * [1, 0], "orthonormal"),
)


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
    with peak_below(20e6):
        assert trace_loss(y, np.roll(y, 1)) == pytest.approx(50)
