"""kernel='auto' and C='auto': neighbours that are kept, and known rows that decide."""

import numpy as np
import pytest
from clustering_data import agreement, blobs, hinge, partly
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.data.labels import first_seen
from structsvm.features import DiffusionMap
from structsvm.problems import CPM3C, MMC, CPM3CProblem, MulticlassSVM, MultivariateMMCProblem
from structsvm.problems.margin_clustering import candidates, choice, known_rows
from structsvm.problems.margin_clustering.choice import kept, nearest_others
from structsvm.problems.margin_clustering.known_rows import (
    FOLDS,
    HINGE_WEIGHT,
    MOST_HINGE,
    _classifier,
    _folds,
    _sample,
    cross_validated_loss,
)
from structsvm.results.status import Status

# ---------------------------------------------------------------------- neighbours that are kept


def test_clusters_apart_keep_all_neighbours_and_random_ones_what_chance_explains():
    X, truth = blobs(3, each=40, apart=30.0)
    neighbors = nearest_others(X)
    assert neighbors.shape == (120, 10)
    assert not np.any(neighbors == np.arange(120)[:, None])
    assert kept(truth, neighbors) == 1
    rng = np.random.default_rng(0)
    for shares in ([1 / 3] * 3, [0.8, 0.1, 0.1]):  # sizes alone must not seem good
        drawn = rng.choice(3, size=(200, 120), p=shares)
        assert np.mean([kept(labels, neighbors) for labels in drawn]) == pytest.approx(0, abs=0.03)
    assert kept(np.zeros(120, dtype=int), neighbors) == 0


def test_every_cluster_counts_the_same():
    neighbors = nearest_others(np.arange(100.0)[:, None])
    halves, alternating = np.arange(100) // 50, np.where(np.arange(100) < 10, np.arange(100) % 2, 2)
    assert kept(halves, neighbors) > 0.9
    assert kept(alternating, neighbors) < 0.7  # a large cluster and two that keep little


def test_nearest_others_of_few_rows_and_of_copies():
    few, _ = blobs(2, each=2)
    assert nearest_others(few).shape == (4, 3)
    assert nearest_others(np.ones((30, 2))).shape == (30, 10)
    X = np.random.default_rng(0).normal(size=(25, 3))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_array_equal(nearest_others(X), distances.argsort(axis=1)[:, 1:11])


# ---------------------------------------------------------------------- the choice


def test_curved_clusters_get_diffusion_coordinates():
    X, upper = make_moons(150, noise=0.04, random_state=0)
    mmc = MMC(random_state=0).fit(X)
    assert mmc.kernel_ == "diffusion"
    assert agreement(mmc.labels_, upper) > 0.95
    with pytest.raises(AttributeError, match="kernel_='diffusion'; set kernel='linear'"):
        _ = mmc.coef_
    new, classes = make_moons(100, noise=0.04, random_state=1)
    assert agreement(mmc.predict(new), classes) > 0.95
    assert mmc.verify(X).matches


def test_ties_keep_the_rows_themselves():
    X, truth = blobs(2, apart=30.0)
    mmc = MMC(random_state=0).fit(X)
    assert mmc.kernel_ == "linear"
    assert agreement(mmc.labels_, truth) == 1
    assert mmc.coef_.shape == (1, 2)
    copies = np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 12, axis=0)
    assert MMC(random_state=0).fit(copies).kernel_ == "linear"
    with pytest.raises(ValueError, match="Remove copies of rows"):
        MMC(kernel="diffusion", random_state=0).fit(copies)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sizes", [(150, 15), (100, 30, 10)])
def test_clusters_of_unequal_size_are_found(sizes):
    k = len(sizes)
    y = np.repeat(np.arange(k), sizes)
    X = 6 / np.sqrt(2) * np.eye(k, 5)[y] + np.random.default_rng(0).normal(size=(len(y), 5))
    model = MMC(random_state=0) if k == 2 else CPM3C(k, random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X)) > 0.9
    assert model.problem_.min_cluster_size == 0


def shares_kept(monkeypatch, *shares):
    """Let the candidates keep these shares of neighbours: rows, diffusion, k-means."""
    given = iter(shares)
    monkeypatch.setattr(choice, "kept", lambda labels, neighbors: next(given))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("share", [(1.0, 0.5, 0.5), (0.5, 1.0, 0.5), (0.5, 0.5, 1.0)])
def test_the_clusters_that_keep_most_neighbours_are_taken(share, monkeypatch):
    shares_kept(monkeypatch, *share)
    X, _ = blobs(3, apart=12.0)
    cpm3c = CPM3C(3, random_state=0).fit(X)
    assert cpm3c.kernel_ == ("diffusion" if share[1] == 1 else "linear")
    assert cpm3c.problem_.balance == (np.inf if share[2] == 1 else 0)
    assert cpm3c.verify(X).matches


@pytest.mark.slow
def test_the_clusters_of_k_means_are_taken_as_they_are(monkeypatch):
    shares_kept(monkeypatch, 0.0, 0.0, 1.0)
    X, _ = make_blobs(300, centers=5, cluster_std=2.5, random_state=1)
    with pytest.warns(ConvergenceWarning, match=r"k-means found.* (\d+) of 300 rows") as said:
        cpm3c = CPM3C(5, random_state=0).fit(X)
    wrong = np.count_nonzero(cpm3c.predict(X) != cpm3c.labels_)
    assert wrong and f"predict has {wrong} of 300" in str(said[-1].message)
    k_means = KMeans(5, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(cpm3c.labels_, k_means.labels_) > 0.97
    assert cpm3c.result_.status is Status.CONVERGED
    assert cpm3c.verify(X).matches and not cpm3c.verify(X[::-1]).matches
    assert first_seen(cpm3c.labels_, 5).tolist() == [0, 1, 2, 3, 4]


def test_of_many_rows_some_have_eigenvectors_and_some_are_compared(monkeypatch):
    for module in (choice, candidates):
        monkeypatch.setattr(module, "ROWS", 60)
    X, truth = blobs(3, each=100, apart=12.0)
    for kernel in ("auto", "diffusion"):
        cpm3c = CPM3C(3, kernel=kernel, random_state=0).fit(X)
        assert adjusted_rand_score(truth, cpm3c.labels_) > 0.95
        assert cpm3c.verify(X).matches
        np.testing.assert_array_equal(cpm3c.predict(X), cpm3c.labels_)


@pytest.mark.filterwarnings("error")
def test_a_graph_in_more_parts_than_coordinates_is_no_matter_for_a_warning():
    X = np.vstack([blobs(4, each=20, apart=40.0)[0] + 500 * part for part in range(3)])
    assert CPM3C(2, random_state=0).fit(X).verify(X).matches
    assert DiffusionMap(3).fit_transform(np.eye(90)).shape == (90, 93)  # at equal distances


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "clusterer",
    [MMC(kernel="linear"), CPM3C(3, kernel="linear", balance=0.1), CPM3C(3), CPM3C(3, balance=0)],
    ids=["signs", "offsets", "k-means", "no offsets"],
)
def test_few_wide_rows_are_clustered_in_the_space_that_they_span(clusterer):
    few, _ = blobs(3, each=20, apart=3.0)
    rng = np.random.default_rng(0)
    wide = np.linalg.qr(rng.normal(size=(150, few.shape[1])))[0]
    X = few @ wide.T + 0.1 * rng.normal(size=(60, 150)) + 5
    coordinates = np.linalg.qr(np.vstack([X, rng.normal(size=(90, 150))]).T)[0].T
    one, other = (
        clone(clusterer).set_params(random_state=0, C=10.0).fit(rows)
        for rows in (X, sparse.csr_array(X @ coordinates.T))  # sparse rows are left as they are
    )
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == pytest.approx(other.objective_, rel=5e-3)
    assert one.problem_.rows_.n_features == 150
    assert one.verify(X).matches
    if one.kernel_ == "linear":
        scores = X @ one.coef_.T + one.intercept_
        np.testing.assert_allclose(scores.squeeze(), one.decision_function(X), atol=1e-8)


def problem_for(X, known, k):
    problem = CPM3CProblem(k)
    problem.initialize([X], [known])
    return problem


# ---------------------------------------------------------------------- known rows: their weight


def test_known_and_unknown_rows_have_their_weights_in_the_objective():
    X, truth = blobs(3, each=30, apart=4.0)
    known = partly(truth, 7)
    cpm3c = CPM3C(3, random_state=0).fit(X, known)
    result = cpm3c.result_
    losses = hinge(cpm3c.decision_function(X), cpm3c.labels_)
    mean = losses[known >= 0].mean() + 0.2 * losses[known < 0].mean()
    assert losses.sum() > 1
    assert result.primal == pytest.approx(result.w @ result.w / 2 + cpm3c.C_ * mean)
    assert cpm3c.verify(X, known).matches


@pytest.mark.parametrize(
    ("labels", "enough"),
    [([0, 1, 2, 0, 1], True), ([0, 0, 0, 1, 2], True), ([0, 1, 2, 0], False),
     ([0, 0, 0, 1, 1, 1], False), ([], False)],
)  # fmt: skip
def test_one_known_row_of_each_cluster_and_two_more_are_enough(labels, enough):
    X, _ = blobs(3)
    known = np.full(len(X), -1)
    known[: len(labels)] = labels
    problem = problem_for(X, known, 3)
    assert (problem.balance_ == np.inf) == problem.learns_from(known) == enough
    assert np.all(problem.row_weights_ == 1) != enough


def test_a_loss_of_whole_clusterings_gives_all_rows_the_same_weight():
    X, truth = blobs(2)
    problem = MultivariateMMCProblem("rand")
    problem.initialize([X], [partly(truth, 3)])
    assert np.all(problem.row_weights_ == 1) and problem.balance_ == 0


# ---------------------------------------------------------------------- what they bring


@pytest.mark.slow
def test_columns_of_other_units_are_standardised():
    X, y = load_wine(return_X_y=True)
    known = partly(y, 5)
    auto = CPM3C(3, random_state=0).fit(X, known)
    linear = CPM3C(3, kernel="linear", random_state=0).fit(X, known)
    assert auto.kernel_ == "standardise"
    assert np.mean(auto.labels_ == y) > 0.93 > 0.8 > np.mean(linear.labels_ == y)


def test_the_least_loss_over_C_is_kept():
    rng = np.random.default_rng(0)
    truth = np.arange(240) % 2
    X = np.hstack([rng.normal(size=(240, 1)) + 2 * truth[:, None], rng.normal(size=(240, 30))])
    known = np.where(np.arange(240) < 40, truth, -1)
    mmc = MMC(kernel="linear", random_state=0).fit(X, known)
    losses = {C: cross_validated_loss(mmc.problem_, X, known, C) for C in (20.0, 200.0, 2000.0)}
    assert mmc.C_ == min(losses, key=losses.get)
    assert max(losses.values()) > min(losses.values())
    assert MMC(kernel="linear", C=50.0, random_state=0).fit(X, known).C_ == 50


# ---------------------------------------------------------------------- cross-validation


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("kind", "shift"), [(np.asarray, 5.0), (sparse.csr_matrix, 0.0)])
def test_the_classifier_is_the_support_vector_machine(k, kind, shift):
    points, truth = blobs(k, apart=3.0)
    X = kind(points + shift)
    problem = problem_for(X, partly(truth, 5), k)
    W = _classifier(problem.rows_, X, truth, 10.0)
    standard = (points + shift - problem.rows_.mean) / problem.rows_.scale
    svm = MulticlassSVM(C=10.0, scale=None, rtol=1e-6).fit(standard, truth)
    own = problem.rows_.scores(X, W)
    assert hinge(own, truth).mean() == pytest.approx(
        hinge(standard @ svm.coef_.T + svm.intercept_, truth).mean(), rel=0.05
    )
    assert np.mean(own.argmax(axis=1) == svm.predict(standard)) > 0.97


def test_the_cross_validated_loss_row_by_row():
    X, truth = blobs(3, apart=2.5)
    known = partly(truth, 3)
    problem = problem_for(X, known, 3)
    rows = np.flatnonzero(known >= 0)
    folds = _folds(known[rows])
    losses = []
    for row, fold in zip(rows, folds, strict=True):
        others = rows[folds != fold]
        scores = problem.scores(X, _classifier(problem.rows_, X[others], known[others], 10.0))[row]
        margin = scores[known[row]] - np.delete(scores, known[row]).max()
        losses.append((margin <= 0) + HINGE_WEIGHT * min(MOST_HINGE, max(0, 1 - margin)))
    assert 0.1 < np.mean(losses) < 1.5
    assert cross_validated_loss(problem, X, known, 10.0) == pytest.approx(np.mean(losses))


def test_no_fold_has_all_rows_of_a_cluster():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1, 2, 3], [1, 2, 4, 30]))
    folds = _folds(y)
    assert np.all((folds == -1) == (y == 0))
    assert set(folds) == {-1, *range(FOLDS)}
    for cluster in (1, 2, 3):
        of_cluster = np.bincount(folds[y == cluster], minlength=FOLDS)
        assert of_cluster.max() < np.sum(y == cluster) and np.ptp(of_cluster) <= 1


def test_some_of_many_known_rows_are_asked_and_one_of_each_cluster(monkeypatch):
    known = np.full(1000, -1)
    known[::2] = 0
    known[500] = 1
    assert len(_sample(known)) == 500
    monkeypatch.setattr(known_rows, "ASKED", 40)
    rows = _sample(known)
    assert 40 <= len(rows) <= 42 and set(known[rows]) == {0, 1}
