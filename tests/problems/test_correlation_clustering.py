"""Correlation clustering: formulas, oracles against all partitions, training, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import rand_score
from sklearn.model_selection import GridSearchCV, LeaveOneOut

from structsvm import NSlackCuttingPlane, StructuredSVM
from structsvm.problems import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    GreedyOracle,
    ItemSet,
    IterativeOracle,
    RelaxedOracle,
)
from structsvm.problems.set_clustering.correlation_clustering.oracles.greedy import (
    inside,
    local_optimum,
    merged,
)
from structsvm.problems.set_clustering.correlation_clustering.problem import togetherness
from structsvm.problems.set_clustering.partitions import partitions

seeds = st.integers(0, 100_000)


def symmetric(rng, m):
    A = rng.normal(size=(m, m))
    return A + A.T


def items_with_pairs(rng, m):
    array = rng.normal(size=(m, m, 2))
    return ItemSet(rng.normal(size=(m, 2)), array + array.transpose(1, 0, 2))


def labels(rng, m):
    return rng.integers(rng.integers(1, m + 1), size=m)


def fractional(rng, m):
    Z = rng.random((m, m))
    Z = (Z + Z.T) / 2
    np.fill_diagonal(Z, 1)
    return Z


def near(points):
    """A constant and the distance of every pair."""
    distance = np.abs(np.subtract.outer(points, points))
    return ItemSet(pairs=np.dstack([np.ones(distance.shape), distance]))


def groups(seed, n=5, m=15):
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        k = int(rng.integers(2, 6))
        centres = np.cumsum(rng.uniform(3, 5, size=k))
        labels = np.r_[np.arange(k), rng.integers(k, size=m - k)]
        X.append(near(centres[labels] + 0.3 * rng.normal(size=m)))
        y.append(labels)
    return X, y


# ---------------------------------------------------------------------- formulas


@given(seeds, st.integers(2, 7))
def test_the_formulas(seed, m):
    rng = np.random.default_rng(seed)
    x, w = items_with_pairs(rng, m), rng.normal(size=4)
    problem = CorrelationClusteringProblem(scale=1.3)
    i, j = np.triu_indices(m, 1)
    psi, K = x.pair_vectors(i, j), x.similarity(w)[i, j] / 1.3
    for y in (labels(rng, m), fractional(rng, m)):
        Z = togetherness(y)[i, j]
        Psi = problem.joint_feature(x, y)
        np.testing.assert_allclose(Psi, Z @ psi / len(i) / 1.3, atol=1e-10)
        assert np.isclose(w @ Psi, Z @ K / len(i))
        truth = labels(rng, m)
        assert np.isclose(
            problem.loss(truth, y), 100 * np.abs(togetherness(truth)[i, j] - Z).mean()
        )
        augmented = problem._augmented(x, truth, w)[i, j]
        value = problem.loss(truth, y) + w @ Psi
        constant = 100 * togetherness(truth)[i, j].mean()
        assert np.isclose(value, constant + Z @ augmented / len(i))
        np.testing.assert_allclose(
            problem.joint_feature_difference(x, truth, y),
            problem.joint_feature(x, truth) - Psi,
            atol=1e-10,
        )


@given(seeds, st.integers(2, 8))
def test_the_loss_is_the_rand_index(seed, m):
    rng = np.random.default_rng(seed)
    y, z = labels(rng, m), labels(rng, m)
    loss = CorrelationClusteringProblem().loss
    assert np.isclose(loss(y, z), 100 * (1 - rand_score(y, z)))
    assert np.isclose(loss(y, z), loss(z, y))
    assert loss(y, y) == 0


@given(seeds, st.integers(3, 6))
@settings(max_examples=15)
def test_what_chance_lacks(seed, m):
    rng = np.random.default_rng(seed)
    x, y = items_with_pairs(rng, m), labels(rng, m)
    problem = CorrelationClusteringProblem()
    sizes = sorted(np.bincount(np.unique(y, return_inverse=True)[1]))
    relabelled = [z for z in partitions(m) if sorted(np.bincount(z)) == sizes]
    mean = np.mean([problem.joint_feature(x, z) for z in relabelled], axis=0)
    lack = problem.joint_feature(x, y) - mean
    np.testing.assert_allclose(problem.lack_of_chance(x, y), lack, atol=1e-10)


def test_many_clusters_of_many_sparse_items():
    """The indicator stays sparse: a dense one would make 3000 x 20000 numbers of every sum."""
    import tracemalloc

    rng = np.random.default_rng(0)
    columns = rng.integers(20_000, size=30_000)
    S = sparse.csr_matrix((np.ones(30_000), columns, np.arange(0, 30_001, 10)), (3000, 20_000))
    x, problem = ItemSet(S), CorrelationClusteringProblem()
    tracemalloc.start()
    problem.joint_feature_difference(x, np.arange(3000), rng.integers(50, size=3000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e7


# ---------------------------------------------------------------------- oracles


@given(seeds, st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_oracles_against_all_partitions(seed, m):
    rng = np.random.default_rng(seed)
    K = symmetric(rng, m)
    best = max(inside(K, y) for y in partitions(m))
    Z = RelaxedOracle().cluster(K)
    i, j = np.triu_indices(m, 1)
    assert K[i, j] @ Z[i, j] >= best - 1e-6
    assert np.allclose(Z, Z.T)
    assert Z.min() >= 0
    assert Z.max() == 1
    triangles = Z[:, :, None] + Z[None] - Z[:, None, :]
    assert triangles.max() <= 1 + 1e-6
    assert inside(K, GreedyOracle().cluster(K)) <= best + 1e-9
    assert np.isclose(inside(K, GreedyOracle(50).cluster(K)), best)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_greedy_ends_where_neither_merging_nor_moving_helps(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 25))
    K = symmetric(rng, m)
    grown = merged(K)
    for a in range(grown.max() + 1):
        for b in range(a):
            assert K[np.ix_(grown == a, grown == b)].sum() <= 1e-9
    y = local_optimum(K, grown)
    assert inside(K, y) >= inside(K, grown) - 1e-9
    for i in range(m):
        for c in range(y.max() + 2):
            z = y.copy()
            z[i] = c
            assert inside(K, z) <= inside(K, y) + 1e-9


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_greedy_merges_the_best_pair_each_time(seed):
    rng = np.random.default_rng(seed)
    K = symmetric(rng, int(rng.integers(1, 15)))
    clusters = [[i] for i in range(len(K))]
    while len(clusters) > 1:
        gains = {
            (a, b): K[np.ix_(clusters[a], clusters[b])].sum()
            for a in range(len(clusters))
            for b in range(a)
        }
        a, b = max(gains, key=gains.get)
        if gains[a, b] <= 0:
            break
        clusters[b] += clusters.pop(a)
    found = merged(K)
    assert sorted(sorted(c) for c in clusters) == sorted(
        np.flatnonzero(found == c).tolist() for c in set(found.tolist())
    )


def test_greedy_ignores_the_diagonal_and_keeps_its_starts():
    rng = np.random.default_rng(0)
    K, start = symmetric(rng, 12), rng.integers(4, size=12)
    kept = start.copy()
    found = GreedyOracle().cluster(K, [start])
    np.testing.assert_array_equal(GreedyOracle().cluster(K + 9 * np.eye(12), [start]), found)
    for _ in range(30):
        K, oracle = symmetric(rng, 40), GreedyOracle(n_init=1)
        found = oracle.cluster(K)
        np.testing.assert_array_equal(oracle.cluster(K + 9 * np.eye(40)), found)
    np.testing.assert_array_equal(start, kept)
    assert GreedyOracle().cluster(-np.ones((4, 4))).tolist() == [0, 1, 2, 3]
    assert GreedyOracle().cluster(np.ones((4, 4))).tolist() == [0, 0, 0, 0]


def test_relaxed_where_partitions_are_not_optimal():
    """Three pairs that attract in a ring of repulsion: halves beat every partition."""
    K = -10 * np.ones((4, 4))
    K[3, :3] = K[:3, 3] = 1
    i, j = np.triu_indices(4, 1)
    assert K[i, j] @ RelaxedOracle().cluster(K)[i, j] == pytest.approx(1.5)
    assert inside(K, GreedyOracle(20).cluster(K)) == pytest.approx(1)


# ---------------------------------------------------------------------- training


@pytest.mark.parametrize("oracle", ["greedy", "relaxed"])
def test_the_bounds_of_each_oracle(oracle):
    class Exact(CorrelationClusteringProblem):
        oracle_quality = "exact"

        def separation_oracle(self, x, y, w):
            K = self._augmented(x, y, w)
            return max(partitions(len(x)), key=lambda z: inside(K, z))

    X, Y = groups(0, n=3, m=6)
    exact = NSlackCuttingPlane(rtol=1e-6).solve(Exact(), X, Y, C=3000.0)
    assert exact.w.any()
    result = NSlackCuttingPlane(rtol=1e-4).solve(
        CorrelationClusteringProblem(oracle), X, Y, C=3000.0
    )
    if oracle == "greedy":
        assert result.dual <= exact.primal * (1 + 1e-6)
    else:
        assert result.primal >= exact.dual * (1 - 1e-6)
    assert result.verify(CorrelationClusteringProblem(oracle), X, Y).matches


@pytest.mark.parametrize("oracle", ["greedy", "relaxed"])
def test_the_number_of_clusters_is_found(oracle):
    X, y = groups(0, n=8, m=12)
    model = CorrelationClustering(oracle, C=1000.0).fit(X[:5], y[:5])
    assert model.score(X[5:], y[5:]) > 0.97
    assert model.coef_[0] > 0 > model.coef_[1]
    assert (model.missed_slack_ == 0) or oracle == "greedy"
    found = model.predict(X[5:])
    assert [len(set(f.tolist())) for f in found] == [len(set(c.tolist())) for c in y[5:]]


def test_scikit_learns_manners():
    X, y = groups(0)
    search = GridSearchCV(CorrelationClustering(), {"C": [1.0, 1000.0]}, cv=LeaveOneOut())
    assert search.fit(X, y).best_params_ == {"C": 1000.0}
    model = clone(search.best_estimator_).set_params(predictor=RelaxedOracle()).fit(X, y)
    assert model.predict(X)[0].shape == (15, 15)
    assert model.score(X, y) > 0.95
    assert model.verify(X, y).matches
    assert model.similarity(X[0]).shape == (15, 15)


def test_one_cluster_is_a_partition():
    X, _ = groups(0, n=2)
    y = [np.zeros(15, dtype=int), np.arange(15)]
    CorrelationClustering().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"oracle": "iterative"}, "oracle must be one of 'greedy', 'relaxed'"),
        ({"predictor": KMeans()}, "predictor must be one of"),
        ({"oracle": GreedyOracle}, "oracle must be one of"),
        ({"scale": -1.0}, "scale must be"),
        ({"C": 0.0}, "C must be"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        CorrelationClustering(**parameters).fit(*groups(0))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.eye(3), np.zeros(3, int), "input 0 must be an ItemSet"),
        (ItemSet(np.eye(3)), np.zeros(2, int), "3 integer labels"),
        (ItemSet(np.eye(3)), np.zeros(3), "3 integer labels"),
        (ItemSet(np.eye(3)), np.array([0, 1, -1]), "labels >= 0"),
        (ItemSet(np.eye(3)), np.zeros((3, 3)), "ones on its diagonal"),
        (ItemSet(np.eye(3)), np.eye(3) + np.eye(3, k=1), "symmetric"),
        (ItemSet(np.eye(3)), np.full((3, 3), 2.0) - np.eye(3), "from 0 to 1"),
    ],
)
def test_bad_problem_data(x, y, message):
    with pytest.raises(ValueError, match=message):
        StructuredSVM(CorrelationClusteringProblem()).fit([x], [y])


def test_bad_sets():
    X, y = groups(0)
    with pytest.raises(ValueError, match=r"y\[0\] lacks the label of item 0"):
        CorrelationClustering().fit(X, [np.r_[np.nan, y[0][1:]], *y[1:]])
    model = CorrelationClustering().fit(X, y)
    with pytest.raises(ValueError, match="expecting 0 and 2 features"):
        model.predict([np.eye(3)])


def test_an_oracle_that_returns_no_clustering_is_named():
    class Own:
        quality = "undergenerating"

        def cluster(self, K, starts):
            return ["a"] * len(K)

    X, y = groups(0)
    with pytest.raises(ValueError, match=r"Own\.cluster must return an array of 15 integer labels"):
        CorrelationClustering(Own()).fit(X, y)
    model = CorrelationClustering(predictor=Own()).fit(X, y)
    with pytest.raises(ValueError, match=r"Own\.cluster must return an array of 15 integer labels"):
        model.predict(X)


def test_where_chance_lacks_nothing_but_rounding_the_scale_is_one():
    rng = np.random.default_rng(0)
    X = [ItemSet(rng.normal(size=(15, 11))) for _ in range(3)]
    problem = CorrelationClusteringProblem()
    assert np.any(problem.lack_of_chance(X[0], np.arange(15)) != 0)
    model = CorrelationClustering().fit(X, [np.arange(15)] * 3)
    assert model.scale_ == 1.0
    assert model.result_.status.name == "CONVERGED"


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (IterativeOracle(), r"cluster\(K, starts\); that of IterativeOracle takes \(K"),
        (GreedyOracle(n_init=-1), "n_init must be an integer >= 0; got -1"),
        (GreedyOracle(random_state="x"), "random_state must be an integer >= 0; got 'x'"),
    ],
)
def test_bad_oracles(oracle, message):
    X, y = groups(0, n=2)
    with pytest.raises(ValueError, match=message):
        CorrelationClustering(oracle).fit(X, y)


@pytest.mark.parametrize("oracle", [GreedyOracle(), RelaxedOracle()])
def test_oracles_refuse_what_is_no_similarity(oracle):
    rng = np.random.default_rng(0)
    for K in (np.full((5, 5), np.nan), np.full((5, 5), np.inf), rng.normal(size=(5, 5))):
        with pytest.raises(ValueError, match=r"K must be (finite|symmetric)"):
            oracle.cluster(K)


@pytest.mark.parametrize("factor", [1e-200, 1e-12, 1e12])
def test_the_unit_of_the_similarity_does_not_matter(factor):
    K = symmetric(np.random.default_rng(0), 12)
    for oracle in (GreedyOracle(), RelaxedOracle()):
        np.testing.assert_allclose(oracle.cluster(factor * K), oracle.cluster(K), atol=1e-6)


def test_labels_of_an_own_oracle_are_numbered_anew():
    class Far:
        quality = "undergenerating"

        def cluster(self, K, starts=()):
            return GreedyOracle().cluster(K, starts) * 10**9 + 5

    X, y = groups(0, n=4)
    found = CorrelationClustering(Far(), Far(), C=1000.0).fit(X, y).predict(X)
    assert all(labels.max() + 1 == len(set(labels.tolist())) for labels in found)
