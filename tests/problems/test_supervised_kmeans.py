"""Supervised k-means: identities of its formulas, oracles against brute force, manners."""

import enum
import pickle
import warnings

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, StructuredSVM
from structsvm.problems import (
    DiscreteOracle,
    GreedyOracle,
    ItemSet,
    IterativeOracle,
    SpectralOracle,
    SupervisedKMeans,
    SupervisedKMeansProblem,
)
from structsvm.problems.set_clustering.partitions import codes_of, in_order, partitions
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix, trace_loss
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import (
    local_optimum,
    random_labels,
)

STIRLING = {(5, 2): 15, (6, 3): 90, (7, 3): 301, (8, 4): 1701}
seeds = st.integers(0, 100_000)


def symmetric(rng, m):
    A = rng.normal(size=(m, m))
    return A + A.T


def clustering(rng, m, k):
    return random_labels(m, k, rng)


def orthonormal(rng, m, k):
    return np.linalg.qr(rng.normal(size=(m, k)))[0]


def items_with_pairs(rng, m, n_nodes=2, n_pairs=2):
    array = rng.normal(size=(m, m, n_pairs))
    return ItemSet(rng.normal(size=(m, n_nodes)), array + array.transpose(1, 0, 2))


def drawn(seed, n=4, m=24, k=3, noise=4, spread=1.0):
    """Sets whose first k features tell the cluster and whose others are noise."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        labels = rng.permutation(m) % k
        X.append(np.hstack([np.eye(k)[labels], spread * rng.normal(size=(m, noise))]))
        y.append(labels)
    return X, y


# ---------------------------------------------------------------------- formulas


@given(seeds, st.integers(2, 8))
def test_joint_feature_is_equation_13_and_the_trace(seed, m):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, m + 1))
    items, y = items_with_pairs(rng, m), clustering(rng, m, k)
    problem, w = SupervisedKMeansProblem(), rng.normal(size=4)
    every = [(i, j) for i in range(m) for j in range(m)]
    psi = items.pair_vectors(*zip(*every, strict=True)).reshape(m, m, 4)
    by_clusters = sum(
        psi[np.ix_(c, c)].sum(axis=(0, 1)) / len(c)
        for c in (np.flatnonzero(y == label) for label in range(k))
    )
    Psi = problem.joint_feature((items, k), y)
    np.testing.assert_allclose(Psi, by_clusters, atol=1e-10)
    Y, K = clustering_matrix(y), items.similarity(w)
    assert np.isclose(w @ Psi, np.trace(Y.T @ K @ Y))
    # equation 15 sums over j < i: half of it without the terms i = j
    below = np.einsum("ij,ijn->n", np.tril(Y @ Y.T, -1), psi)
    diagonal = np.einsum("ii,iin->n", Y @ Y.T, psi)
    np.testing.assert_allclose(Psi, 2 * below + diagonal, atol=1e-10)


@given(seeds, st.integers(2, 8))
def test_the_augmented_similarity(seed, m):
    """Delta + <w, Psi> = 100 + tr(Y' K' Y), for discrete and relaxed outputs and truths."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, m + 1))
    x, problem = (items_with_pairs(rng, m), k), SupervisedKMeansProblem(scale=1.7)
    w = rng.normal(size=4)
    for truth in (clustering(rng, m, k), orthonormal(rng, m, k)):
        augmented = problem._augmented(x, truth, w)
        for y in (clustering(rng, m, k), orthonormal(rng, m, k)):
            Y = clustering_matrix(y)
            value = problem.loss(truth, y) + w @ problem.joint_feature(x, y)
            assert np.isclose(value, 100 + np.trace(Y.T @ augmented @ Y))
            difference = problem.joint_feature(x, truth) - problem.joint_feature(x, y)
            np.testing.assert_allclose(
                problem.joint_feature_difference(x, truth, y), difference, atol=1e-10
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


@given(seeds, st.integers(3, 8))
@settings(max_examples=20)
def test_what_chance_lacks(seed, m):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, m))
    items, y = items_with_pairs(rng, m), clustering(rng, m, k)
    problem = SupervisedKMeansProblem()
    mean = np.zeros(4)
    relabelled = [z for z in partitions(m, k) if sorted(np.bincount(z)) == sorted(np.bincount(y))]
    for z in relabelled:
        mean += problem.joint_feature((items, k), z) / len(relabelled)
    np.testing.assert_allclose(
        problem.lack_of_chance((items, k), y),
        problem.joint_feature((items, k), y) - mean,
        atol=1e-9,
    )


def test_partitions_are_all_and_each_once():
    for (m, k), number in STIRLING.items():
        listed = [tuple(y) for y in partitions(m, k)]
        assert len(listed) == len(set(listed)) == number
        assert all(set(y) == set(range(k)) for y in listed)
    assert sum(1 for _ in partitions(6)) == 203


def test_in_order():
    assert in_order(np.array([7, 7, 2, 9, 2])).tolist() == [0, 0, 1, 2, 1]


# ---------------------------------------------------------------------- oracles


def best_partition(K, k):
    def value(y):
        Y = clustering_matrix(y)
        return np.trace(Y.T @ K @ Y)

    best = max(partitions(len(K), k), key=value)
    return best, value(best)


def value_of(K, y):
    Y = clustering_matrix(y)
    return float(np.trace(Y.T @ K @ Y))


@given(seeds, st.integers(3, 8))
@settings(max_examples=60, deadline=None)
def test_oracles_against_all_partitions(seed, m):
    """On indefinite matrices: Spectral above the best, Iterative at it with enough starts."""
    rng = np.random.default_rng(seed)
    k, K = int(rng.integers(2, min(m, 4) + 1)), symmetric(rng, m)
    _, best = best_partition(K, k)
    relaxed = SpectralOracle().cluster(K, k)
    np.testing.assert_allclose(relaxed.T @ relaxed, np.eye(k), atol=1e-10)
    assert value_of(K, relaxed) >= best - 1e-9
    assert np.isclose(value_of(K, relaxed), np.linalg.eigvalsh(K)[-k:].sum())
    for oracle in (IterativeOracle(60), DiscreteOracle()):
        y = oracle.cluster(K, k)
        assert sorted(set(y.tolist())) == list(range(k))
        assert value_of(K, y) <= best + 1e-9
    found = value_of(K, IterativeOracle(60).cluster(K, k))
    assert np.isclose(found, best, atol=1e-9)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_iterative_ends_where_no_move_helps(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(5, 40)), int(rng.integers(2, 5))
    K = symmetric(rng, m)
    start = random_labels(m, k, rng)
    y, objective = local_optimum(K, start, k)
    assert np.isclose(objective, value_of(K, y))
    assert objective >= value_of(K, start) - 1e-9
    for i in range(m):
        for c in range(k):
            z = y.copy()
            z[i] = c
            if len(set(z.tolist())) == k:
                assert value_of(K, z) <= objective + 1e-6


def test_starts_are_used_and_not_changed():
    K, y = np.zeros((6, 6)), np.array([0, 1, 0, 1, 0, 1])
    K[np.ix_(y == 0, y == 0)] = K[np.ix_(y == 1, y == 1)] = 1
    kept = y.copy()
    assert value_of(K, IterativeOracle(n_init=0).cluster(K, 2, [y])) == pytest.approx(6)
    np.testing.assert_array_equal(y, kept)
    with pytest.raises(ValueError, match="without a start"):
        IterativeOracle(n_init=0).cluster(K, 2)
    again = [
        IterativeOracle(1).cluster(symmetric(rng, 30), 4).tolist()
        for rng in map(np.random.default_rng, (5, 5))
    ]
    assert again[0] == again[1]


@pytest.mark.parametrize("m", [40, 300])
def test_spectral_at_matrices_without_a_gap(m):
    Y = clustering_matrix(np.arange(m) % 3)
    for K in (np.zeros((m, m)), np.eye(m), np.ones((m, m)), -30 * Y @ Y.T):
        found = SpectralOracle().cluster(K, 3)
        np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-8)
        assert np.isclose(value_of(K, found), np.linalg.eigvalsh(K)[-3:].sum(), atol=1e-7)


def test_spectral_by_lanczos_agrees_with_the_direct_one():
    rng = np.random.default_rng(0)
    K = symmetric(rng, 400)
    exact = np.linalg.eigvalsh(K)[-4:].sum()
    assert value_of(K, SpectralOracle().cluster(K, 4)) == pytest.approx(exact, rel=1e-9)


@given(seeds, st.integers(2, 12), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_spectral_finds_eigenvectors_of_one_eigenvalue(seed, k, rank):
    """Few node features make a similarity of low rank, and zero an eigenvalue of many vectors."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(160, 320))
    nodes, truth = rng.normal(size=(m, rank)), clustering_matrix(rng.permutation(m) % k)
    K = (nodes * rng.normal(size=rank)) @ nodes.T - 1000 / k * truth @ truth.T
    K = (K + K.T) / 2
    best = np.linalg.eigvalsh(K)
    found = value_of(K, SpectralOracle().cluster(K, k))
    assert found == pytest.approx(best[-k:].sum(), abs=1e-6 * np.abs(best).max())


# ---------------------------------------------------------------------- training


@pytest.mark.parametrize("oracle", ["iterative", "spectral", "discrete"])
@pytest.mark.parametrize("solver", [OneSlackCuttingPlane(), NSlackCuttingPlane()])
def test_the_bounds_of_each_oracle(oracle, solver):
    """Against the optimum over all partitions of small sets."""

    class Exact(SupervisedKMeansProblem):
        oracle_quality = "exact"

        def separation_oracle(self, x, y, w):
            return best_partition(self._augmented(x, y, w), x[1])[0]

    rng = np.random.default_rng(1)
    X, Y = [], []
    for m, k in ((6, 2), (7, 3), (5, 2)):
        y = clustering(rng, m, k)
        X.append((ItemSet(np.hstack([np.eye(3)[y], rng.normal(size=(m, 3))])), k))
        Y.append(y)
    exact = NSlackCuttingPlane(rtol=1e-6).solve(Exact(), X, Y, C=300.0)
    assert exact.w.any()
    result = solver.solve(SupervisedKMeansProblem(oracle), X, Y, C=300.0)
    if result.guarantee.lower_bound:
        assert result.dual <= exact.primal * (1 + 1e-6)
    if result.guarantee.upper_bound:
        assert result.primal >= exact.dual * (1 - 1e-6)
    assert result.guarantee.upper_bound == (oracle == "spectral")
    assert result.verify(SupervisedKMeansProblem(oracle), X, Y).matches
    assert result.verify(Exact(), X, Y).primal >= exact.dual * (1 - 1e-6)


def test_nonnegative_weights_keep_products_of_features_kernels():
    X, y = drawn(0, spread=2.0)
    free = SupervisedKMeans(C=1000.0).fit(X, y)
    held = SupervisedKMeans(C=1000.0, nonnegative=True).fit(X, y)
    assert free.coef_.min() < 0 <= held.coef_.min()
    assert np.linalg.eigvalsh(held.similarity(X[0])).min() > -1e-9
    assert held.result_.primal >= free.result_.dual
    assert held.verify(X, y).matches


def test_k_may_differ_from_set_to_set():
    X, y = drawn(0, n=2, k=2, m=20)
    more = drawn(1, n=2, k=3, m=21, noise=3)
    model = SupervisedKMeans().fit(X + more[0], y + more[1])
    assert model.n_clusters_ is None
    found = model.predict([X[0], more[0][0]], n_clusters=[2, 3])
    assert [len(set(labels.tolist())) for labels in found] == [2, 3]
    assert model.score([X[0], more[0][0]], [y[0], more[1][0]]) > 0.9
    with pytest.raises(ValueError, match="different numbers of clusters; say how many"):
        model.predict(X)
    with pytest.raises(ValueError, match="one for each of 2 sets; got 3"):
        model.predict(X, n_clusters=[2, 2, 2])


@pytest.mark.parametrize("oracle", ["iterative", "spectral", "discrete"])
def test_noise_is_learned_away(oracle):
    X, y = drawn(0, n=6, spread=1.5)
    untrained = [IterativeOracle().cluster(x @ x.T, 3) for x in X]
    assert np.mean([trace_loss(a, b) for a, b in zip(y, untrained, strict=True)]) > 40
    model = SupervisedKMeans(oracle, predictor="iterative").fit(X[:4], y[:4])
    assert model.score(X[4:], y[4:]) > 0.95
    assert model.result_.status.name == "CONVERGED"


def test_the_scale_makes_C_free_of_units():
    X, y = drawn(0)
    one = SupervisedKMeans("spectral", C=30.0).fit(X, y)
    other = SupervisedKMeans("spectral", C=30.0).fit([100 * x for x in X], y)
    np.testing.assert_allclose(other.coef_ * 1e4, one.coef_, rtol=1e-4, atol=1e-6)
    raw = SupervisedKMeans("spectral", C=30.0 / one.scale_**2, scale=1.0).fit(X, y)
    np.testing.assert_allclose(raw.coef_, one.coef_, rtol=0.05, atol=0.02 * np.abs(one.coef_).max())
    assert SupervisedKMeans(scale=2.0).fit(X, y).scale_ == 2.0


def test_what_the_scale_makes_of_the_numbers_of_items_and_clusters():
    """The objective at a small C, relative to that of w = 0 with loss 100."""
    found = {}
    for k, m in ((3, 24), (3, 240), (12, 240)):
        model = SupervisedKMeans("spectral", C=3.0).fit(*drawn(0, n=3, m=m, k=k))
        found[k, m] = model.result_.primal / 3.0
    assert found[3, 24] == pytest.approx(found[3, 240], rel=0.02)
    assert found[12, 240] > found[3, 240]


def test_missed_slack_says_how_undergenerating_the_training_was():
    class Lazy:
        """Knows of one wrong partition for every set."""

        quality = "undergenerating"

        def cluster(self, K, n_clusters, starts=()):
            return np.roll(starts[0], 1)

    X, y = drawn(0, n=5, m=60, spread=2.0, noise=10)
    lazy = SupervisedKMeans(Lazy(), C=1000.0).fit(X, y)
    thorough = SupervisedKMeans(IterativeOracle(20), C=1000.0).fit(X, y)
    assert lazy.missed_slack_ > 1 > 10 * thorough.missed_slack_
    assert SupervisedKMeans("spectral").fit(X, y).missed_slack_ == 0


def test_warm_start_and_limits():
    X, y = drawn(0, spread=2.0)
    model = SupervisedKMeans("spectral", warm_start=True).fit(X, y)
    passes = model.n_iter_
    assert model.fit(X, y).n_iter_ < passes
    assert model.fit([10 * x for x in X], y).n_iter_ > 0
    with pytest.warns(ConvergenceWarning, match="MAX_ITER"):
        SupervisedKMeans(solver=NSlackCuttingPlane(max_iter=2)).fit(X, y)


def test_an_oracle_of_ones_own():
    class Halves:
        quality = "undergenerating"

        def cluster(self, K, n_clusters, starts=()):
            return np.arange(len(K)) * n_clusters // len(K)

    X, y = drawn(0)
    model = SupervisedKMeans(Halves(), predictor="iterative").fit(X, y)
    assert model.result_.oracle_calls > 0
    assert model.missed_slack_ > 1


# ---------------------------------------------------------------------- predictors


@pytest.mark.parametrize(
    "predictor",
    [
        "iterative",
        "discrete",
        IterativeOracle(2),
        AgglomerativeClustering(metric="precomputed", linkage="average"),
        SpectralClustering(affinity="precomputed", random_state=0),
    ],
)
def test_predictors_give_labels(predictor):
    X, y = drawn(0, n=5)
    model = SupervisedKMeans(predictor=predictor).fit(X[:4], y[:4])
    (labels,) = model.predict(X[4:])
    assert sorted(set(labels.tolist())) == [0, 1, 2]
    assert model.score(X[4:], y[4:]) > 0.95


def test_a_spectral_predictor_gives_matrices():
    X, y = drawn(0, n=5)
    model = SupervisedKMeans("spectral").fit(X[:4], y[:4])
    (Y,) = model.predict(X[4:])
    np.testing.assert_allclose(Y.T @ Y, np.eye(3), atol=1e-9)
    assert model.score(X[4:], y[4:]) > 0.9


def test_unusable_predictors():
    X, y = drawn(0)
    with pytest.raises(ValueError, match="affinity='precomputed' or metric='precomputed'"):
        SupervisedKMeans(predictor=KMeans()).fit(X, y)

    class TooFew(AgglomerativeClustering):
        def fit_predict(self, X, y=None):
            return np.zeros(len(X), dtype=int)

    model = SupervisedKMeans(predictor=TooFew(metric="precomputed", linkage="average")).fit(X, y)
    with pytest.raises(ValueError, match="found 1 clusters where 3 are wanted"):
        model.predict(X)


# ---------------------------------------------------------------------- scikit-learn's manners


def test_leave_one_out_selection_of_C_and_predictor():
    X, y = drawn(0, n=4)
    grid = {"C": [10.0, 100.0], "predictor": [None, "discrete", SpectralOracle()]}
    search = GridSearchCV(SupervisedKMeans(), grid, cv=LeaveOneOut()).fit(X, y)
    assert search.best_score_ > 0.9
    assert len(search.cv_results_["params"]) == 6
    assert search.predict(X)[0].shape in {(24,), (24, 3)}
    assert cross_val_score(SupervisedKMeans(), X, y, cv=2).shape == (2,)
    both = {name: _with(name) for name in ("iterative", "discrete")}
    search = GridSearchCV(SupervisedKMeans(), {"C": [10.0]}, scoring=both, refit=False, cv=2)
    search.fit(X, y)
    assert {"mean_test_iterative", "mean_test_discrete"} <= search.cv_results_.keys()


def _with(predictor):
    def score(model, X, y):
        return model.set_params(predictor=predictor).score(X, y)

    return score


def test_clone_pickle_and_verify():
    X, y = drawn(0)
    model = SupervisedKMeans(IterativeOracle(2), C=10.0).fit(X, y)
    assert clone(model).get_params()["oracle__n_init"] == 2
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X)[0], model.predict(X)[0])
    assert model.verify(X, y).matches
    assert not model.verify(X, [np.roll(labels, 1) for labels in y]).matches
    np.testing.assert_allclose(
        clone(model).fit(X, y).coef_, model.coef_, err_msg="training is deterministic"
    )


@pytest.mark.parametrize(
    "convert", [np.asarray, sparse.csr_matrix, sparse.csc_array, pandas.DataFrame, ItemSet]
)
def test_kinds_of_items(convert):
    X, y = drawn(0)
    expected = SupervisedKMeans("spectral", "iterative").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SupervisedKMeans("spectral", "iterative").fit([convert(x) for x in X], y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6)
    np.testing.assert_array_equal(model.predict([convert(X[0])])[0], expected.predict(X)[0])


@pytest.mark.parametrize(
    "names", [["a", "b", "c"], [10, 20, 30], [0.5, 1.5, 2.5], [None.__class__, str, int]]
)
def test_kinds_of_labels(names):
    X, y = drawn(0)
    named = [[names[c] for c in labels] for labels in y]
    if isinstance(names[0], type):
        named = [[kind.__name__ for kind in labels] for labels in named]
    solver = NSlackCuttingPlane(rtol=1e-7)  # with a small gap w is the same on any processor
    expected = SupervisedKMeans(solver=solver).fit(X, y)
    found = SupervisedKMeans(solver=solver).fit(X, named)
    np.testing.assert_allclose(np.sort(found.coef_), np.sort(expected.coef_), rtol=1e-3, atol=1e-4)
    assert found.score(X, named) == expected.score(X, y)


def test_the_order_of_items_and_sets_does_not_matter():
    X, y = drawn(0, spread=0.5)
    rng = np.random.default_rng(3)
    orders = [rng.permutation(len(labels)) for labels in y]
    shuffled = [x[o] for x, o in zip(X, orders, strict=True)]
    labels = [c[o] for c, o in zip(y, orders, strict=True)]
    one = SupervisedKMeans("spectral", solver=OneSlackCuttingPlane(rtol=1e-6)).fit(X, y)
    other = clone(one).fit(shuffled[::-1], labels[::-1])
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-2, atol=1e-3)


# ---------------------------------------------------------------------- bad input


def spoiled(change):
    X, y = drawn(0, n=2)
    y = [labels.astype(object) for labels in y]
    change(X, y)
    return X, y


def cut(X, y):
    y[1] = y[1][:-1]


def miss(X, y):
    y[1][3] = None


def nan(X, y):
    y[1] = y[1].astype(float)
    y[1][3] = np.nan


def not_available(X, y):
    y[1][3] = pandas.NA


def mixed(X, y):
    y[1][3] = "a"


def names(X, y):
    y[1] = dict(enumerate(y[1]))


def text(X, y):
    y[1] = "ab" * 12


def number(X, y):
    y[1] = 0


def unknown(X, y):
    y[1] = y[1].astype(int)
    y[1][3] = -1


def one_cluster(X, y):
    y[0][:] = 1


def narrower(X, y):
    X[1] = X[1][:, 1:]


def pairs(X, y):
    X[1] = ItemSet(X[1][:, 1:], np.ones((24, 24, 1)))


def single(X, y):
    X[1], y[1] = X[1][:1], y[1][:1]


def infinite(X, y):
    X[1][2, 2] = np.inf


def flat(X, y):
    X[1] = X[1][0]


def alone(X, y):
    y[:] = [np.arange(24), np.arange(24)]


def fewer(X, y):
    del y[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, r"y\[1\] must hold a label for each of 24 items; got an array of shape \(23,\)"),
        (miss, r"y\[1\] lacks the label of item 3"),
        (nan, r"y\[1\] lacks the label of item 3"),
        (not_available, r"y\[1\] lacks the label of item 3"),
        (mixed, r"labels of y\[1\] must be of one kind"),
        (names, r"y\[1\] must be a list or array of labels .* got \{0: "),
        (text, r"y\[1\] must be a list or array of labels .* got 'abab"),
        (number, r"y\[1\] must be a list or array of labels .* got 0"),
        (unknown, r"y\[1\] has the label -1 for item 3"),
        (one_cluster, "number of clusters of set 0 must be an integer from 2 .* got 1"),
        (narrower, "item set 1 has 6 node and 0 pair features; expecting 7 and 0"),
        (pairs, "item set 1 has 6 node and 1 pair features; expecting 7 and 0"),
        (single, r"X\[1\]: an ItemSet needs at least 2 items"),
        (infinite, r"X\[1\]: nodes contain NaN or infinity, first in row 2"),
        (flat, r"X\[1\] must be an ItemSet, or a matrix"),
        (alone, "every set has as many clusters as items"),
        (fewer, "a partition for each of 2 item sets; got 1"),
    ],
)
def test_bad_sets(change, message):
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans().fit(*spoiled(change))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"oracle": "kmeans"}, "oracle must be one of 'iterative', 'spectral', 'discrete'"),
        ({"oracle": IterativeOracle}, "oracle must be one of"),
        ({"oracle": KMeans()}, "oracle must be one of"),
        ({"predictor": 3}, "predictor must be one of .* clusterer of scikit-learn; got 3"),
        ({"oracle": GreedyOracle()}, r"cluster\(K, n_clusters, starts\); that of GreedyOracle"),
        ({"C": 0}, "C must be"),
        ({"nonnegative": "no"}, "nonnegative must be True or False; got 'no'"),
        ({"scale": 0.0}, "scale must be a finite number > 0"),
        ({"scale": "large"}, "scale must be"),
        ({"solver": "fast"}, "solver must be 'auto'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans(**parameters).fit(*drawn(0))


def test_bad_predictions():
    X, y = drawn(0)
    with pytest.raises(NotFittedError):
        SupervisedKMeans().predict(X)
    model = SupervisedKMeans().fit(X, y)
    with pytest.raises(ValueError, match="from 2 to its 24 items; got 25"):
        model.predict(X, n_clusters=25)
    with pytest.raises(ValueError, match=r"got 2\.5"):
        model.predict(X, n_clusters=2.5)
    with pytest.raises(ValueError, match=r"item set 0 has 6 node .* expecting 7 and 0"):
        model.predict([X[0][:, 1:]])
    with pytest.raises(ValueError, match="sequence of item sets"):
        model.predict(ItemSet(X[0]))
    with pytest.raises(ValueError, match="holds no item set"):
        model.predict([])
    with pytest.raises(ValueError, match="a partition for each"):
        model.score(X, y[:1])
    with pytest.raises(ValueError, match=r"a partition for each .* got None"):
        SupervisedKMeans().fit(X, None)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (ItemSet(np.eye(3)), np.array([0, 0, 1]), "input 0 must be a pair"),
        ((ItemSet(np.eye(3)), 4), np.array([0, 0, 1]), "from 2 to its 3 items; got 4"),
        ((ItemSet(np.eye(3)), True), np.array([0, 0, 1]), "got True"),
        ((ItemSet(np.eye(3)), 2), np.array([0, 0, 2]), "must be 0 to 1; they range from 0 to 2"),
        ((ItemSet(np.eye(3)), 3), np.array([0, 0, 2]), "cluster 1 of output 0 is empty"),
        ((ItemSet(np.eye(3)), 2), np.array([0, 0, 0]), "is empty: .* only 1 labels occur"),
        ((ItemSet(np.eye(3)), 2), [0, 0, 1], "must be an array of labels, or a matrix; got .0, 0"),
        ((np.eye(3), 2), np.array([0, 0, 1]), "must be a pair .* got .array"),
        ((ItemSet(np.eye(3)), 2), np.array(["a", "a", "b"]), "integer labels"),
        ((ItemSet(np.eye(3)), 2), np.array([0, 1]), "3 integer labels"),
        ((ItemSet(np.eye(3)), 2), np.eye(3), r"shape \(3, 2\); got \(3, 3\)"),
        ((ItemSet(np.eye(3)), 2), np.eye(3)[:, :2] * [1, 0], "cluster 1 .* column is zero"),
        ((ItemSet(np.eye(3)), 2), np.ones((3, 2)), "orthonormal"),
    ],
)
def test_bad_problem_data(x, y, message):
    with pytest.raises(ValueError, match=message):
        StructuredSVM(SupervisedKMeansProblem()).fit([x], [y])


def test_a_relaxed_truth_can_be_learned():
    X, y = drawn(0, n=3)
    inputs = [(ItemSet(x), 3) for x in X]
    svm = StructuredSVM(SupervisedKMeansProblem("spectral"), C=1.0)
    by_labels = svm.fit(inputs, y).result_.primal
    by_matrices = clone(svm).fit(inputs, [clustering_matrix(labels) for labels in y])
    assert by_matrices.result_.primal == pytest.approx(by_labels, rel=1e-2)


class Kind(enum.Enum):
    A = 1
    B = 2


def test_labels_without_an_order_and_the_number_of_clusters():
    assert codes_of([Kind.B, Kind.A, Kind.B], 3).tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="labels of y must be of one kind"):
        codes_of([{"a": 1}, {"b": 2}], 2)
    X, y = drawn(0)
    tuples = [[("doc", int(c), 3 * int(c)) for c in labels] for labels in y]
    assert SupervisedKMeans().fit(X, tuples).n_clusters_ == 3
    assert SupervisedKMeans().fit(X, (labels for labels in y)).n_clusters_ == 3


def test_series_of_other_items_are_refused():
    X, y = drawn(0)
    names = [f"item {i}" for i in range(24)]
    frames = [pandas.DataFrame(x, index=names) for x in X]
    series = [pandas.Series(labels, index=names) for labels in y]
    SupervisedKMeans().fit(frames, series)
    SupervisedKMeans().fit(X, series)
    SupervisedKMeans().fit(frames, [pandas.Series(labels) for labels in y])
    series[2] = series[2].rename({"item 3": "somebody"})
    with pytest.raises(ValueError, match=r"y\[2\] has a label for 'somebody'"):
        SupervisedKMeans().fit(frames, series)


def test_codes_of():
    assert codes_of(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert codes_of([True, False], 2).tolist() == [1, 0]


# ---------------------------------------------------------------------- oracles of one's own


class Own:
    """Returns what it is told to."""

    quality = "undergenerating"

    def __init__(self, answer):
        self.answer = answer

    def cluster(self, K, n_clusters, starts):
        return self.answer(np.arange(len(K)) % n_clusters)


WRONG = {
    "None": lambda y: None,
    "too few labels": lambda y: y[1:],
    "a list": lambda y: y.tolist(),
    "floats": lambda y: y.astype(float),
    "strings": lambda y: y.astype(str),
    "an empty cluster": lambda y: np.minimum(y, 1),
    "a cluster too many": lambda y: y + 1,
    "negative": lambda y: y - 1,
    "one-hot": lambda y: np.eye(3)[y],
    "NaN": lambda y: np.full((len(y), 3), np.nan),
}


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG)
def test_an_oracle_that_returns_no_clustering_is_named(answer):
    X, y = drawn(0)
    with pytest.raises(ValueError, match=r"Own\.cluster must return an array of 24 integer labels"):
        SupervisedKMeans(Own(answer)).fit(X, y)
    model = SupervisedKMeans(predictor=Own(answer)).fit(X, y)
    with pytest.raises(ValueError, match=r"Own\.cluster must return an array of 24 integer labels"):
        model.predict(X)


def test_an_oracle_may_write_to_its_starts_and_return_one_array_again():
    class Careless:
        quality = "undergenerating"
        answer = np.zeros(24, dtype=np.uint64)

        def cluster(self, K, n_clusters, starts=()):
            self.answer[:] = IterativeOracle().cluster(K, n_clusters, starts)
            for start in starts:
                start[:] = 0
            return self.answer

    X, y = drawn(0)
    kept = [labels.copy() for labels in y]
    careless = SupervisedKMeans(Careless()).fit(X, y)
    np.testing.assert_array_equal(y, kept)
    expected = SupervisedKMeans(solver=careless._solver(careless._problem(1.0), 4)).fit(X, y)
    assert careless.score(X, y) == expected.score(X, y)
    assert careless.predict(X)[0] is not careless.predict(X)[1]


@pytest.mark.parametrize("oracle", [IterativeOracle(), SpectralOracle(), DiscreteOracle()])
@pytest.mark.parametrize(
    ("K", "k", "message"),
    [
        (np.full((4, 4), np.nan), 2, "K must be finite"),
        (np.triu(np.ones((4, 4))), 2, "K must be symmetric"),
        (np.ones((4, 3)), 2, r"shape \(m, m\).* got ndarray of shape \(4, 3\)"),
        ([[1.0, 0.0], [0.0, 1.0]], 2, r"shape \(m, m\).* got list"),
        (np.ones((0, 0)), 2, r"shape \(m, m\).* of shape \(0, 0\)"),
        (np.eye(4), 5, "at most the 4 items of K; got 5"),
        (np.eye(4), 0, "n_clusters must be an integer >= 1; got 0"),
    ],
)
def test_oracles_say_what_is_wrong_with_a_similarity(oracle, K, k, message):
    with pytest.raises(ValueError, match=message):
        oracle.cluster(K, k)


def test_a_similarity_may_be_an_adjacency_matrix():
    blocks = np.kron(np.eye(2, dtype=bool), np.ones((3, 3), dtype=bool))
    for oracle in (IterativeOracle(), DiscreteOracle()):
        assert oracle.cluster(blocks, 2).tolist() == [0, 0, 0, 1, 1, 1]


def test_a_start_must_use_all_clusters():
    with pytest.raises(ValueError, match="each of the labels 0 to 2"):
        IterativeOracle().cluster(np.eye(4), 3, [np.array([0, 0, 1, 1])])


def test_features_that_overflow_are_said():
    X, y = drawn(0)
    model = SupervisedKMeans().fit(X, y)
    message = r"K must be finite.* features are too large"
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        model.predict([X[0] * 1e160])


def test_the_documented_signature_is_enough():
    X, y = drawn(0)
    model = SupervisedKMeans(Own(lambda labels: labels)).fit(X, y)
    assert model.predict(X)[0].tolist() == [0, 1, 2] * 8


def test_an_oracle_that_falsely_says_it_is_exact_is_measured():
    oracle = Own(lambda labels: labels)
    oracle.quality = "exact"
    X, y = drawn(0)
    assert SupervisedKMeans(oracle).fit(X, y).missed_slack_ > 1


def test_noise_is_no_cluster():
    class Noisy(AgglomerativeClustering):
        def fit_predict(self, X, y=None):
            return super().fit_predict(X) - 1

    X, y = drawn(0)
    predictor = Noisy(metric="precomputed", linkage="average")
    model = SupervisedKMeans(predictor=predictor).fit(X, y)
    with pytest.raises(ValueError, match="items without a cluster, as noise"):
        model.predict(X)


def test_verification_with_a_stronger_oracle():
    X, y = drawn(0)
    model = SupervisedKMeans(Own(lambda labels: labels), predictor="iterative").fit(X, y)
    assert model.verify(X, y).primal == pytest.approx(model.result_.primal)
    assert model.verify(X, y, oracle=IterativeOracle(10)).primal > 1.1 * model.result_.primal
    assert isinstance(model.oracle, Own)


# ---------------------------------------------------------------------- names and state


def test_columns_in_another_order():
    X, y = drawn(0)
    frames = [pandas.DataFrame(x, columns=list("abcdefg")) for x in X]
    model = SupervisedKMeans().fit(frames, y)
    assert model.score(frames, y) == model.score(X, y) > 0.9
    with pytest.raises(
        ValueError, match="node feature 0 of item set 0 is named 'g'; expecting 'a'"
    ):
        model.predict([frame[list("gfedcba")] for frame in frames])
    frames[2] = frames[2][list("abcdegf")]
    with pytest.raises(ValueError, match="node feature 5 of item set 2 is named 'g'"):
        SupervisedKMeans().fit(frames, y)


def test_labels_in_another_order_than_the_items():
    X, y = drawn(0)
    frames = [pandas.DataFrame(x) for x in X]
    series = [pandas.Series(labels) for labels in y]
    assert SupervisedKMeans().fit(frames, series).score(frames, y) > 0.9
    series[1] = series[1].sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match=r"y\[1\] has the items of its set in another order"):
        SupervisedKMeans().fit(frames, series)


def test_a_failed_fit_leaves_everything_as_it_was():
    X, y = drawn(0)
    model = SupervisedKMeans(C=0.0)
    with pytest.raises(ValueError, match="C must be"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.set_params(C=100.0).fit(X, y)
    scale, coef = model.scale_, model.coef_
    with pytest.raises(ValueError, match="C must be"):
        model.set_params(C=-1.0).fit([10 * x for x in X], y)
    assert model.scale_ == scale
    assert model.coef_ is coef


def test_labels_of_odd_kinds():
    X, y = drawn(0)
    expected = SupervisedKMeans("spectral").fit(X, y).coef_
    tuples = [[("page", int(c)) for c in labels] for labels in y]
    np.testing.assert_allclose(SupervisedKMeans("spectral").fit(X, tuples).coef_, expected)
    categories = [pandas.Series(labels).astype("category") for labels in y]
    np.testing.assert_allclose(SupervisedKMeans("spectral").fit(X, categories).coef_, expected)
    mixed = [["1" if c == 0 else int(c) for c in labels] for labels in y]
    with pytest.raises(ValueError, match=r"labels of y\[0\] must be of one kind"):
        SupervisedKMeans().fit(X, mixed)


def test_a_large_common_offset_is_not_rounded_away():
    X, y = drawn(0)
    shifted = SupervisedKMeans().fit([x + 1e4 for x in X], y)
    assert shifted.score([x + 1e4 for x in X], y) > 0.9
    rng = np.random.default_rng(0)
    K = symmetric(rng, 40)
    start, oracle = [np.arange(40) % 3], IterativeOracle(n_init=0)
    assert (oracle.cluster(K + 1e9, 3, start) == oracle.cluster(K, 3, start)).all()


@pytest.mark.parametrize("factor", [1e-200, 1e-12, 1e12, 1e200])
def test_the_unit_of_the_similarity_does_not_matter(factor):
    X, _ = drawn(0, spread=0.5)
    K = X[0] @ X[0].T
    for oracle in (IterativeOracle(), DiscreteOracle()):
        assert trace_loss(oracle.cluster(factor * K, 3), oracle.cluster(K, 3)) < 1e-9


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.eye(4), r"such as \[items\]; got a single ndarray"),
        (pandas.DataFrame(np.eye(4)), "got a single DataFrame"),
        (sparse.csr_matrix(np.eye(4)), "got a single csr_matrix"),
        ("items", "got a single str"),
        (7, "got a single int"),
    ],
)
def test_one_set_that_is_not_in_a_list(X, message):
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans().fit(X, [[0, 0, 1, 1]])


@pytest.mark.parametrize("parameters", [{"n_init": -1}, {"n_init": 2.5}, {"random_state": None}])
def test_bad_parameters_of_iterative(parameters):
    with pytest.raises(ValueError, match="must be an integer >= 0"):
        IterativeOracle(**parameters).cluster(np.eye(4), 2)


def test_sets_may_be_nested_lists_and_generators():
    X, y = drawn(0)
    model = SupervisedKMeans().fit((x.tolist() for x in X), (labels.tolist() for labels in y))
    np.testing.assert_allclose(model.coef_, SupervisedKMeans().fit(X, y).coef_)
