"""Clustering data that need not fit in memory: dask arrays and files mapped into memory."""

import tracemalloc

import numpy as np
import pytest
from clustering_data import agreement, clouds
from scipy import sparse

from structsvm.problems import CPM3C, MMC, MultivariateMMC
from structsvm.problems.margin_clustering.rows import DaskRows

da = pytest.importorskip("dask.array")
# Products of the BLAS in dask's threads set this flag now and then, with finite results.
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in matmul")


def in_blocks(X, chunks=(70, 2)):
    return da.from_array(X, chunks=chunks)


# ---------------------------------------------------------------------- products


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, bool])
def test_products_and_rows_are_those_of_the_array(dtype):
    X = (3 * clouds(dtype=np.float64)[0]).astype(dtype)
    rows, rng = DaskRows(in_blocks(X)), np.random.default_rng(0)
    assert rows.shape == X.shape and rows.dtype == (dtype if dtype == np.float32 else np.float64)
    W, weights = rng.normal(size=(5, 3)), rng.normal(size=(4, 600))
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(rows @ W, X @ W, rtol=tolerance, atol=tolerance)
    few = sparse.csr_matrix(weights * (np.arange(600) % 200 < 3))
    for some in (weights, few, sparse.csr_matrix((4, 600))):
        np.testing.assert_allclose(rows.combined(some), some @ X, atol=200 * tolerance)
    np.testing.assert_array_equal(rows[[3, 1, 599]], X[[3, 1, 599]])
    np.testing.assert_array_equal(rows[::100], X[::100])


def test_blocks_without_weight_are_not_read():
    read = []
    X = in_blocks(clouds()[0], (100, 5)).map_blocks(lambda b: read.append(len(b)) or b, dtype="f4")
    read.clear()
    weights = sparse.csr_matrix(([1.0], ([0], [250])), shape=(1, 600))
    DaskRows(X).combined(weights)
    assert read == [100]


# ---------------------------------------------------------------------- the estimators


ESTIMATORS = [
    MMC(kernel="linear", n_init=2, random_state=0),
    MultivariateMMC(loss="f", kernel="linear", n_init=2, random_state=0),
    CPM3C(n_clusters=3, kernel="linear", n_init=2, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_the_clusters_are_those_of_the_array(estimator):
    X, y = clouds(150, k=estimator.get_params().get("n_clusters", 2))
    labels, blocks = estimator.fit_predict(X), in_blocks(X)
    objective = estimator.objective_
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
    X, _ = clouds(200)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    one = MMC(kernel="linear", n_init=2, random_state=0).fit(X)
    other = MMC(n_init=2, random_state=0).fit(mapped)
    assert other.kernel_ == "linear"  # there are no diffusion coordinates
    assert np.array_equal(one.result_.w, other.result_.w)


@pytest.mark.slow
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
    assert agreement(clusterer.labels_, np.arange(n) % 2) > 0.99
    assert peak < 0.9 * data.nbytes  # of which the rows of the search are a part


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: in_blocks(X)[:, 0], "must be 2-d"),
        (lambda X: in_blocks(X).astype(complex), "real numbers in numpy arrays.*complex"),
        (lambda X: in_blocks(X).map_blocks(sparse.csr_matrix), "blocks of type csr_matrix"),
        (lambda X: (b := in_blocks(X))[b[:, 0] > 0], r"X.compute_chunk_sizes\(\)"),
        (lambda X: in_blocks(np.where(X > 5, np.nan, X)), "NaN or infinity"),
        (lambda X: in_blocks(X[:1]), "at least two different rows"),
    ],
)
def test_blocks_that_are_no_matrix(change, message):
    X = clouds()[0]
    with pytest.raises(ValueError, match=message):
        MMC().fit(change(X))
    message = "a dask array needs kernel='auto' or 'linear'; got kernel='rbf'"
    with pytest.raises(ValueError, match=message):
        MMC(kernel="rbf").fit(in_blocks(X))
