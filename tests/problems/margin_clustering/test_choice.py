"""kernel='auto': the clusters that keep most of the neighbours of their rows."""

import numpy as np
import pytest
from clustering_data import agreement, blobs
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from structsvm.features import DiffusionMap
from structsvm.problems import CPM3C, MMC, MultivariateMMC
from structsvm.problems.margin_clustering.choice import kept, nearest_others


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
    neighbors = nearest_others(np.ones((30, 2)))
    assert neighbors.shape == (30, 10)
    X = np.random.default_rng(0).normal(size=(25, 3))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_array_equal(nearest_others(X), distances.argsort(axis=1)[:, 1:11])


def test_curved_clusters_get_diffusion_coordinates():
    X, upper = make_moons(300, noise=0.04, random_state=0)
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


def test_sparse_rows_and_known_labels():
    X, truth = blobs(3, each=60)
    known = np.where(np.arange(180) % 6, -1, (truth + 1) % 3)
    dense, thin = (CPM3C(3, random_state=0).fit(data, known) for data in (X, sparse.csr_matrix(X)))
    assert np.mean(thin.labels_ == (truth + 1) % 3) > 0.95
    np.testing.assert_array_equal(thin.predict(X), dense.predict(X))


def test_rows_that_all_have_copies_keep_the_rows_themselves():
    X = np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 12, axis=0)
    mmc = MMC(random_state=0).fit(X)
    assert mmc.kernel_ == "linear"
    with pytest.raises(ValueError, match="Remove copies of rows"):
        MMC(kernel="diffusion", random_state=0).fit(X)


def test_a_memory_map_has_no_diffusion_coordinates(tmp_path):
    X, _ = blobs(2)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    mmc = MultivariateMMC(n_init=2, random_state=0).fit(mapped)
    assert mmc.kernel_ == "linear"


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


def test_clusters_of_k_means_that_no_margin_separates_are_said():
    rng = np.random.default_rng(1)
    X = np.repeat(10 * rng.normal(size=(20, 2)), 15, axis=0) + 0.3 * rng.normal(size=(300, 2))
    with pytest.warns(
        ConvergenceWarning, match=r"k-means found the clusters, and predict has (\d+) of 300"
    ) as said:
        found = CPM3C(20, random_state=0).fit(X)
    wrong = np.count_nonzero(found.predict(X) != found.labels_)
    assert f"has {wrong} of 300" in str(said[-1].message)


def test_rows_at_equal_distances_have_a_diffusion_map():
    assert DiffusionMap(3).fit_transform(np.eye(90)).shape == (90, 93)
