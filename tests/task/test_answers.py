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


@pytest.mark.parametrize("convert", [list, np.float32, np.int8, lambda row: row * True])
def test_dense_rows(convert):
    rows = rows_of([convert(row) for row in ROWS], 3, PLACES)
    np.testing.assert_array_equal(rows, ROWS)
    assert rows.dtype == np.float64


@pytest.mark.parametrize("convert", [*SPARSE.values(), row_with_spare_room, row_with_duplicates])
def test_sparse_rows(convert):
    rows = rows_of([convert(row) for row in ROWS], 3, PLACES)
    assert rows.has_canonical_format and rows.format == "csr" and rows.dtype == np.float64
    np.testing.assert_array_equal(rows.toarray(), ROWS)
    for first in (0, 1):  # beside dense ones
        mixed = [convert(row) if i == first else row for i, row in enumerate(ROWS)]
        np.testing.assert_array_equal(rows_of(mixed, 3, PLACES), ROWS)


@pytest.mark.parametrize("found", [[1, 2.5, True], [Fraction(1), Fraction(5, 2), 1]])
def test_numbers(found):
    np.testing.assert_array_equal(numbers_of(found, (), PLACES), [1, 2.5, 1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.array([1.0, np.nan, 0]), "NaN or infinity"),
        (None, "None"),
        ("text", "got str"),
        (np.array([1j, 0, 0]), "complex"),
        (sparse.coo_matrix([[1.0, np.inf, 0]]), "NaN or infinity"),
        (sparse.csr_matrix([[1.0, 0]]), "shape"),
    ],
)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_the_example_of_a_wrong_row_is_named(wrong, message, convert):
    class Given(Multilabel):
        size_joint_feature = 3

        def joint_feature(self, x, y):
            return wrong if x == 4 else np.ravel(ROWS[0]) if convert is np.asarray else row

    row = sparse.csr_matrix(ROWS[:1])
    task = Watched(Task(Given(), range(5), [None] * 5), INDEX)
    with pytest.raises(ProblemError, match=rf"joint_feature .*{message}") as caught:
        task.joint_features([None] * 5, PLACES)
    assert " for example 14" in str(caught.value)
