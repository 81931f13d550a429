"""The rows of a store stay those that were added, dense or sparse."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.data.containers import dense
from structsvm.planes.rows import Rows

SIZE = 7


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix], ids=["dense", "CSR"])
def test_rows_stay_right_while_they_are_added_and_dropped(convert):
    rng = np.random.default_rng(0)
    rows, expected = Rows(SIZE), np.empty((0, SIZE))
    for _ in range(30):
        new = rng.normal(size=(rng.integers(6), SIZE)) * (rng.random(SIZE) < 0.5)
        given = new.copy()
        rows = rows.and_more(convert(given))
        given[:] = np.nan  # the rows are copies
        expected = np.vstack([expected, new])
        if rng.random() < 0.3:
            places = np.flatnonzero(rng.random(len(expected)) < 0.7)
            rows = rows.part(places)
            expected = expected[places]
        np.testing.assert_array_equal(dense(rows.matrix), expected)
        np.testing.assert_allclose(rows.lengths, np.linalg.norm(expected, axis=1))
    assert sparse.issparse(rows.matrix) == (convert is sparse.csr_matrix)


@pytest.mark.parametrize("first", [np.eye(2, SIZE), sparse.eye_array(2, SIZE, format="csr")])
def test_the_first_rows_decide_the_format(first):
    rows = Rows(SIZE)
    for none in (np.empty((0, SIZE)), sparse.csr_matrix((0, SIZE))):
        rows = rows.and_more(none)
    rows = rows.and_more(first)
    for more in (np.ones((1, SIZE)), sparse.csr_matrix(np.ones((1, SIZE)))):
        rows = rows.and_more(more)
    assert sparse.issparse(rows.matrix) == sparse.issparse(first)
    np.testing.assert_array_equal(np.ravel(rows.matrix.sum(axis=1)), [1, 1, SIZE, SIZE])


def test_rows_are_replaced():
    rows = Rows(SIZE)
    rows = rows.and_more(np.eye(4, SIZE))
    rows = rows.with_others(np.array([0, 2]), np.full((2, SIZE), 2.0))
    np.testing.assert_array_equal(rows.matrix.sum(axis=1), [2 * SIZE, 1, 2 * SIZE, 1])
    np.testing.assert_allclose(rows.lengths**2, [4 * SIZE, 1, 4 * SIZE, 1])
