"""Rows that are copies of each other, and numbers of clusters by their first rows."""

import numpy as np
import pytest
from clustering_data import quietly
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from structsvm.data.labels import first_seen, in_order
from structsvm.problems import CPM3C
from structsvm.problems.margin_clustering.copies import distinct_rows, undivided


def test_known_labels_keep_their_numbers_and_their_rows():
    spots = np.random.default_rng(5).normal(size=(3, 3))
    X, known = spots[[0, 0, 1, 1, 2, 2, 2]], np.array([1, 0, 0, -1, -1, -1, -1])
    labels = quietly(CPM3C(2, kernel="linear", n_init=2, random_state=0), X, known).labels_
    np.testing.assert_array_equal(labels[:3], known[:3])
    assert len(set(labels[4:])) == 1


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distinct_rows(convert, dtype):
    X = np.array([[0.0, 1], [2, 0], [-0.0, 1], [0, 0], [2, 0]], dtype=dtype)
    first, copy_of = distinct_rows(convert(X))
    np.testing.assert_array_equal(first, [0, 1, 3])
    np.testing.assert_array_equal(copy_of, [0, 1, 0, 2, 1])


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_undivided_labels(seed, k, different):
    rng = np.random.default_rng(seed)
    copy_of = in_order(rng.integers(different, size=30))
    scores, floors = rng.normal(size=(different, k))[copy_of], rng.integers(4, size=k)
    labels = rng.integers(k, size=30)
    found = undivided(labels, copy_of, floors, lambda: scores)
    assert len(set(zip(copy_of, found, strict=True))) == copy_of.max() + 1
    if floors.all() and copy_of.max() + 1 >= k:
        assert np.bincount(found, minlength=k).min() > 0


def test_first_seen():
    np.testing.assert_array_equal(first_seen(np.array([3, 1, 3, 0]), 5), [3, 1, 0, 2, 4])
