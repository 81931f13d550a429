"""The rows of a store stay those that were added; the sizes that rounding is measured by."""

import copy

import numpy as np
import pytest
from scipy import sparse

from structsvm.data.containers import dense
from structsvm.planes.plane import ROUNDING
from structsvm.planes.store import Store

SIZE = 7


def add(planes, rows):
    m = rows.shape[0]
    planes.add(rows, np.arange(m), np.zeros(m, int), [None] * m)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix], ids=["dense", "CSR"])
def test_rows_stay_right_while_they_are_added_and_dropped(convert):
    rng = np.random.default_rng(0)
    planes, expected = Store(SIZE), np.empty((0, SIZE))
    for _ in range(30):
        new = rng.normal(size=(rng.integers(6), SIZE)) * (rng.random(SIZE) < 0.5)
        given = new.copy()
        before, held = copy.deepcopy(planes), dense(planes.rows)
        add(planes, convert(given))
        add(before, np.ones((2, SIZE)))  # a copy has room of its own
        given[:] = np.nan  # the rows are copies
        np.testing.assert_array_equal(held, expected)
        expected = np.vstack([expected, new])
        if rng.random() < 0.3:
            keep = rng.random(len(expected)) < 0.7
            planes.keep(keep)
            expected = expected[keep]
        np.testing.assert_array_equal(dense(planes.rows), expected)
        np.testing.assert_allclose(planes.lengths, np.linalg.norm(expected, axis=1))
        assert len(planes) == len(expected) == len(planes.sources)
    assert sparse.issparse(planes.rows) == (convert is sparse.csr_matrix)


@pytest.mark.parametrize("first", [np.eye(2, SIZE), sparse.eye_array(2, SIZE, format="csr")])
def test_the_first_rows_decide_the_format(first):
    planes = Store(SIZE)
    for none in (np.empty((0, SIZE)), sparse.csr_matrix((0, SIZE))):
        add(planes, none)
    add(planes, first)
    for more in (np.ones((1, SIZE)), sparse.csr_matrix(np.ones((1, SIZE)))):
        add(planes, more)
    assert sparse.issparse(planes.rows) == sparse.issparse(first)
    np.testing.assert_array_equal(np.ravel(planes.rows.sum(axis=1)), [1, 1, SIZE, SIZE])


# ---------------------------------------------------------------------- sizes of terms


def store(rows, offsets):
    planes = Store(rows.shape[1])
    planes.add(rows, offsets, np.zeros(len(rows), int), [None] * len(rows))
    return planes


def test_the_magnitude_bounds_both_terms_of_a_violation():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows, offsets, w = rng.normal(size=(6, 4)), rng.normal(size=6), rng.normal(size=4)
        assert np.all(np.abs(offsets) + np.abs(rows @ w) <= store(rows, offsets).magnitude(w))
    planes = store(np.array([[0.0, 1.0], [4.0, 3.0]]), np.array([-7.0, 2.0]))
    assert planes.magnitude(np.array([3.0, 4.0])) == 7.0 + 25.0
    planes = store(np.array([[1e200]]), np.ones(1))
    assert planes.magnitude(np.zeros(1)) == 1.0 and planes.magnitude(np.ones(1)) == np.inf


def test_rounding_is_far_above_that_of_a_violation():
    rng = np.random.default_rng(0)
    rows, w = rng.normal(size=(50, 1000)), 1e3 * rng.normal(size=1000)
    offsets = rows @ w  # violations of 0, but for rounding
    found = np.abs(offsets - np.array([np.dot(row[::-1], w[::-1]) for row in rows]))
    assert found.max() < 0.01 * ROUNDING * store(rows, offsets).magnitude(w)
