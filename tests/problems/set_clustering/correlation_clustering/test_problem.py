"""Correlation clustering: formulas, and the bounds that its oracles give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peak_memory import peak_below
from refusals import refused
from scipy import sparse
from set_data import groups, items_with_pairs, labels
from sklearn.metrics import rand_score

from structsvm import StructuredSVM
from structsvm.problems import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    GreedyOracle,
    ItemSet,
)
from structsvm.problems.set_clustering.correlation_clustering.problem import togetherness

seeds = st.integers(0, 100_000)


def fractional(rng, m):
    Z = rng.random((m, m))
    Z = (Z + Z.T) / 2
    np.fill_diagonal(Z, 1)
    return Z


@given(seeds, st.integers(2, 7))
@settings(max_examples=30, deadline=None)
def test_the_formulas(seed, m):
    rng = np.random.default_rng(seed)
    x, w = items_with_pairs(rng, m), rng.normal(size=4)
    problem = CorrelationClusteringProblem(scale=1.3)
    i, j = np.triu_indices(m, 1)
    psi = x.pair_vectors(i, j)
    for y in (labels(rng, m), fractional(rng, m)):
        Z = togetherness(y)[i, j]
        Psi = problem.joint_feature(x, y)
        np.testing.assert_allclose(Psi, Z @ psi / len(i) / 1.3, atol=1e-10)
        truth = labels(rng, m)
        assert np.isclose(
            problem.loss(truth, y), 100 * np.abs(togetherness(truth)[i, j] - Z).mean()
        )
        augmented = problem.augmented(x, truth, w)[i, j]
        value = problem.loss(truth, y) + w @ Psi
        constant = 100 * togetherness(truth)[i, j].mean()
        assert np.isclose(value, constant + Z @ augmented / len(i))


@given(seeds, st.integers(2, 8))
@settings(max_examples=30, deadline=None)
def test_the_loss_is_the_rand_index(seed, m):
    rng = np.random.default_rng(seed)
    y, z = labels(rng, m), labels(rng, m)
    loss = CorrelationClusteringProblem().loss
    assert np.isclose(loss(y, z), 100 * (1 - rand_score(y, z)))
    assert np.isclose(loss(y, z), loss(z, y))


def test_many_clusters_of_many_sparse_items():
    """The indicator stays sparse: a dense one would make 3000 x 20000 numbers of every sum."""
    rng = np.random.default_rng(0)
    columns = rng.integers(20_000, size=30_000)
    S = sparse.csr_matrix((np.ones(30_000), columns, np.arange(0, 30_001, 10)), (3000, 20_000))
    x, problem = ItemSet(S), CorrelationClusteringProblem()
    with peak_below(5e7):
        problem.joint_feature_difference(x, np.arange(3000), rng.integers(50, size=3000))


test_bad_problem_data = refused(
    lambda x, y: StructuredSVM(CorrelationClusteringProblem()).fit([x], [y]),
    (np.eye(3), np.zeros(3, int), "input 0 must be an ItemSet"),
    (ItemSet(np.eye(3)), np.zeros(2, int), "3 integer labels"),
    (ItemSet(np.eye(3)), np.zeros(3), "3 integer labels"),
    (ItemSet(np.eye(3)), np.array([0, 1, -1]), "labels >= 0"),
    (ItemSet(np.eye(3)), np.zeros((3, 3)), "ones on its diagonal"),
    (ItemSet(np.eye(3)), np.eye(3) + np.eye(3, k=1), "symmetric"),
    (ItemSet(np.eye(3)), np.full((3, 3), 2.0) - np.eye(3), "from 0 to 1"),
)


class Own:
    """An oracle of a user, which returns what the given function makes of K."""

    quality = "undergenerating"

    def __init__(self, answer):
        self.answer = answer

    def cluster(self, K, starts=()):
        return self.answer(K)


def test_labels_of_an_own_oracle_are_checked_and_numbered_anew():
    X, y = groups(0, n=4)
    far = Own(lambda K: GreedyOracle().cluster(K) * 10**9 + 5)
    found = CorrelationClustering(far, predictor=far, C=1000.0).fit(X, y).predict(X)
    assert all(labels.max() + 1 == len(set(labels.tolist())) for labels in found)
    wrong, message = Own(lambda K: ["a"] * len(K)), r"Own\.cluster must return an array of 15 int"
    with pytest.raises(ValueError, match=message):
        CorrelationClustering(wrong).fit(X, y)
    with pytest.raises(ValueError, match=message):
        CorrelationClustering(predictor=wrong).fit(X, y).predict(X)
