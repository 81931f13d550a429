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
    units, means, variances, filled = ColumnMoments.of(kind(ROWS), WEIGHTS)
    rows = ROWS / units
    expected = np.average(rows, axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(units[:3], [ROWS[:, 0].max(), 1, 1])
    np.testing.assert_allclose(means, expected, atol=1e-15)
    spread = np.average((rows - expected) ** 2, axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(variances, np.where(spread > 1e-25, spread, 0), rtol=1e-9)
    np.testing.assert_allclose(filled, np.average(rows != 0, axis=0, weights=WEIGHTS))


def test_a_small_variance_beside_a_large_mean_is_found():
    rows = 1e6 + 1e-3 * RNG.normal(size=(300, 1))
    _, _, variance, filled = ColumnMoments.of(rows, np.ones(300))
    assert variance[0] == pytest.approx(rows.var() / rows.max() ** 2, rel=1e-4)
    assert filled[0] == 1


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, mixed])
def test_the_mean_square_of_the_rows_is_1_in_every_kind_of_matrix(kind, centred):
    scales = ColumnScales.learned(
        ColumnMoments.of(kind(ROWS), WEIGHTS), centred=centred, constant=False
    )
    dense = ColumnScales.learned(ColumnMoments.of(ROWS, WEIGHTS), centred=centred, constant=False)
    np.testing.assert_allclose(scales.sizes, dense.sizes)
    np.testing.assert_allclose(scales.means, dense.means)
    found = scales.applied(kind(ROWS))
    found = found if isinstance(found, np.ndarray) else found.tocsr().toarray()
    assert np.average(np.square(found).sum(axis=1), weights=WEIGHTS) == pytest.approx(1)
    np.testing.assert_allclose(found, dense.applied(ROWS), atol=1e-12)


def test_full_columns_are_standardised():
    full = ROWS[:, [0, 2, 5, 6]]
    scales = ColumnScales.learned(ColumnMoments.of(full, WEIGHTS), **CENTRED)
    found = scales.applied(full)[:, :-1]
    np.testing.assert_allclose(np.average(found, axis=0, weights=WEIGHTS), 0, atol=1e-12)
    squares = np.average(np.square(found), axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(squares, 1 / 4)
    assert scales.constant == pytest.approx(BIAS / 2)


def test_other_columns_stay_as_different_as_they_are_within_limits():
    sizes = np.array([1.0] * 9 + [2.0, 1000.0])
    rows = sparse.csr_matrix((RNG.random((300, 11)) < 0.2) * sizes)
    scales = ColumnScales.learned(ColumnMoments.of(rows, np.ones(300)), **CENTRED)
    found = sizes / scales.sizes
    assert found[9] == pytest.approx(2 * found[0])
    filled = ColumnMoments.of(rows, np.ones(300)).filled
    typical = np.exp(np.average(np.log(sizes), weights=filled))
    assert found[10] == pytest.approx(FAR * typical * found[0])
    assert not scales.means.any() and scales.applied(rows).nnz == rows.nnz + 300


def texts(d, entries):
    """Rows of d rare words, a frequent one with smaller entries, and a number of another kind."""
    filled = np.append(np.full(d, 0.1), [0.9, 1.0])
    rows = (RNG.random((300, d + 2)) < filled) * entries((300, d + 2))
    rows[:, d:] = rows[:, d:] * [0.5, 3.0] + [0, 1.0]
    return rows


def test_frequent_words_are_as_the_others():
    rows = texts(60, lambda shape: RNG.uniform(0.5, 1.5, size=shape))
    scales = ColumnScales.learned(ColumnMoments.of(rows, np.ones(300)), **CENTRED)
    np.testing.assert_allclose(scales.sizes[:61], scales.sizes[0])
    assert scales.means[:61].tolist() == [0] * 61
    assert scales.means[61] == pytest.approx(rows[:, 61].mean())
    few = ColumnScales.learned(ColumnMoments.of(rows[:, 50:61], np.ones(300)), **CENTRED)
    assert few.means[-1] == pytest.approx(rows[:, 60].mean())


def test_numbers_beside_categories_are_no_words():
    rows = texts(60, np.ones)
    rows[:, 60] = RNG.random(300)
    scales = ColumnScales.learned(ColumnMoments.of(rows, np.ones(300)), **CENTRED)
    assert scales.means[60] == pytest.approx(rows[:, 60].mean())


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


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_single_precision_stays(kind):
    rows = kind(ROWS[:, :4].astype(np.float32))
    found = ColumnScales.learned(ColumnMoments.of(rows, WEIGHTS), **CENTRED).applied(rows)
    assert found.dtype == np.float32


def test_none_changes_nothing_but_for_the_constant():
    rows = ROWS[:, :3]
    scales = ColumnScales.none(ColumnMoments.of(rows, WEIGHTS), constant=True)
    np.testing.assert_array_equal(scales.applied(rows)[:, :3], rows)
    assert scales.constant == BIAS
    squares = np.square(rows).sum(axis=1)
    assert scales.square == pytest.approx(np.average(squares, weights=WEIGHTS))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_no_rows(kind):
    scales = ColumnScales.learned(ColumnMoments.of(kind(np.empty((0, 2))), np.empty(0)), **CENTRED)
    np.testing.assert_array_equal(scales.sizes, 1)


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
