"""Products with the rows of a dask array."""

import numpy as np
import pytest
from clustering_data import clouds
from scipy import sparse

from structsvm.problems import MMC
from structsvm.problems.margin_clustering.rows import DaskRows

da = pytest.importorskip("dask.array")


def in_blocks(X, chunks=(70, 2)):
    return da.from_array(X, chunks=chunks)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, bool])
def test_products_and_rows_are_those_of_the_array(dtype):
    X = (3 * clouds(dtype=np.float64)[0]).astype(dtype)
    rows, rng = DaskRows(in_blocks(X)), np.random.default_rng(0)
    assert rows.shape == X.shape and rows.dtype == (dtype if dtype == np.float32 else np.float64)
    W, weights = rng.normal(size=(5, 3)), rng.normal(size=(4, 600))
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(rows @ W, X @ W, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(rows.combined(weights), weights @ X, atol=200 * tolerance)
    few = sparse.csr_matrix(weights * (np.arange(600) % 200 < 3))
    np.testing.assert_allclose(rows.combined(few), few @ X, atol=200 * tolerance)
    nothing = sparse.csr_matrix((4, 600))
    np.testing.assert_array_equal(rows.combined(nothing), np.zeros((4, 5)))
    np.testing.assert_array_equal(rows[[3, 1, 599]], X[[3, 1, 599]])
    np.testing.assert_array_equal(rows[::100], X[::100])


def test_blocks_without_weight_are_not_read():
    read = []
    X = in_blocks(clouds()[0], (100, 5)).map_blocks(lambda b: read.append(len(b)) or b, dtype="f4")
    read.clear()
    weights = sparse.csr_matrix(([1.0], ([0], [250])), shape=(1, 600))
    DaskRows(X).combined(weights)
    assert read == [100]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (lambda X: in_blocks(X)[:, 0], "must be 2-d"),
        (lambda X: in_blocks(X).astype(complex), "real numbers in numpy arrays.*complex"),
        (lambda X: in_blocks(X).map_blocks(sparse.csr_matrix), "blocks of type csr_matrix"),
        (lambda X: (b := in_blocks(X))[b[:, 0] > 0], r"X.compute_chunk_sizes\(\)"),
        (lambda X: in_blocks(np.where(X > 5, np.nan, X)), "NaN or infinity"),
        (lambda X: in_blocks(X[:1]), "at least two different rows"),
    ],
)
def test_blocks_that_are_no_matrix(X, message):
    with pytest.raises(ValueError, match=message):
        MMC().fit(X(clouds()[0]))
