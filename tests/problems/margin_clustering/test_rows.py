"""Rows centred and scaled without a copy."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.data.intercepts import BIAS
from structsvm.datasets import digits_pair
from structsvm.problems import MMC
from structsvm.problems.margin_clustering.rows import StandardRows


def test_rows_too_far_from_the_origin_for_their_precision_are_refused():
    X, _ = digits_pair(3, 8)
    with pytest.raises(ValueError, match="precision of float32"):
        MMC().fit((X + 2000).astype(np.float32))
    assert MMC(C=100.0, kernel="linear", random_state=0).fit(X + 2000).objective_ == pytest.approx(
        12.67, abs=0.02
    )


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_scores_and_sums_are_those_of_rows_that_are_centred_and_scaled(convert, offset, center):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) * [1, 5, 0.1] + 7
    rows, given = StandardRows(convert(X), offset, center), convert(X)
    explicit = X - center * X.mean(axis=0)
    explicit /= np.sqrt(np.square(explicit).sum(axis=1).mean())
    if offset:
        explicit = np.column_stack([explicit, np.full(20, BIAS)])
    W, weights = rng.normal(size=(2, rows.size)), rng.normal(size=(4, 20))
    np.testing.assert_allclose(rows.scores(given, W), explicit @ W.T, atol=1e-10)
    np.testing.assert_allclose(rows.weighted_sums(given, weights), weights @ explicit, atol=1e-10)
    coef, offsets = rows.linear_function(W)
    np.testing.assert_allclose(X @ coef.T + offsets, explicit @ W.T, atol=1e-10)
    np.testing.assert_allclose(rows.mean_row, explicit.mean(axis=0), atol=1e-10)
    if not center:
        assert np.all(offsets == (BIAS * W[:, -1] if offset else 0))


def test_a_mean_that_is_a_rounding_error_is_none():
    X = np.random.default_rng(0).normal(size=(20, 3))
    rows = StandardRows(X - X.mean(axis=0), False, center=False)
    assert not rows.mean_row.any()


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_the_effective_dimension_counts_directions(convert):
    line = np.outer(np.arange(1.0, 9), [1, 2, 3])
    cube = np.vstack([np.eye(3), -np.eye(3)])
    for X, dimension in ((line, 1), (cube, 3)):
        assert StandardRows(X, False).effective_dimension(convert(X)) == pytest.approx(dimension)
