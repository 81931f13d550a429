"""SDPMMC with more than two clusters, an offset, kernels by features, and the low-rank solver."""

import re
import warnings

import numpy as np
import pytest
from clustering_data import agreement
from scipy import sparse
from sdp_data import circles, codes_within, margin, program_of, some_features, unlinked
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

import structsvm
from structsvm import Status
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc import candidates, rounding
from structsvm.problems.margin_clustering.sdp_mmc import features as training_kernel
from structsvm.problems.margin_clustering.sdp_mmc.features import exact_features
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex

#: Few rows, of which the sizes of the clusters or the kernel say little.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def blobs(n=60, k=3, seed=0):
    return make_blobs(n, centers=4 * simplex(k), random_state=seed)


@pytest.mark.parametrize("k", [3, 4])
def test_several_clusters_are_found(k):
    X, y = blobs(60, k)
    sdp = SDPMMC(n_clusters=k, random_state=0).fit(X)
    assert adjusted_rand_score(y, sdp.labels_) == 1
    assert sdp.labels_[0] == 0  # named in the order of their first rows
    assert 0 <= sdp.label_gap_ < 0.1 * sdp.label_objective_
    np.testing.assert_array_equal(sdp.predict(X), sdp.labels_)
    assert sdp.decision_function(X).shape == (60, k)
    assert sdp.verify(X).matches


def test_the_objective_is_that_of_codes():
    X, _ = blobs(30)
    sdp = SDPMMC(n_clusters=3, gamma=0.1, C=2.0, random_state=0).fit(X)
    codes, K = simplex(3)[sdp.labels_], rbf_kernel(X, gamma=0.1)
    assert sdp.label_objective_ == pytest.approx(margin(K, 2.0, codes @ codes.T), rel=1e-3)
    scores = (K @ sdp.dual_coef_) @ simplex(3).T
    np.testing.assert_allclose(sdp.decision_function(X), scores)


@pytest.mark.parametrize("seed", range(3))
def test_rounding_finds_the_best_labels_of_few_rows(seed):
    X, _ = make_blobs(6, centers=3, random_state=seed)
    sdp = SDPMMC(n_clusters=3, gamma=0.1, balance=0.0, random_state=0).fit(X)
    program = program_of(sdp, X)
    values = [margin(rbf_kernel(X, gamma=0.1), 100.0, M) for _, M in codes_within(program)]
    assert sdp.label_objective_ == pytest.approx(min(values), rel=2e-3)
    assert sdp.lower_bound_ <= min(values)


def test_half_of_the_moves_lower_the_objective_where_all_raise_it(monkeypatch):
    X, _ = make_blobs(150, centers=3, cluster_std=3.0, random_state=1)
    features = exact_features(rbf_kernel(X, gamma=0.05))
    program = LowRankProgram(features, 100.0, 0.1, unlinked(150), 3)
    few, all_or_none = [], []
    for reached, halvings in ((few, rounding.HALVINGS), (all_or_none, 1)):
        monkeypatch.setattr(rounding, "HALVINGS", halvings)
        for seed in range(5):
            labels = np.random.default_rng(seed).permutation(np.arange(150) % 3)
            start = rounding.compared(program, labels, np.inf)
            values = [one.value for one in rounding.improvements(program, start)]
            assert np.all(np.diff([start.value, *values]) < 0)
            reached.append(min(values, default=start.value))
    assert np.mean(few) < 0.5 * np.mean(all_or_none)


def test_labels_that_are_nearly_as_good_are_compared_exactly():
    X, y = make_blobs(30, centers=2, random_state=0)
    features = exact_features(rbf_kernel(X, gamma=0.1))
    program = LowRankProgram(features, 100.0, 0.1, unlinked(30), 2)
    others, nothing = np.arange(30) % 2, np.zeros(30)
    found = [rounding.Labelling(others, 1.0, nothing), rounding.Labelling(y, 1.005, nothing)]
    best = rounding._least(program, found)
    np.testing.assert_array_equal(best.labels, y)
    assert best.value == pytest.approx(program.label_margin(y).value)


def test_candidates_of_copies_of_few_rows():
    X = np.repeat(np.arange(5.0)[:, None], 8, axis=0)
    sdp = SDPMMC(n_clusters=6, n_components=10, random_state=0).fit(X)  # BayesianMMC refuses
    assert len(np.unique(sdp.labels_)) == 6


def test_k_means_of_rows_is_a_candidate_where_graphs_have_no_scale():
    X = np.repeat(np.arange(3.0)[:, None], 40, axis=0)
    _, by_k_means = candidates.by_rows(X, 3, np.random.default_rng(0))
    assert adjusted_rand_score(X[:, 0], by_k_means.argmax(axis=1)) == 1


def test_sizes_keep_to_the_balance():
    X, _ = make_blobs([40, 15, 5], random_state=0)
    for balance in (0.0, 0.3):
        sdp = SDPMMC(n_clusters=3, balance=balance, random_state=0).fit(X)
        deviations = np.bincount(sdp.labels_) / 20 - 1
        assert np.sqrt(np.mean(deviations**2)) <= balance + 1e-9


def test_must_links_of_several_clusters():
    X, _ = blobs(45)
    pairs = [(i, i + 1) for i in range(0, 10, 2)]
    sdp = SDPMMC(n_clusters=3, balance=0.3, random_state=0).fit(X, must_link=pairs)
    assert all(sdp.labels_[i] == sdp.labels_[j] for i, j in pairs)
    assert sdp.verify(X).matches


def links_of_groups(sizes):
    starts = np.cumsum([0, *sizes[:-1]])
    return [
        (start, start + i)
        for start, size in zip(starts, sizes, strict=True)
        for i in range(1, size)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_groups_that_fit_in_one_way_alone(seed):
    X = np.random.default_rng(seed).normal(size=(18, 2))
    links = links_of_groups([3, 3, 2, 2, 2, 3, 3])
    sdp = SDPMMC(n_clusters=3, balance=0, random_state=0).fit(X, must_link=links)
    assert np.bincount(sdp.labels_).tolist() == [6, 6, 6]
    assert all(sdp.labels_[i] == sdp.labels_[j] for i, j in links)


def test_exchanges_go_on_where_moves_end():
    groups = linked(18, np.full(18, -1), links_of_groups([3, 3, 2, 2, 2, 3, 3]), None)
    features, _ = some_features(np.random.default_rng(0), 18)
    program = LowRankProgram(features, 10.0, 0.0, groups, 3)
    scores = (np.random.default_rng(seed).normal(size=(7, 3)) for seed in range(20))
    balanced = [rounding.balanced(program, one) for one in scores]
    sizes = [np.bincount(y, program.sizes).tolist() for y in balanced if y is not None]
    assert sizes == [[6, 6, 6]] * len(sizes)
    assert len(sizes) >= 5


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_cluster_is_empty_at_the_largest_balance(k):
    X = np.random.default_rng(0).normal(size=(20, 2))
    X[10:] += 9
    most = np.nextafter(1 / np.sqrt(k - 1), 0)
    sdp = SDPMMC(n_clusters=k, balance=most, solver="low_rank", random_state=0).fit(X)
    assert len(np.unique(sdp.labels_)) == k
    assert sdp.predict(X).shape == (20,)


def test_no_links_are_as_if_not_given():
    X, _ = blobs(12)
    for nothing in ([], np.empty((0, 2), dtype=int)):
        sdp = SDPMMC(n_clusters=3, random_state=0).fit(X, must_link=nothing, cannot_link=nothing)
        assert len(np.unique(sdp.labels_)) == 3


# ---------------------------------------------------------------------- two clusters


@pytest.mark.sampled(2)
@pytest.mark.parametrize("offset", [0.0, 2.0])
def test_both_solvers_agree(offset):
    X, inner = circles(40)
    admm, low_rank = (
        SDPMMC(solver=solver, offset=offset, random_state=0).fit(X)
        for solver in ("admm", "low_rank")
    )
    # The balance of the sum is stricter than the balance of each row, above all with an offset.
    assert low_rank.lower_bound_ >= (2 if offset else 0.98) * admm.lower_bound_
    if not offset:
        assert low_rank.objective_ == pytest.approx(admm.objective_, rel=0.03)
    assert agreement(low_rank.labels_, inner) == 1
    np.testing.assert_array_equal(low_rank.labels_, admm.labels_)
    assert low_rank.label_objective_ == pytest.approx(admm.label_objective_, rel=1e-3)
    np.testing.assert_allclose(
        low_rank.decision_function(X), admm.decision_function(X), rtol=0.05, atol=0.05
    )
    assert np.mean(low_rank.soft_assignment_ * (2 * inner - 1) > 0) in (0, 1)


def test_labels_and_links_with_the_low_rank_solver():
    X, inner = circles()
    y = np.full(len(X), -1)
    y[:6] = np.where(inner[:6], 7, 3)
    sdp = SDPMMC(solver="low_rank", random_state=0).fit(X, y)
    np.testing.assert_array_equal(sdp.labels_, np.where(inner, 7, 3))
    linked = SDPMMC(solver="low_rank", random_state=0)
    labels = linked.fit(X, must_link=[(0, 1)], cannot_link=[(2, 3), (3, 4)]).labels_
    assert labels[0] == labels[1]
    assert labels[2] != labels[3] != labels[4]
    assert linked.verify(X).matches


def test_links_that_no_labelling_keeps():
    X = np.random.default_rng(0).normal(size=(12, 2))
    groups = [(i, i + 1) for i in range(11) if i % 4 != 3]
    with pytest.raises(ValueError, match="raise balance"):
        SDPMMC(C=1.0, solver="low_rank", max_iter=10).fit(X, must_link=groups)


@pytest.mark.parametrize(("k", "largest", "n"), [(3, 6, 12), (4, 5, 11)])
def test_the_balance_that_a_message_names_suffices(k, largest, n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    links = [(0, i) for i in range(1, largest)]
    with pytest.raises(ValueError, match="raise balance to") as error:
        SDPMMC(n_clusters=k, random_state=0).fit(X, must_link=links)
    balance = float(re.search(r"raise balance to ([\d.]+)", str(error.value))[1])
    sdp = SDPMMC(n_clusters=k, balance=balance, random_state=0).fit(X, must_link=links)
    assert np.bincount(sdp.labels_).max() == largest


def test_links_that_no_balance_allows():
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.raises(ValueError, match=r"6 of 12 rows in one of 4 .* allows; remove links"):
        SDPMMC(n_clusters=4).fit(X, must_link=[(0, i) for i in range(1, 6)])


@pytest.mark.parametrize("seed", range(3))
def test_no_labelling_with_an_offset_is_below_the_bound(seed):
    X = np.random.default_rng(seed).normal(size=(8, 2))
    sdp = SDPMMC(gamma=0.5, C=20.0, balance=0.25, offset=3.0, random_state=0).fit(X)
    K = rbf_kernel(X, gamma=0.5) + 3
    least = min(margin(K, 20.0, M) for _, M in codes_within(program_of(sdp, X)))
    assert 0.1 * least < sdp.lower_bound_ <= least * (1 + 1e-6)
    assert sdp.label_objective_ == pytest.approx(least, rel=1e-3)


def test_an_offset_is_a_constant_feature():
    X, _ = circles(24)
    K = rbf_kernel(X, gamma=8.0)
    by_offset = SDPMMC(gamma=8.0, offset=0.5, random_state=0).fit(X)
    by_kernel = SDPMMC(kernel="precomputed", solver="low_rank", random_state=0).fit(K + 0.5)
    assert by_offset.lower_bound_ == pytest.approx(by_kernel.lower_bound_, rel=0.01)
    np.testing.assert_array_equal(by_offset.labels_, by_kernel.labels_)
    assert by_offset.intercept_ == pytest.approx(0.5 * by_offset.dual_coef_.sum())
    np.testing.assert_allclose(
        by_offset.decision_function(X), by_kernel.decision_function(K + 0.5), atol=1e-2
    )


def test_limits_with_the_low_rank_solver():
    X, _ = circles()
    seen = []

    def stop(iteration, V):
        seen.append(V.shape)
        return len(seen) == 3

    sdp = SDPMMC(solver="low_rank", callback=stop, random_state=0).fit(X)
    assert sdp.result_.status is Status.STOPPED
    assert seen == [(40, 24)] * 3
    assert 0 < sdp.lower_bound_ <= sdp.label_objective_


# ---------------------------------------------------------------------- features


def test_inner_products_by_features():
    X, y = blobs(50, 2)
    X = X - X.mean(axis=0)
    new = X[:5] + 0.1
    linear = SDPMMC(kernel="linear", random_state=0).fit(X)
    given = SDPMMC(kernel="precomputed", random_state=0).fit(X @ X.T)
    by_sparse = SDPMMC(kernel="linear", random_state=0).fit(sparse.csr_matrix(X))
    assert linear.lower_bound_ == pytest.approx(given.lower_bound_)
    assert agreement(linear.labels_, y) == 1
    np.testing.assert_allclose(linear.decision_function(new), given.decision_function(new @ X.T))
    np.testing.assert_allclose(linear.decision_function(new), by_sparse.decision_function(new))


def test_many_rows_take_features(monkeypatch):
    X, y = blobs(90, 2)
    monkeypatch.setattr(training_kernel, "EXACT_ROWS", 50)
    monkeypatch.setattr(training_kernel, "LANDMARKS", 20)
    for settings in ({}, {"kernel": "linear"}, {"kernel": "precomputed"}):
        rows = rbf_kernel(X, gamma=0.1) if "precomputed" in settings.values() else X - X.mean(0)
        sdp = SDPMMC(solver="low_rank", random_state=0, **settings).fit(rows)
        assert agreement(sdp.labels_, y) == 1
        np.testing.assert_array_equal(sdp.predict(rows), sdp.labels_)
        assert sdp.verify(rows).matches


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed", "callable"])
def test_as_many_components_as_rows_are_the_exact_kernel(monkeypatch, kernel):
    X, _ = blobs(30, 2)
    K = rbf_kernel(X, gamma=0.1)
    rows = K if kernel == "precomputed" else X
    expected = X @ X.T if kernel == "linear" else K
    named = (lambda x, z: np.exp(-0.1 * np.sum((x - z) ** 2))) if kernel == "callable" else kernel
    for limit in (1, 20):  # fewer than the columns, and more
        monkeypatch.setattr(training_kernel, "EXACT_ROWS", limit)
        sdp = SDPMMC(kernel=named, gamma=0.1, n_components=30, random_state=0, max_iter=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            sdp.fit(rows)
        features = training_kernel.training_features(sdp._kernel, sdp._landmarks, rows)
        matrix = features.rows @ features.rows.T + np.diag(features.residual)
        np.testing.assert_allclose(matrix, expected, atol=1e-6 * expected.max())


def test_landmarks_are_exact_where_all_rows_are():
    X, _ = blobs(40, 2)
    few = SDPMMC(n_components=8, random_state=0).fit(X)
    most = SDPMMC(n_components=39, random_state=0).fit(X)
    exact = SDPMMC(solver="low_rank", random_state=0).fit(X)
    assert most.lower_bound_ == pytest.approx(exact.lower_bound_, rel=0.03)
    assert few._landmarks.transformation.shape[0] == 8
    by_callable = SDPMMC(
        kernel=lambda x, z: np.exp(-exact.gamma_ * np.sum((x - z) ** 2)),
        n_components=39,
        random_state=0,
    ).fit(X)
    assert by_callable.lower_bound_ == pytest.approx(most.lower_bound_, rel=0.02)


def test_a_saved_model(tmp_path):
    X, _ = blobs(40)
    for settings in ({"n_clusters": 3}, {"n_clusters": 3, "n_components": 10}):
        sdp = SDPMMC(random_state=0, **settings).fit(X)
        structsvm.save(sdp, tmp_path / "model.zip")
        again = structsvm.load(tmp_path / "model.zip")
        np.testing.assert_allclose(again.decision_function(X), sdp.decision_function(X))
        np.testing.assert_allclose(again.M_, sdp.M_)
