"""Matrices that are broken, masked or of the wrong kind are refused before they are read."""

import numpy as np
import pytest
from scipy import sparse

from structsvm import StructuredSVM
from structsvm.data.matrices import (
    in_floats,
    largest_entry,
    mean_square,
    require_matrix,
    stacked_matrices,
    weights_for,
)
from structsvm.features import KernelMap, Whitening
from structsvm.problems import (
    MMC,
    SDPMMC,
    Multiclass,
    MulticlassSVM,
    MultivariateSVM,
    SupervisedKMeans,
)


def broken(form, attribute, place, value):
    """A sparse matrix with one wrong index, as a mistake in building it leaves it."""
    matrix = sparse.random(8, 3, 0.5, format=form, random_state=0)
    getattr(matrix, attribute)[place] = value
    return matrix


BROKEN = [
    broken("csr", "indices", 2, 10**6), broken("csr", "indices", 0, -(10**6)),
    broken("csr", "indptr", 3, 10**6), broken("csr", "indptr", -1, 10**6),
    broken("csr", "indptr", 0, 5), broken("csc", "indices", 0, 10**6),
    broken("coo", "row", 0, 10**6), broken("coo", "col", 0, 10**6),
]  # fmt: skip


@pytest.mark.parametrize("rows", BROKEN, ids=range(len(BROKEN)))
def test_a_sparse_matrix_with_indices_out_of_range(rows):
    labels = [0, 1] * 4
    for estimator in (
        MulticlassSVM(),
        MultivariateSVM(),
        MMC(),
        SDPMMC(),
        Whitening(),
        KernelMap(),
    ):
        with pytest.raises(ValueError, match=r"not a valid CS[RC] matrix|not a valid COO matrix"):
            estimator.fit(rows, labels)
    with pytest.raises(ValueError, match=r"X\[0\]: X is not a valid"):
        SupervisedKMeans().fit([rows], [labels])
    if rows.format == "csr":
        with pytest.raises(ValueError, match="not a valid CSR matrix"):
            StructuredSVM(Multiclass()).fit(rows, labels)


def test_a_matrix_that_is_checked_stays_as_it_is():
    rows = sparse.random(8, 3, 0.5, format="csr", random_state=0)
    rows.data, rows.indices = np.append(rows.data, 1.0), np.append(rows.indices, 0)
    arrays = rows.data, rows.indices, rows.indptr
    require_matrix(rows)
    assert all(a is b for a, b in zip((rows.data, rows.indices, rows.indptr), arrays, strict=True))


def test_masked_data_and_integers_too_large_for_a_float_are_refused():
    masked = np.ma.masked_array(np.eye(4), np.eye(4) > 0)
    with pytest.raises(ValueError, match="X must not be masked"):
        MulticlassSVM().fit(masked, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="X must not be masked"):
        StructuredSVM(Multiclass()).fit(masked, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="y must not be masked"):
        MulticlassSVM().fit(np.eye(4), np.ma.masked_array([0, 1, 0, 1], [0, 0, 0, 1]))
    with pytest.raises(ValueError, match="X must hold finite numbers"):
        MulticlassSVM().fit([[10**400], [1]], [0, 1])


def test_weights_that_float32_cannot_hold_are_multiplied_in_float64():
    rows = np.eye(2, dtype=np.float32)
    assert weights_for(rows, np.array([1.0, 1e-300])).dtype == np.float32
    for size in (1e39, 1e-40):
        assert weights_for(rows, np.array([size, 0.0])).dtype == np.float64
    assert weights_for(rows, np.zeros(2)).dtype == np.float32
    usual = MMC(n_init=2, random_state=0).fit(1e-50 * np.random.default_rng(0).normal(size=(8, 2)))
    assert np.isfinite(usual.decision_function(1e10 * rows)).all()


def test_the_largest_entry():
    assert largest_entry(np.array([[1, -3], [2, 0]])) == 3
    assert largest_entry(np.array([[-(2**63), 0]])) == 2.0**63
    assert largest_entry(sparse.csr_matrix((2, 2))) == 0
    assert np.isnan(largest_entry(np.array([[1.0, np.nan]])))
    assert largest_entry(np.array([[1.0, -np.inf]])) == np.inf


def test_stacks_are_sparse_if_any_part_is():
    dense, thin = np.eye(2), sparse.csr_matrix(np.ones((1, 2)))
    assert isinstance(stacked_matrices([dense, dense]), np.ndarray)
    both = stacked_matrices([dense, thin])
    assert both.format == "csr"
    np.testing.assert_array_equal(both.toarray(), [[1, 0], [0, 1], [1, 1]])


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_the_mean_square_is_that_of_the_rows(convert):
    rows = convert(np.array([[3.0, 4.0], [0.0, 1.0]]))
    assert mean_square(rows) == 13
    assert mean_square(rows, np.array([1.0, 3.0])) == 7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sparse.csr_matrix])
def test_floats_are_not_copied(dtype, convert):
    rows = convert(np.eye(3, dtype=dtype))
    assert in_floats(rows) is rows


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [
        *((kind, np.float64) for kind in "?bBhHiIlLqQ"), (np.longdouble, np.float64),
        (">f8", np.float64), (">u2", np.float64), (np.float16, np.float32), (">f4", np.float32),
    ],
)  # fmt: skip
def test_numbers_of_other_dtypes_become_floats(dtype, kept):
    rows = np.array([[1, 0], [0, 1]], dtype)
    found = in_floats(rows)
    assert found.dtype == kept and found.dtype.isnative
    np.testing.assert_array_equal(found, rows)


def test_large_integers_are_rounded_and_huge_numbers_become_infinite():
    exact, rounded = 2**53, 2**53 + 1
    assert in_floats(np.array([exact, rounded], dtype=np.uint64)).tolist() == [exact, exact]
    assert in_floats(np.array([np.finfo(np.longdouble).max])).tolist() == [np.inf]


def test_entries_of_a_sparse_matrix_are_sorted_and_summed_in_a_copy():
    arrays = np.array([200, 100, 7], np.uint8), np.array([1, 1, 0]), np.array([0, 3, 3])
    rows = sparse.csr_matrix(arrays, (2, 2))
    found = in_floats(rows)
    assert (found.data.tolist(), found.indices.tolist()) == ([7.0, 300.0], [0, 1])
    assert rows.data.tolist() == [200, 100, 7] and rows.indices.tolist() == [1, 1, 0]


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "dok"])
def test_sparse_matrices_of_other_formats_become_csr(form):
    rows = sparse.random(4, 3, 0.5, format=form, random_state=0)
    found = in_floats(rows)
    assert found.format == "csr" and found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), rows.toarray())
