"""Clustering data that need not fit in memory: dask arrays and files mapped into memory."""

import tracemalloc

import numpy as np
import pytest
from clustering_data import clouds

from structsvm.problems import CPM3C, MMC, MultivariateMMC
from structsvm.problems.margin_clustering.rows import (
    DaskRows,
    column_moments,
    map_blocks,
    require_rows,
)

da = pytest.importorskip("dask.array")


def in_blocks(X, chunks=(70, 2)):
    return da.from_array(X, chunks=chunks)


# ---------------------------------------------------------------------- products


@pytest.mark.parametrize("make", [np.asarray, in_blocks], ids=["array", "dask"])
def test_moments_are_taken_block_by_block(make, monkeypatch):
    X = clouds()[0]
    monkeypatch.setattr("structsvm.data.matrices.BLOCK", 500)
    given = make(X) if make is np.asarray else DaskRows(make(X))
    assert len(list(map_blocks(given, len))) > 5
    mean, variance = column_moments(given)
    np.testing.assert_allclose(mean, X.mean(axis=0, dtype=float))
    np.testing.assert_allclose(variance, X.var(axis=0, dtype=float))
    require_rows(given)
    X[-1, -1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN or infinity"):
        require_rows(make(X) if make is np.asarray else DaskRows(make(X)))


# ---------------------------------------------------------------------- the estimators


ESTIMATORS = [
    MMC(kernel="linear", n_init=2, random_state=0),
    MultivariateMMC(loss="f", kernel="linear", n_init=2, random_state=0),
    CPM3C(n_clusters=3, kernel="linear", n_init=3, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_the_clusters_are_those_of_the_array(estimator):
    X, y = clouds(k=estimator.get_params().get("n_clusters", 2))
    labels = estimator.fit_predict(X)
    objective = estimator.objective_
    blocks = in_blocks(X)
    assert np.array_equal(estimator.fit_predict(blocks), labels)
    assert estimator.objective_ == pytest.approx(objective, rel=1e-3)
    assert estimator.verify(blocks).matches
    assert np.array_equal(estimator.predict(blocks), estimator.predict(X))
    scores = estimator.decision_function(blocks)
    np.testing.assert_allclose(scores, estimator.decision_function(X), atol=1e-4)
    half = np.where(np.arange(len(y)) % 2, y, -1)
    known = estimator.fit(blocks, half).labels_
    np.testing.assert_array_equal(known[half >= 0], half[half >= 0])


def test_a_mapped_file_gives_the_same_result(tmp_path):
    X, _ = clouds()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    one, other = (MMC(kernel="linear", n_init=2, random_state=0).fit(data) for data in (X, mapped))
    assert np.array_equal(one.result_.w, other.result_.w)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["memmap", "dask"])
def test_the_data_are_never_in_memory_at_once(tmp_path, kind):
    n, d = 60_000, 100
    path = tmp_path / "X.npy"
    mapped = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
    rng = np.random.default_rng(0)
    for start in range(0, n, 10_000):
        mapped[start : start + 10_000] = rng.normal(size=(10_000, d))
        mapped[start : start + 10_000, 0] += np.where(np.arange(10_000) % 2, 6, -6)
    mapped.flush()
    data = np.load(path, mmap_mode="r")
    X = data if kind == "memmap" else da.from_array(data, chunks=(5_000, d))
    tracemalloc.start()
    clusterer = MMC(n_init=2, random_state=0).fit(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    truth = np.arange(n) % 10_000 % 2
    agreement = np.mean(clusterer.labels_ == truth)
    assert max(agreement, 1 - agreement) > 0.99
    assert peak < 0.9 * data.nbytes  # of which the rows of the search are a part


def test_other_features_need_memory():
    with pytest.raises(
        ValueError, match="a dask array needs kernel='auto' or 'linear'; got kernel='rbf'"
    ):
        MMC(kernel="rbf").fit(in_blocks(clouds()[0]))


def test_predictions_check_the_number_of_features():
    clusterer = MMC(n_init=1, random_state=0).fit(in_blocks(clouds()[0]))
    with pytest.raises(ValueError, match="X has 4 features, but MMC is expecting 5"):
        clusterer.predict(in_blocks(clouds()[0][:, :4]))
