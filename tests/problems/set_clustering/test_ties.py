"""The last bits of a similarity decide nothing, in comparisons, in oracles, and in a whole fit."""

import numpy as np
import pytest
from set_data import symmetric

from structsvm.problems import (
    CorrelationClustering,
    DiscreteOracle,
    GreedyOracle,
    IterativeOracle,
    RelaxedOracle,
    SpectralOracle,
    SupervisedKMeans,
)
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix
from structsvm.problems.set_clustering.ties import decreasing, first_best, first_largest, margin_of


def test_comparisons_take_the_first_of_what_is_nearly_equal():
    values = np.array([0.1, 0.3, 0.1 + 0.2, 0.2])
    assert values.argmax() == 2  # 0.1 + 0.2 is above 0.3 by rounding
    assert first_largest(values, 1e-12) == 1
    assert first_largest(np.column_stack([values, values[::-1]]), 1e-12).tolist() == [1, 1]
    assert decreasing(values, 1e-12).tolist() == [1, 2, 3, 0]
    assert first_best(values, float, 1e-12) == 0.3
    assert first_best([], float, 1e-12) is None
    assert first_largest(np.array([-np.inf, -np.inf]), 1.0) == 0


def test_the_margin_has_the_unit_of_the_similarity_and_knows_of_offsets():
    K = np.array([[1.0, -3.0], [-3.0, 2.0]])
    assert margin_of(1e50 * K) == pytest.approx(1e50 * margin_of(K))
    assert margin_of(K, 1e9) > np.spacing(1e9) > margin_of(K)
    assert margin_of(np.zeros((2, 2))) == 0


def features(kind, rng):
    """Rows and weights, which make many equal similarities, or eigenvalues, or neither."""
    m = int(rng.integers(8, 50))
    if kind == "distinct":
        return rng.normal(size=(m, 6)), np.ones(6)
    if kind == "few values":
        return rng.integers(-2, 3, size=(m, 4)) * 0.1, np.array([1.0, -0.3, 0.7, 1.1])
    if kind == "copies":
        return rng.normal(size=(m // 3, 6))[rng.integers(m // 3, size=m)], np.ones(6)
    if kind == "two features":
        return rng.normal(size=(m, 2)), np.ones(2)
    if kind == "offset":
        return np.hstack([rng.normal(size=(m, 3)), np.full((m, 1), 1e3)]), np.ones(4)
    y = rng.permutation(m) % 4
    truth = clustering_matrix(y)
    return truth, np.full(4, -25.0)  # K' at w = 0: the largest eigenvalue is 0, of m - 4 vectors


KINDS = ["distinct", "few values", "copies", "two features", "offset", "w = 0"]


def similarities(kind, rng):
    """K, and K as other machines may compute it: other bits, another order of summation."""
    rows, weights = features(kind, rng)
    K = (rows * weights) @ rows.T
    order = rng.permutation(len(weights))
    terms = [weight * np.outer(row, row) for weight, row in zip(weights, rows.T, strict=True)]
    yield (K + K.T) / 2
    yield K * (1 + 1e-15)
    yield K * (1 - 4e-16)
    yield sum(terms[i] for i in order)


def together(y):
    return (y[:, None] == y).astype(float) if y.ndim == 1 else y @ y.T


SEARCHES = {
    "iterative": lambda K: IterativeOracle().cluster(K, 4),
    "discrete": lambda K: DiscreteOracle().cluster(K, 4),
    "spectral": lambda K: SpectralOracle().cluster(K, 4),
    "greedy": lambda K: GreedyOracle(n_init=3).cluster(K),
    "relaxed": lambda K: RelaxedOracle().cluster(K),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", ["iterative", "discrete", "spectral", "greedy"])
def test_searches_do_not_depend_on_the_last_bits(search, kind):
    for seed in range(5):
        drawn = similarities(kind, np.random.default_rng(seed))
        first, *others = map(SEARCHES[search], drawn)
        for other in others:
            assert other.ndim == 2 or np.array_equal(other, first)
            np.testing.assert_allclose(together(other), together(first), atol=1e-6)


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_the_unit_of_the_similarity_does_not_matter(search):
    K = symmetric(np.random.default_rng(0), 12)
    for factor in (1e-200, 1e-12, 1e12):
        found, expected = (together(search(A)) for A in (factor * K, K))
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_lanczos_steps_and_the_direct_way_choose_the_same_vectors():
    """Of 200 items of three features: the fourth largest eigenvalue is 0, of 197 vectors."""
    rows = np.random.default_rng(0).normal(size=(200, 3))
    K = rows @ rows.T
    found = [together(SpectralOracle().cluster(A, 4)) for A in (K, K * (1 + 1e-15))]
    np.testing.assert_allclose(*found, atol=1e-6)


def sets(columns=slice(None)):
    rng = np.random.default_rng(0)
    X = [rng.integers(0, 2, size=(30, 12)) * 0.1 for _ in range(4)]
    return [x[:, columns] for x in X], [(x[:, :2] > 0) @ [1, 2] for x in X]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "model",
    [
        SupervisedKMeans(),
        SupervisedKMeans("discrete"),
        SupervisedKMeans("spectral"),
        CorrelationClustering(C=1000.0),
    ],
    ids=["iterative", "discrete", "spectral", "correlation"],
)
def test_a_fit_does_not_depend_on_the_order_of_the_features(model):
    X, y = sets()
    first = model.fit(X[:3], y[:3]).predict(X)
    X, _ = sets(np.random.default_rng(1).permutation(12))
    for one, other in zip(first, model.fit(X[:3], y[:3]).predict(X), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("scale", [0.0, 1e-320])
def test_without_a_margin_the_order_is_that_of_the_values(scale):
    K = np.full((4, 4), scale)
    assert decreasing(K[0], margin_of(K)).tolist() == [0, 1, 2, 3]
