"""Slices: as many rows as fit in memory, from what is known of them."""

import numpy as np
from scipy import sparse

from structsvm.oracle import slices
from structsvm.task.slices import Slices


def lengths(n, rows):
    """The lengths of the slices of n examples whose rows are all like these."""
    found, end = Slices(n, rows.shape[1]), 0
    for places in found:
        assert places.start == end
        end = places.stop
        found.note(rows)
        yield places.stop - places.start
    assert end == n


def test_dense_rows_are_divided_evenly(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_NUMBERS", 100)
    assert list(lengths(25, np.ones((4, 10)))) == [10, 10, 5]
    assert list(lengths(3, np.ones((4, 1000)))) == [1, 1, 1]
    assert not list(lengths(0, np.ones((4, 10))))


def test_sparse_rows_count_by_their_entries_once_some_are_known(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_NUMBERS", 20_000)
    monkeypatch.setattr(slices, "SPARSE_ROW", 98)
    rows = sparse.csr_matrix(([1.0] * 8, range(8), [0, 2, 4, 6, 8]), (4, 1000))
    assert list(lengths(250, rows)) == [20, 200, 30]
    assert list(lengths(3000, rows[:, :10])) == [2000, 1000], "no more than dense ones"
