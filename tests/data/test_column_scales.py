"""Moments and scales of columns, of every kind of matrix."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.data.column_moments import ColumnMoments
from structsvm.data.column_scales import FAR, ColumnScales
from structsvm.data.intercepts import BIAS
from structsvm.data.mixed import MixedRows

RNG = np.random.default_rng(0)
WEIGHTS = RNG.random(300)
#: A year, categories that are rare and frequent, a constant, zeros, tiny and huge numbers.
COLUMNS = {
    "year": RNG.normal(1990, 10, 300),
    "rare": RNG.random(300) < 0.1,
    "frequent": RNG.random(300) < 0.8,
    "constant": np.full(300, 3.0),
    "zero": np.zeros(300),
    "tiny": 1e-200 * RNG.normal(size=300),
    "huge": 1e150 * RNG.normal(size=300),
}
ROWS = np.column_stack(list(COLUMNS.values()))
CENTRED = {"centred": True, "constant": True}


def mixed(rows):
    return MixedRows(sparse.csr_matrix(rows[:, :3]), rows[:, 3:])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, mixed])
def test_moments_are_those_of_all_entries(kind):
    units, means, variances, filled, full = ColumnMoments.of(kind(ROWS), WEIGHTS)
    rows = ROWS / units
    expected = np.average(rows, axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(units[:3], [ROWS[:, 0].max(), 1, 1])
    np.testing.assert_allclose(means, expected, atol=1e-15)
    spread = np.average((rows - expected) ** 2, axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(variances, np.where(spread > 1e-25, spread, 0), rtol=1e-9)
    np.testing.assert_allclose(filled, np.average(rows != 0, axis=0, weights=WEIGHTS))
    dense = {np.asarray: slice(None), sparse.csr_matrix: slice(0), mixed: slice(3, None)}[kind]
    expected = filled > 0.5
    expected[dense] = True
    np.testing.assert_array_equal(full, expected)


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, mixed])
def test_the_mean_square_of_the_rows_is_1_in_every_kind_of_matrix(kind, centred):
    scales = ColumnScales.learned(
        ColumnMoments.of(kind(ROWS), WEIGHTS), centred=centred, constant=False
    )
    found = scales.applied(kind(ROWS))
    found = found if isinstance(found, np.ndarray) else found.tocsr().toarray()
    assert np.average(np.square(found).sum(axis=1), weights=WEIGHTS) == pytest.approx(1)
    np.testing.assert_allclose(found, scales.applied(ROWS), atol=1e-12)


def test_columns_of_arrays_are_standardised():
    """Also those that are mostly 0, but for constants."""
    scales = ColumnScales.learned(ColumnMoments.of(ROWS, WEIGHTS), **CENTRED)
    found = scales.applied(ROWS)[:, :-1]
    np.testing.assert_allclose(np.average(found, axis=0, weights=WEIGHTS), 0, atol=1e-12)
    squares = np.average(np.square(found), axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(squares, (np.ptp(ROWS, axis=0) > 0) / 5)
    assert scales.constant == pytest.approx(BIAS / np.sqrt(5))


@pytest.mark.parametrize("evened", [0.0, 0.5, 1.0])
def test_sparse_columns_come_a_part_of_the_way_to_one_size(evened):
    filled, entries = np.array([0.04, 0.25, 0.49]), np.array([1.0, 1.0, 2.0])
    rows = sparse.csr_matrix((np.arange(100)[:, None] < 100 * filled) * entries)
    scales = ColumnScales.learned(ColumnMoments.of(rows, np.ones(100)), **CENTRED, evened=evened)
    found = np.sqrt(scales.applied(rows).power(2).mean(axis=0))[0, :3]
    sizes = (entries * np.sqrt(filled)) ** (1 - evened)
    np.testing.assert_allclose(np.ravel(found / found[0, 0]), sizes / sizes[0])
    assert not scales.means.any() and scales.applied(rows).nnz == rows.nnz + 100


def test_a_sparse_column_in_another_unit_does_not_drown_the_others():
    sizes = np.array([1.0] * 9 + [1e9])
    rows = sparse.csr_matrix((RNG.random((300, 10)) < 0.2) * sizes)
    moments = ColumnMoments.of(rows, np.ones(300))
    found = sizes / ColumnScales.learned(moments, **CENTRED).sizes * moments.filled**0.25
    assert found[9] < FAR * 10 * found[0]


def test_a_sparse_column_that_is_mostly_filled_is_standardised():
    rows = sparse.csr_matrix(ROWS[:, :3])
    scales = ColumnScales.learned(ColumnMoments.of(rows, WEIGHTS), **CENTRED)
    expected = np.average(ROWS[:, :3], axis=0, weights=WEIGHTS) * [1, 0, 1]
    np.testing.assert_allclose(scales.means, expected)


def test_a_constant_is_subtracted_or_kept():
    constant = np.full((50, 1), -7.0)
    scales = ColumnScales.learned(ColumnMoments.of(constant, np.ones(50)), **CENTRED)
    np.testing.assert_allclose(scales.applied(constant)[:, 0], 0)
    kept = ColumnScales.learned(
        ColumnMoments.of(constant, np.ones(50)), centred=False, constant=False
    )
    np.testing.assert_allclose(kept.applied(constant), -1)


@pytest.mark.parametrize("constant", [True, False])
def test_weights_of_the_features_as_given_score_alike(constant):
    rows = ROWS[:, :5]
    scales = ColumnScales.learned(
        ColumnMoments.of(rows, WEIGHTS), centred=constant, constant=constant
    )
    changed = scales.applied(rows)
    W = RNG.normal(size=(3, changed.shape[1]))
    coef, intercept = scales.parts(scales.given(W))
    np.testing.assert_allclose(rows @ coef.T + intercept, changed @ W.T, atol=1e-10)
    np.testing.assert_allclose(scales.trained(scales.given(W)), W, atol=1e-10)


def test_none_changes_nothing_but_for_the_constant():
    rows = ROWS[:, :3]
    scales = ColumnScales.none(ColumnMoments.of(rows, WEIGHTS), constant=True)
    np.testing.assert_array_equal(scales.applied(rows)[:, :3], rows)
    assert scales.constant == BIAS
    assert scales.applied(rows.astype(np.float32)).dtype == np.float32
    squares = np.square(rows).sum(axis=1)
    assert scales.square == pytest.approx(np.average(squares, weights=WEIGHTS))


def test_limited_columns_are_together_no_larger_than_the_others():
    rows = (
        np.random.default_rng(0).normal(size=(200, 12)) * np.r_[np.ones(2), np.full(10, 30.0)] + 5
    )
    moments = ColumnMoments.of(rows, np.ones(200))
    some = np.arange(12) >= 2
    scales = ColumnScales.learned(moments, centred=True, constant=False)
    limited = scales.limited(moments, some).applied(rows)
    squares = np.square(limited).mean(axis=0)
    assert squares[some].sum() == pytest.approx(0.5) == squares[~some].sum()
    for others in (~some, np.ones(12, dtype=bool)):
        assert scales.limited(moments, others) is scales
