"""CPM3C as a clusterer."""

import os
import tracemalloc
from itertools import pairwise, product

import numpy as np
import pytest
from clustering_data import hinge
from scipy import sparse
from scipy.optimize import linear_sum_assignment, minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.datasets import FOLDER_VARIABLE, load_file
from structsvm.problems import CPM3C, MMC


def blobs(k=3, each=30, apart=8.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), each)
    angles = 2 * np.pi * truth / k
    centres = apart / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    return centres + rng.normal(size=centres.shape), truth


def agreement(labels, truth):
    """Share of rows on which they agree under the best naming of the clusters."""
    k = max(labels.max(), truth.max()) + 1
    table = np.zeros((k, k))
    np.add.at(table, (labels, truth), 1)
    return table[linear_sum_assignment(-table)].sum() / len(truth)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_blobs(k):
    X, truth = blobs(k, apart=8.0 if k < 5 else 14.0)
    cpm3c = CPM3C(k, n_init=3, random_state=0).fit(X)
    assert agreement(cpm3c.labels_, truth) == 1
    new, classes = blobs(k, apart=8.0 if k < 5 else 14.0, seed=1)
    assert agreement(cpm3c.predict(new), classes) > 0.99
    assert cpm3c.decision_function(new).shape == (len(new), k)
    np.testing.assert_array_equal(cpm3c.predict(new), cpm3c.decision_function(new).argmax(axis=1))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("chosen", "kernel", "least"),
    [((3, 8), "linear", 0.96), ((1, 7), "linear", 1.0), ((0, 6, 8, 9), "diffusion", 0.94)],
)
def test_digits(chosen, kernel, least):
    X, y = load_digits(return_X_y=True)
    rows = np.isin(y, chosen)
    truth = np.searchsorted(chosen, y[rows])
    cpm3c = CPM3C(len(chosen), kernel=kernel, random_state=0).fit(X[rows])
    assert agreement(cpm3c.labels_, truth) >= least


@pytest.mark.sampled(2)
@pytest.mark.parametrize("balance", [0.0, 0.3])
def test_binary_agrees_with_mmc(balance):
    X, _ = blobs(2, apart=3.0)
    settings = {"balance": balance, "random_state": 0, "rtol": 1e-5}
    cpm3c = CPM3C(2, C=10.0, **settings).fit(X)
    mmc = MMC(C=20.0, **settings).fit(X)
    assert agreement(cpm3c.labels_, mmc.labels_) == 1
    assert 2 * cpm3c.objective_ == pytest.approx(mmc.objective_, rel=1e-4)
    scores = cpm3c.decision_function(X)
    margins = scores[:, 1] - scores[:, 0]
    np.testing.assert_allclose(np.abs(margins), np.abs(mmc.decision_function(X)), atol=0.05)


@pytest.mark.parametrize(
    ("search", "convert"), [("evolutionary", np.asarray), ("cccp", sparse.csr_matrix)]
)
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("balance", [0.0, 0.1])
def test_the_objective_is_the_one_documented(balance, center, search, convert):
    dense = np.insert(blobs(apart=4.0)[0], 2, np.linspace(2, 3, 90), axis=1)
    X = convert(dense)
    settings = {"balance": balance, "center": center, "search": search, "kernel": "linear"}
    cpm3c = CPM3C(3, C=5.0, n_init=2, random_state=0, **settings).fit(X)
    scores, w = cpm3c.decision_function(X), cpm3c.result_.w
    expected = 0.5 * w @ w + 5.0 * hinge(scores, cpm3c.labels_).mean()
    assert cpm3c.objective_ == pytest.approx(expected, rel=1e-9)
    means = scores.mean(axis=0)
    assert np.ptp(means) <= balance + 1e-6
    np.testing.assert_allclose(scores, X @ cpm3c.coef_.T + cpm3c.intercept_, atol=1e-9)
    np.testing.assert_array_equal(cpm3c.labels_, cpm3c.predict(X))
    assert cpm3c.verify(X).matches
    if not center:
        assert not cpm3c.intercept_.any()
        size = np.sqrt(np.square(dense).sum(axis=1).mean())
        assert cpm3c.problem_.rows_.scale == pytest.approx(size)


@pytest.mark.slow
@pytest.mark.parametrize(("center", "balance"), [(True, 0.0), (False, 0.05)])
def test_the_best_of_all_labellings_of_a_small_set_is_found(center, balance):
    X, _ = blobs(each=2, apart=3.0, seed=2)
    X = np.insert(X, 2, [3, 4, 3, 4, 3, 4], axis=1)
    settings = {"center": center, "balance": balance, "kernel": "linear"}
    cpm3c = CPM3C(3, C=5.0, n_init=20, rtol=1e-5, random_state=0, **settings).fit(X)
    x = (X - center * X.mean(axis=0)) / cpm3c.problem_.rows_.scale
    n, mean = len(x), x.mean(axis=0)

    def convex(y):
        """min 1/2|w|^2 + C mean of hinges, as a smooth program in w and the slacks."""

        def margins(z):
            scores = x @ z[:9].reshape(3, 3).T
            own = scores[np.arange(n), y][:, None]
            return (own - scores + z[9:, None] - 1)[np.arange(3) != y[:, None]]

        def balances(z):
            scores = z[:9].reshape(3, 3) @ mean
            return balance - np.subtract.outer(scores, scores).ravel()

        value = minimize(
            lambda z: 0.5 * z[:9] @ z[:9] + 5.0 * z[9:].mean(),
            np.r_[np.random.default_rng(0).normal(size=9), np.full(n, 9.0)],
            bounds=[(None, None)] * 9 + [(0, None)] * n,
            constraints=[{"type": "ineq", "fun": fun} for fun in (margins, balances)[: 2 - center]],
            method="SLSQP",
            options={"maxiter": 500},
        )
        return value.fun if value.success else np.inf

    labellings = {
        tuple(np.unique(y, return_index=True)[1][np.unique(y, return_inverse=True)[1]]): y
        for y in product(range(3), repeat=n)
        if len(set(y)) == 3
    }
    best = min(convex(np.array(y)) for y in labellings.values())
    assert cpm3c.objective_ == pytest.approx(best, rel=1e-3)


@pytest.mark.slow
def test_no_cluster_is_smaller_than_asked():
    X, _ = blobs(each=40)
    for share in (0.1, 0.3):
        cpm3c = CPM3C(3, C=0.1, min_cluster_size=share, random_state=0).fit(X)
        assert np.bincount(cpm3c.labels_, minlength=3).min() >= int(share * len(X))


def test_rows_that_only_the_size_bound_holds_are_warned_of():
    X, _ = blobs(2, each=40)
    with pytest.warns(
        ConvergenceWarning,
        match=r"cluster.* as small as min_cluster_size=0.3.* rows that score higher",
    ):
        CPM3C(3, min_cluster_size=0.3, n_init=3, random_state=0).fit(X)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sparse_rows_stay_sparse():
    rng = np.random.default_rng(0)
    n, d, k = 3000, 100_000, 3
    topics = np.repeat(np.arange(k), n // k)
    of_topic = rng.integers(0, 40, (n, 5)) + 40 * topics[:, None]
    columns = np.hstack([of_topic, rng.integers(200, d, (n, 5))]).ravel()
    X = sparse.csr_matrix((np.ones(10 * n), (np.repeat(np.arange(n), 10), columns)), (n, d))
    tracemalloc.start()
    cpm3c = CPM3C(k, n_init=1, balance=0.1, max_iter=10, random_state=0).fit(X)
    cpm3c.predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * d * 8 / 4
    assert agreement(cpm3c.labels_, topics) > 0.95


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_many_clusters_in_a_plane_need_a_kernel():
    X, truth = make_blobs(200, centers=4, random_state=1)
    plain, by_kernel = (
        adjusted_rand_score(CPM3C(4, kernel=kernel, n_init=3, random_state=0).fit(X).labels_, truth)
        for kernel in ("linear", "rbf")
    )
    by_means = adjusted_rand_score(KMeans(4, n_init=10, random_state=0).fit(X).labels_, truth)
    assert plain < by_means - 0.1
    assert by_kernel > by_means - 0.05


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_cluster_between_others_needs_an_offset():
    """And a larger bound on it is never worse."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(x, 0.5, (60, 2)) for x in (-4, 0, 4)])
    fits = [
        CPM3C(3, C=20.0, balance=b, kernel="linear", n_init=3, random_state=0).fit(X)
        for b in (0.0, 0.5, 2.0, 5.0)
    ]
    objectives = [fit.objective_ for fit in fits]
    assert all(b <= a * (1 + 2e-3) for a, b in pairwise(objectives))
    assert agreement(fits[0].labels_, np.repeat([0, 1, 2], 60)) < 0.9
    assert agreement(fits[2].labels_, np.repeat([0, 1, 2], 60)) == 1


def test_many_rows_are_searched_in_part_and_solved_in_full():
    X, truth = blobs(3, each=2000)
    cpm3c = CPM3C(3, n_init=2, random_state=0).fit(X)
    assert agreement(cpm3c.labels_, truth) > 0.99
    assert len(cpm3c.labels_) == 6000
    assert cpm3c.verify(X).matches


@pytest.mark.sampled(2)
@pytest.mark.skipif(FOLDER_VARIABLE not in os.environ, reason=f"no {FOLDER_VARIABLE}")
@pytest.mark.parametrize(
    ("name", "classes", "scale", "least"),
    [("letter", (0, 1), 15, 0.944), ("satimage", (1, 2), 255, 0.98)],
)
def test_sets_of_the_paper(name, classes, scale, least):
    data = load_file(name)
    rows = np.isin(data["y"], classes)
    labels = CPM3C(2, kernel="linear", random_state=0).fit_predict(data["X"][rows] / scale)
    assert agreement(labels, np.searchsorted(classes, data["y"][rows])) >= least
