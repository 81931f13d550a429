"""Answers of single calls as one array; those that are wrong are named with their example."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from toy_problems import Multilabel

from structsvm import ProblemError, Task
from structsvm.task.answers import numbers_of, rows_of
from structsvm.task.watched import Watched

#: The numbers of the examples; those at PLACES have a row each.
INDEX = np.array([10, 11, 12, 13, 14])
PLACES = [0, 2, 4]
ROWS = np.array([[1.0, 0, 2], [0, 0, 0], [-3, 4, 0]])
#: Conversions of a row to what a method may return.
SPARSE = {
    "csr_matrix": lambda row: sparse.csr_matrix(row[None]),
    "csr_array": lambda row: sparse.csr_array(row[None]),
    "coo_matrix": lambda row: sparse.coo_matrix(row[None]),
    "int": lambda row: sparse.csr_matrix(row[None].astype(np.int8)),
    "float32": lambda row: sparse.csr_matrix(row[None].astype(np.float32)),
}


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
    rows = rows_of([convert(row) for row in ROWS], 3, PLACES)
    np.testing.assert_array_equal(rows, ROWS)
    assert rows.dtype == np.float64


@pytest.mark.parametrize(
    "convert",
    [*SPARSE.values(), row_with_spare_room, row_with_duplicates],
    ids=[*SPARSE, "spare room", "duplicates"],
)
def test_sparse_rows(convert):
    rows = rows_of([convert(row) for row in ROWS], 3, PLACES)
    assert rows.format == "csr" and rows.dtype == np.float64
    assert rows.has_canonical_format
    np.testing.assert_array_equal(rows.toarray(), ROWS)


@pytest.mark.parametrize("first", [0, 1])
def test_sparse_and_dense_rows_together_are_dense(first):
    found = list(ROWS)
    found[first] = sparse.csr_matrix(found[first][None])
    np.testing.assert_array_equal(rows_of(found, 3, PLACES), ROWS)


@pytest.mark.parametrize("found", [[1, 2.5, True], [Fraction(1), Fraction(5, 2), 1]])
def test_numbers(found):
    np.testing.assert_array_equal(numbers_of(found, (), PLACES), [1, 2.5, 1])


def watched(answers):
    """A task whose joint features of the examples at PLACES are these."""

    class Given(Multilabel):
        size_joint_feature = 3

        def joint_feature(self, x, y):
            return answers[PLACES.index(x)]

    return Watched(Task(Given(), range(5), [None] * 5), INDEX)


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
        watched(found).joint_features([None] * 5, PLACES)
    assert f" for example {INDEX[PLACES[place]]}" in str(caught.value)


@pytest.mark.parametrize("convert", SPARSE.values(), ids=SPARSE)
@pytest.mark.parametrize("place", range(3))
def test_the_example_of_a_sparse_row_that_is_not_finite_is_named(convert, place):
    found = [convert(row) for row in ROWS]
    found[place] = sparse.csr_matrix([[0, np.nan, 0]])
    with pytest.raises(ProblemError, match=f"NaN or inf.*example {INDEX[PLACES[place]]};"):
        watched(found).joint_features([None] * 5, PLACES)
