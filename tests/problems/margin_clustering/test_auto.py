"""kernel='auto': a search in the rows, one in diffusion coordinates, or k-means.

Those clusters are taken that keep most of the neighbours of their rows.
"""

import numpy as np
import pytest
from clustering_data import agreement, blobs, interrupt
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.data.labels import first_seen
from structsvm.datasets import digits_pair
from structsvm.features import DiffusionMap
from structsvm.problems import CPM3C, MMC
from structsvm.problems.margin_clustering import candidates, choice
from structsvm.problems.margin_clustering.candidates import kernels_to_try
from structsvm.problems.margin_clustering.choice import kept, nearest_others
from structsvm.problems.margin_clustering.smoothed_margin import SmoothedMargin
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


def test_kernels_to_try():
    for on_disk in (False, True):
        assert kernels_to_try("rbf", on_disk, False) == kernels_to_try("rbf", on_disk, True)
        assert kernels_to_try(max, on_disk, True) == (max,)
    assert kernels_to_try("auto", False, False) == ("linear", "diffusion")
    assert kernels_to_try("auto", False, True) == ("linear", "standardise", "diffusion")
    assert kernels_to_try("auto", True, False) == kernels_to_try("auto", True, True) == ("linear",)


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


@pytest.mark.parametrize("sizes", [(150, 15), (100, 30, 10)])
def test_clusters_of_unequal_size_are_found(sizes):
    k = len(sizes)
    y = np.repeat(np.arange(k), sizes)
    X = 6 / np.sqrt(2) * np.eye(k, 5)[y] + np.random.default_rng(0).normal(size=(len(y), 5))
    model = MMC(random_state=0) if k == 2 else CPM3C(k, random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X)) > 0.9
    assert model.problem_.min_cluster_size == 0


def test_many_clusters_of_few_rows_are_found():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 6)
    X = 5 * rng.normal(size=(10, 12))[y] + rng.normal(size=(60, 12))
    assert adjusted_rand_score(y, CPM3C(10, random_state=0).fit(X).labels_) > 0.95


def shares_kept(monkeypatch, *shares):
    """Let the candidates keep these shares of neighbours: rows, diffusion, k-means."""
    given = iter(shares)
    monkeypatch.setattr(choice, "kept", lambda labels, neighbors: next(given))


@pytest.mark.parametrize("share", [(1.0, 0.5, 0.5), (0.5, 1.0, 0.5), (0.5, 0.5, 1.0)])
def test_the_clusters_that_keep_most_neighbours_are_taken(share, monkeypatch):
    shares_kept(monkeypatch, *share)
    X, _ = blobs(3, apart=12.0)
    cpm3c = CPM3C(3, random_state=0).fit(X)
    assert cpm3c.kernel_ == ("diffusion" if share[1] == 1 else "linear")
    assert cpm3c.problem_.balance == (np.inf if share[2] == 1 else 0)
    assert cpm3c.verify(X).matches


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


@pytest.mark.sampled(2)
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


# ---------------------------------------------------------------------- limits


@pytest.mark.parametrize("call", [2, 30])
def test_ctrl_c_in_the_search_keeps_the_best_so_far(call, monkeypatch):
    interrupt(monkeypatch, SmoothedMargin, "descend", call)
    X, _ = digits_pair(1, 7)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        cpm3c = CPM3C(2, random_state=0).fit(X)
    assert cpm3c.verify(X).matches
