"""kernel='auto': a search in the rows, one in diffusion coordinates, or k-means."""

import numpy as np
import pytest
from clustering_data import blobs, interrupt
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.data.labels import first_seen
from structsvm.datasets import digits_pair
from structsvm.problems import CPM3C, MMC
from structsvm.problems.margin_clustering import candidates, choice
from structsvm.problems.margin_clustering.smoothed_margin import SmoothedMargin
from structsvm.results.status import Status


def unequal(sizes, d=5, apart=6.0, seed=0):
    """Clusters of these sizes around centres at equal distances."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    return apart / np.sqrt(2) * np.eye(len(sizes), d)[y] + rng.normal(size=(len(y), d)), y


@pytest.mark.parametrize("sizes", [(300, 30), (200, 60, 20)])
def test_clusters_of_unequal_size_are_found(sizes):
    X, y = unequal(sizes)
    fitted = MMC(random_state=0) if len(sizes) == 2 else CPM3C(len(sizes), random_state=0)
    assert adjusted_rand_score(y, fitted.fit_predict(X)) > 0.9
    assert fitted.problem_.min_cluster_size == 0


def test_many_clusters_of_few_rows_are_found():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 8)
    X = 5 * rng.normal(size=(30, 12))[y] + rng.normal(size=(240, 12))
    cpm3c = CPM3C(30, random_state=0).fit(X)
    assert adjusted_rand_score(y, cpm3c.labels_) > 0.95


@pytest.mark.parametrize("share", [(1.0, 0.5, 0.5), (0.5, 1.0, 0.5), (0.5, 0.5, 1.0)])
def test_the_clusters_that_keep_most_neighbours_are_taken(share, monkeypatch):
    shares = iter(share)
    monkeypatch.setattr(choice, "kept", lambda labels, neighbors: next(shares))
    X, _ = blobs(3, apart=12.0)
    cpm3c = CPM3C(3, random_state=0).fit(X)
    assert cpm3c.kernel_ == ("diffusion" if share[1] == 1 else "linear")
    assert cpm3c.problem_.balance == (np.inf if share[2] == 1 else 0)
    assert cpm3c.verify(X).matches


def test_the_clusters_of_k_means_are_taken_as_they_are(monkeypatch):
    shares = iter((0.0, 0.0, 1.0))
    monkeypatch.setattr(choice, "kept", lambda labels, neighbors: next(shares))
    X, _ = make_blobs(300, centers=5, cluster_std=2.5, random_state=1)
    with pytest.warns(ConvergenceWarning, match="predict has 5 of 300 rows in other ones"):
        cpm3c = CPM3C(5, random_state=0).fit(X)
    k_means = KMeans(5, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(cpm3c.labels_, k_means.labels_) > 0.97
    assert cpm3c.result_.status is Status.CONVERGED
    assert np.mean(cpm3c.predict(X) == cpm3c.labels_) > 0.97
    assert cpm3c.verify(X).matches
    assert not cpm3c.verify(X[::-1]).matches
    assert first_seen(cpm3c.labels_, 5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("given", [{"balance": 0.0}, {"min_cluster_size": 0.1}])
def test_where_sizes_are_given_k_means_has_no_part(given, monkeypatch):
    shares = iter((0.0, 1.0))
    monkeypatch.setattr(choice, "kept", lambda labels, neighbors: next(shares))
    X, _ = blobs(3, apart=12.0)
    assert CPM3C(3, random_state=0, **given).fit(X).kernel_ == "diffusion"


def test_of_many_rows_some_have_eigenvectors_and_some_are_compared(monkeypatch):
    for module in (choice, candidates):
        monkeypatch.setattr(module, "ROWS", 60)
    X, truth = blobs(3, each=200, apart=12.0)
    for kernel in ("auto", "diffusion"):
        cpm3c = CPM3C(3, kernel=kernel, random_state=0).fit(X)
        assert adjusted_rand_score(truth, cpm3c.labels_) > 0.95
        assert cpm3c.verify(X).matches
        np.testing.assert_array_equal(cpm3c.predict(X), cpm3c.labels_)


@pytest.mark.filterwarnings("error")
def test_a_graph_in_more_parts_than_coordinates_is_no_matter_for_a_warning():
    X = np.vstack([blobs(4, each=30, apart=40.0)[0] + 500 * part for part in range(3)])
    assert CPM3C(2, random_state=0).fit(X).verify(X).matches


def test_the_number_of_clusters_is_asked_for():
    with pytest.raises(ValueError, match=r"CPM3C\(n_clusters=3\)"):
        CPM3C().fit(np.eye(4))


def test_known_labels_keep_their_numbers():
    X, truth = blobs(3, each=60)
    known = np.where(np.arange(180) % 6, -1, (truth + 1) % 3)
    assert np.mean(CPM3C(3, random_state=0).fit(X, known).labels_ == (truth + 1) % 3) > 0.95


@pytest.mark.parametrize("call", [2, 30])
def test_ctrl_c_in_the_search_keeps_the_best_so_far(call, monkeypatch):
    interrupt(monkeypatch, SmoothedMargin, "descend", call)
    X, _ = digits_pair(1, 7)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        cpm3c = CPM3C(2, random_state=0).fit(X)
    assert cpm3c.verify(X).matches


def test_a_time_limit_keeps_the_first_search():
    X, _ = blobs(3)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        cpm3c = CPM3C(3, time_limit=1e-6, random_state=0).fit(X)
    assert cpm3c.kernel_ == "linear"
    assert cpm3c.verify(X).matches


def test_progress_is_shown(capsys):
    X, _ = blobs(3)
    CPM3C(3, n_init=1, random_state=0, verbose=True).fit(X)
    assert "descent" in capsys.readouterr().err
