"""Answers stacked and checked at once, against those of one at a time; errors name the example."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from toy_problems import Multilabel

from structsvm import ProblemError
from structsvm.task.call import Call
from structsvm.oracle.stacks import (
    Entries,
    condensed,
    pair_differences,
    stacked_numbers,
    stacked_rows,
    sum_of_weighted,
    summed,
)

#: The numbers of the examples; the call is for those at PLACES.
INDEX = np.array([10, 11, 12, 13, 14])
PLACES = [4, 0, 2]
ROWS = np.array([[1.0, 0, 2], [0, 0, 0], [-3, 4, 0]])
#: Conversions of a row to what a method may return.
SPARSE = {
    "csr_matrix": lambda row: sparse.csr_matrix(row[None]),
    "csr_array": lambda row: sparse.csr_array(row[None]),
    "coo_matrix": lambda row: sparse.coo_matrix(row[None]),
    "int": lambda row: sparse.csr_matrix(row[None].astype(np.int8)),
    "float32": lambda row: sparse.csr_matrix(row[None].astype(np.float32)),
}


def call():
    return Call(Multilabel(), "joint_feature", INDEX)


def row_with_spare_room(row):
    """A CSR row whose arrays are longer than its entries."""
    padded = sparse.csr_matrix(row[None])
    padded.data = np.append(padded.data, [7.0, 7.0])
    padded.indices = np.append(padded.indices, np.zeros(2, dtype=padded.indices.dtype))
    return padded


def row_with_duplicates(row):
    indices = np.tile(np.arange(3), 2)
    return sparse.csr_matrix((np.tile(row / 2, 2), indices, [0, 6]), (1, 3))


@pytest.mark.parametrize("convert", [list, np.asarray, np.float32, np.int8, lambda row: row * True])
def test_dense_rows(convert):
    rows = stacked_rows(call(), PLACES, [convert(row) for row in ROWS], 3)
    np.testing.assert_array_equal(rows, ROWS)
    assert rows.dtype == np.float64


@pytest.mark.parametrize(
    "convert",
    [*SPARSE.values(), row_with_spare_room, row_with_duplicates],
    ids=[*SPARSE, "spare room", "duplicates"],
)
def test_sparse_rows(convert):
    rows = stacked_rows(call(), PLACES, [convert(row) for row in ROWS], 3)
    assert rows.format == "csr" and rows.dtype == np.float64
    assert rows.has_canonical_format
    np.testing.assert_array_equal(rows.toarray(), ROWS)


@pytest.mark.parametrize("first", [0, 1])
def test_sparse_and_dense_rows_together_are_dense(first):
    found = list(ROWS)
    found[first] = sparse.csr_matrix(found[first][None])
    np.testing.assert_array_equal(stacked_rows(call(), PLACES, found, 3), ROWS)


@pytest.mark.parametrize("found", [[1, 2.5, True], [Fraction(1), Fraction(5, 2), 1]])
def test_numbers(found):
    np.testing.assert_array_equal(stacked_numbers(call(), PLACES, found), [1, 2.5, 1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.array([1.0, np.nan, 0]), "NaN or infinity"),
        (np.array([1.0, 0]), r"shape \(2,\)"),
        (None, "None"),
        ("text", "got str"),
        (np.array([1j, 0, 0]), "complex"),
        (sparse.csr_matrix([[1.0, np.inf, 0]]), "NaN or infinity"),
        (sparse.csr_matrix([[1.0, 0]]), r"shape"),
    ],
)
@pytest.mark.parametrize("place", range(3))
def test_the_example_of_a_wrong_row_is_named(wrong, message, place):
    found = list(ROWS)
    found[place] = wrong
    with pytest.raises(ProblemError, match=rf"joint_feature .*{message}") as caught:
        stacked_rows(call(), PLACES, found, 3)
    assert f" for example {INDEX[PLACES[place]]}" in str(caught.value)


@pytest.mark.parametrize("convert", SPARSE.values(), ids=SPARSE)
@pytest.mark.parametrize("place", range(3))
def test_the_example_of_a_sparse_row_that_is_not_finite_is_named(convert, place):
    found = [convert(row) for row in ROWS]
    found[place] = sparse.csr_matrix([[0, np.nan, 0]])
    with pytest.raises(ProblemError, match=f"NaN or inf.*example {INDEX[PLACES[place]]};"):
        stacked_rows(call(), PLACES, found, 3)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_differences_of_pairs(convert):
    rows = np.vstack([ROWS, 2 * ROWS[::-1]])
    found = pair_differences(convert(rows))
    assert sparse.issparse(found) == (convert is sparse.csr_matrix)
    dense = found.toarray() if sparse.issparse(found) else found
    assert dense is found or found.has_canonical_format, "absolute values are of whole entries"
    np.testing.assert_array_equal(dense, rows[[0, 2, 4]] - rows[[1, 3, 5]])


@pytest.mark.parametrize("size", [3, 30])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_weighted_sums(convert, size):
    rows, weights = np.hstack([ROWS, np.zeros((3, size - 3))]), np.array([2.0, 1, -1])
    term = sum_of_weighted(weights, convert(rows))
    assert isinstance(term, Entries) == (convert is sparse.csr_matrix and size == 30)
    assert condensed([term], size) is term
    for whole in (condensed([term, term, weights @ rows], size), summed([term] * 3, size)):
        np.testing.assert_allclose(whole, 3 * weights @ rows)
