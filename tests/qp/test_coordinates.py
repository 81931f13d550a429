"""Coordinates of rows: products are kept, and columns are as exact as they were."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.qp import coordinates
from structsvm.qp.coordinates import Coordinates


@pytest.mark.parametrize("shape", [(5, 3), (3, 7), (1, 4), (6, 1)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_rows_are_t_times_q(shape, container):
    rows = np.random.default_rng(0).normal(size=shape)
    rows[:, shape[1] // 2] = 0.0
    found = Coordinates.of_rows(container(rows))
    np.testing.assert_allclose(found.T @ found.T.T, rows @ rows.T, atol=1e-13)
    for t, row in zip(found.T, rows, strict=True):
        np.testing.assert_allclose(found.point(t), row, atol=1e-13)


def test_small_columns_are_as_exact_as_large_ones():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(6, 9)) * 10.0 ** np.arange(-9, 9, 2)
    found = Coordinates.of_rows(rows)
    again = np.array([found.point(t) for t in found.T])
    np.testing.assert_allclose(
        again / np.abs(rows).max(axis=0), rows / np.abs(rows).max(axis=0), atol=1e-13
    )


def test_a_common_part_becomes_a_column_of_its_own():
    rows = np.random.default_rng(2).normal(size=(6, 9)) + 1e9
    T = Coordinates.of_rows(rows).T
    assert np.abs(T[:, 0]).min() > 1e9 and np.abs(T[:, 1:]).max() < 10
    exact = rows - 1e9  # differences of rows have no common part
    for i, j in [(0, 1), (2, 5)]:
        length = np.linalg.norm(exact[i] - exact[j])
        assert np.linalg.norm(T[i] - T[j]) == pytest.approx(length, rel=1e-6)


def test_a_gram_matrix_has_coordinates_without_a_basis():
    rows = np.random.default_rng(3).normal(size=(6, 4))
    found = Coordinates.of_gram(rows @ rows.T)
    assert found.T.shape == (6, 4) and found.point(np.ones(4)) is None
    np.testing.assert_allclose(found.T @ found.T.T, rows @ rows.T, atol=1e-12)


def test_too_many_numbers_are_not_factorised(monkeypatch):
    monkeypatch.setattr(coordinates, "MOST_NUMBERS", 11)
    assert Coordinates.of_rows(np.ones((3, 4))) is None
    assert Coordinates.of_rows(np.eye(3, 4)) is not None  # a column of zeros is no number
