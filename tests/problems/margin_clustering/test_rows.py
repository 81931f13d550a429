"""Rows centred and scaled without a copy, and their principal coordinates."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.data.intercepts import BIAS
from structsvm.datasets import digits_pair
from structsvm.problems import MMC
from structsvm.problems.margin_clustering.rows import StandardRows
from structsvm.problems.margin_clustering.smoothed_margin import MOST, SHARE, PrincipalCoordinates


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


# ---------------------------------------------------------------------- principal coordinates


def rows(n, d, dtype=np.float64):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n, d)) * np.linspace(3, 1, d) + 5).astype(dtype)


@pytest.mark.parametrize(("offset", "center"), [(False, True), (True, True), (False, False)])
@pytest.mark.parametrize("shape", [(60, 5), (5, 60)])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "tiny", "huge"])
def test_weights_have_equal_scores_for_rows_and_coordinates(offset, center, shape, kind):
    x = rows(*shape, np.float32 if kind == "float32" else np.float64)
    x = {"sparse": sparse.csr_matrix, "tiny": lambda x: 1e-90 * x, "huge": lambda x: 1e90 * x}.get(
        kind, lambda x: x
    )(x)
    standard = StandardRows(x, offset, center)
    coordinates = PrincipalCoordinates(standard, x)
    means = coordinates.values.mean(axis=0)
    np.testing.assert_allclose(means[-1], coordinates.mean, atol=1e-6)
    np.testing.assert_allclose(means[:-1], 0, atol=1e-6)
    assert (coordinates.mean > 0) == (offset or not center)
    W = np.random.default_rng(1).normal(size=(3, coordinates.values.shape[1]))
    scores = standard.scores(x, coordinates.weights(W))
    tolerance = 1e-3 if kind == "float32" else 1e-6
    np.testing.assert_allclose(
        scores, coordinates.values @ W.T, atol=tolerance * np.abs(scores).max()
    )


def test_the_coordinates_hold_almost_all_of_the_variance():
    x = rows(300, 20)
    values = PrincipalCoordinates(StandardRows(x, False), x).values
    products = values.T @ values / len(x)
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-9)
    assert SHARE <= np.trace(products) <= 1 + 1e-9  # the rows have a mean squared norm of 1
    assert np.trace(products) - products[-1, -1] < SHARE
    wide = rows(150, 400)
    assert PrincipalCoordinates(StandardRows(wide, False), wide).values.shape == (150, MOST)


def test_copies_of_two_rows_have_one_coordinate():
    x = np.repeat([[0.0, 1.0], [3.0, 0.0]], 10, axis=0)
    assert PrincipalCoordinates(StandardRows(x, False), x).values.shape == (20, 1)
