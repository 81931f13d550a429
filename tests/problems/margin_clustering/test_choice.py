"""kernel='auto': the features whose clusters more of the nearest neighbours share."""

import numpy as np
import pytest
from clustering_data import agreement, blobs
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from structsvm.problems import CPM3C, MMC, MultivariateMMC
from structsvm.problems.margin_clustering import choice
from structsvm.problems.margin_clustering.choice import nearest_others, neighbour_agreement
from structsvm.problems.margin_clustering.smoothed_margin import SmoothedMargin


def test_agreement_is_one_for_clusters_apart_and_none_by_chance():
    X, truth = blobs(3, each=40, apart=30.0)
    rows, neighbors = nearest_others(X)
    np.testing.assert_array_equal(rows, np.arange(120))
    assert neighbors.shape == (120, 10)
    assert not np.any(neighbors == np.arange(120)[:, None])
    assert neighbour_agreement(rows, neighbors, truth) == 1
    drawn = np.random.default_rng(0).integers(3, size=(200, 120))
    assert np.mean([neighbour_agreement(rows, neighbors, labels) for labels in drawn]) < 0.02
    assert neighbour_agreement(rows, neighbors, np.zeros(120, dtype=int)) == 0
    few, _ = blobs(2, each=2)
    assert nearest_others(few)[1].shape == (4, 3)


def test_of_many_rows_some_are_asked_and_none_is_its_own_neighbour(monkeypatch):
    X, truth = blobs(3, each=40)
    monkeypatch.setattr(choice, "ASKED", 7)
    rows, neighbors = nearest_others(X)
    assert len(rows) == 7 and (rows[0], rows[-1]) == (0, 119)
    assert neighbors.shape == (7, 10)
    assert not np.any(neighbors == rows[:, None])
    assert np.mean(truth[neighbors] == truth[rows, None]) > 0.9
    copies = np.ones((30, 2))
    assert nearest_others(copies)[1].shape == (7, 10)


def test_curved_clusters_get_diffusion_coordinates():
    X, upper = make_moons(300, noise=0.04, random_state=0)
    mmc = MMC(n_components=2, random_state=0).fit(X)
    assert mmc.kernel_ == "diffusion"
    assert agreement(mmc.labels_, upper) > 0.95
    with pytest.raises(AttributeError, match="kernel_='diffusion'; set kernel='linear'"):
        _ = mmc.coef_
    new, classes = make_moons(100, noise=0.04, random_state=1)
    assert agreement(mmc.predict(new), classes) > 0.95
    assert mmc.verify(X).matches


def test_ties_keep_the_rows_themselves(caplog):
    X, truth = blobs(2, apart=30.0)
    with caplog.at_level("INFO", "structsvm"):
        mmc = MMC(random_state=0).fit(X)
    chosen = "in the same cluster 'linear' 1.000, 'diffusion' 1.000; 'linear' is kept"
    assert chosen in caplog.text
    assert mmc.kernel_ == "linear"
    assert agreement(mmc.labels_, truth) == 1
    assert mmc.coef_.shape == (1, 2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("clusterer", [MMC(random_state=0), CPM3C(3, random_state=0)], ids=str)
def test_it_is_the_better_of_both(clusterer):
    X = np.random.default_rng(0).normal(size=(90, 6))
    auto, *both = (
        clusterer.set_params(kernel=kernel).fit(X).__dict__.copy()
        for kernel in ("auto", "linear", "diffusion")
    )
    rows, neighbors = nearest_others(X)
    agreed = [neighbour_agreement(rows, neighbors, fit["labels_"]) for fit in both]
    best = both[int(np.argmax(agreed))]
    np.testing.assert_array_equal(auto["labels_"], best["labels_"])
    assert auto["C_"] == best["C_"]
    assert auto["n_iter_"] == sum(fit["n_iter_"] for fit in both)


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


def test_ctrl_c_during_the_second_fit_keeps_the_first(monkeypatch):
    X, _ = blobs(2)
    descents, descend = [], SmoothedMargin.descend

    def interrupted(margin, W, steps):
        descents.append(margin)
        if margin is not descents[0]:  # that of the second fit
            raise KeyboardInterrupt
        return descend(margin, W, steps)

    monkeypatch.setattr(SmoothedMargin, "descend", interrupted)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        mmc = MMC(random_state=0).fit(X)
    assert mmc.kernel_ == "linear"
    assert mmc.verify(X).matches


def test_a_memory_map_is_not_searched_for_neighbours(tmp_path):
    X, _ = blobs(2)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    mmc = MultivariateMMC(n_init=2, random_state=0).fit(mapped)
    assert mmc.kernel_ == "linear"
