"""Principal coordinates: the scores of weights are those of the rows."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems.margin_clustering.rows import StandardRows
from structsvm.problems.margin_clustering.smoothed_margin import MOST, SHARE, PrincipalCoordinates


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
