"""Sequences of examples in any container, and those that are refused."""

import numpy as np
import pytest
from scipy import sparse
from toy_problems import Multilabel, multilabel_data

from structsvm import OneSlackCuttingPlane, StructuredSVM, check_problem
from structsvm.data.containers import Joined, in_single, joined, n_examples, stacked, take
from structsvm.problems import LabellingProblem, Multiclass

X, Y = multilabel_data()


@pytest.mark.parametrize("data", [[5, 6, 7], np.array([5, 6, 7]), (5, 6, 7), range(5, 8)])
def test_data_of_any_kind_of_sequence(data):
    assert n_examples(data) == 3
    assert list(take(data, [2, 0])) == [7, 5]
    assert list(take(data, slice(1, 3))) == [6, 7]


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("rows", [slice(0, 7), slice(2, 5), slice(3, 3), slice(5, 100)])
def test_a_slice_of_rows_shares_their_memory(make, rows):
    matrix = make(sparse.random(7, 3, 0.5, format="csr", random_state=0))
    part = take(matrix, rows)
    assert type(part) is type(matrix) and part.shape == matrix[rows].shape
    np.testing.assert_array_equal(part.toarray(), matrix[rows].toarray())
    assert not part.nnz or np.shares_memory(part.data, matrix.data)
    assert not part.nnz or np.shares_memory(part.indices, matrix.indices)


def test_half_precision_becomes_single_and_all_else_stays_the_same_object():
    half, text = np.ones((2, 3), np.float16), ["a", "b"]
    assert in_single(half).dtype == np.float32
    assert [x.dtype for x in in_single((half, half.astype(int)))] == [np.float32, int]
    for data in (half.astype(np.float32), np.ones(2), text, [np.ones(2), text], range(3)):
        assert in_single(data) is data


def test_arrays_are_joined_to_an_array_and_lists_to_a_list():
    whole = joined([np.array([1, 2]), np.array([3])])
    assert isinstance(whole, np.ndarray) and whole.tolist() == [1, 2, 3]
    assert joined([[1, 2], [3]]) == [1, 2, 3]
    one = (1, 2)
    assert joined([one]) is one


def test_others_are_read_as_one_sequence():
    parts = [(1, 2), range(3, 6), (6,)]
    whole = joined(parts)
    assert isinstance(whole, Joined)
    assert len(whole) == 6 and list(whole) == [1, 2, 3, 4, 5, 6]
    assert [whole[i] for i in (-1, -6, 2)] == [6, 1, 3]
    assert whole[2:5] is parts[1] and whole[:2] is parts[0]
    assert whole[1:4] == [2, 3, 4] and whole[3:5] == [4, 5] and whole[:] == list(range(1, 7))
    assert take(whole, [5, 0]) == [6, 1]
    with pytest.raises(IndexError):
        whole[6]


def test_rows_are_stacked_in_csr_format_if_all_are():
    dense = np.arange(6.0).reshape(2, 3)
    parts = [sparse.csr_matrix(dense), sparse.csr_matrix((0, 3)), sparse.csr_matrix(-dense)]
    whole = stacked(parts)
    assert sparse.issparse(whole) and whole.format == "csr"
    np.testing.assert_array_equal(whole.toarray(), np.vstack([dense, -dense]))
    np.testing.assert_array_equal(stacked([parts[0], -dense]), np.vstack([dense, -dense]))
    assert stacked(parts[:2]) is parts[0], "empty ones are left out"
    assert stacked(parts[1:2]) is parts[1]


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("empty", [[], (), np.empty((0, 2))])
def test_no_examples(empty):
    with pytest.raises(ValueError, match="X is empty"):
        OneSlackCuttingPlane().solve(Multilabel(), empty, [])


@pytest.mark.parametrize("data", [None, 7, iter(X), object()])
def test_data_that_are_no_sequence(data):
    with pytest.raises((ValueError, TypeError), match=r"^X (must be|is) a"):
        OneSlackCuttingPlane().solve(Multilabel(), data, Y)
    with pytest.raises((ValueError, TypeError), match=r"^Y (must be|is) a|Y; it is None"):
        OneSlackCuttingPlane().solve(Multilabel(), X, data)


def test_data_indexed_by_label_as_in_pandas_are_refused():
    """``series[0]`` is the row *labelled* 0: after a shuffle another one than ``array[0]``."""

    class Series(list):
        iloc = None

    for name, data in (("X", (Series(X), Y)), ("Y", (X, Series(Y)))):
        with pytest.raises(ValueError, match=f"^{name} .*to_numpy"):
            OneSlackCuttingPlane().solve(Multilabel(), *data)
    svm = StructuredSVM(Multilabel()).fit(X, Y)
    with pytest.raises(ValueError, match=r"to_numpy"):
        svm.predict(Series(X))
    with pytest.raises(ValueError, match=r"to_numpy"):
        svm.score(X, Series(Y))


@pytest.mark.parametrize("form", ["bsr", "coo", "dia"])
def test_a_sparse_matrix_whose_rows_cannot_be_taken(form):
    matrix = sparse.eye(3).asformat(form)
    with pytest.raises(ValueError, match=rf"X is a sparse matrix of format '{form}'.*X\.tocsr\(\)"):
        n_examples(matrix)


def test_broken_sparse_inputs_are_refused_before_they_are_read():
    broken = sparse.csr_matrix(np.eye(4))
    broken.indices[1] = 10**6
    labels = np.arange(4) % 2 > 0
    with pytest.raises(ValueError, match="not a valid CSR matrix"):
        check_problem(Multiclass(), broken, labels)
    with pytest.raises(ValueError, match="not a valid CSR matrix"):
        StructuredSVM(Multiclass()).fit(np.eye(4), labels).predict(broken)
    with pytest.raises(ValueError, match="not a valid CSR matrix"):
        StructuredSVM(LabellingProblem()).fit([np.eye(4)], [labels]).predict([broken])


@pytest.mark.parametrize("form", ["coo", "csr"])
def test_a_sparse_array_without_rows_is_refused(form):
    with pytest.raises(ValueError, match=r"^X must have a row for each example; got .*\(3,\)"):
        n_examples(sparse.coo_array(np.ones(3)).asformat(form))
