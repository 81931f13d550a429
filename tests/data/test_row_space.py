"""Coordinates of rows in the space that they span."""

import numpy as np
import pytest

from structsvm.data.row_space import RowSpace


def rows(kind, n=5, d=9):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    if kind == "dependent":
        X[1], X[2], X[3] = X[0], 0, X[0] + X[4]
    return 1e6 * X if kind == "large" else X


@pytest.mark.parametrize("kind", ["random", "dependent", "large"])
@pytest.mark.parametrize("shape", [(5, 9), (1, 4), (6, 6)])
def test_products_of_rows_and_of_weights_are_kept(kind, shape):
    X = rows(kind if shape[0] > 1 else "random", *shape)
    space, W = RowSpace(X), np.random.default_rng(0).normal(size=(2, 3, len(X)))
    found = space.lifted(W)
    assert space.coordinates.shape == (len(X), len(X))
    assert found.shape == (2, 3, X.shape[1])
    size = np.abs(X).max()
    np.testing.assert_allclose(found @ X.T, W @ space.coordinates.T, atol=1e-12 * size)
    np.testing.assert_allclose(
        space.coordinates @ space.coordinates.T, X @ X.T, atol=1e-12 * size**2
    )
    np.testing.assert_allclose(
        found.reshape(6, -1) @ found.reshape(6, -1).T, W.reshape(6, -1) @ W.reshape(6, -1).T
    )


def test_a_single_vector_of_weights():
    X = rows("random")
    space = RowSpace(X)
    w = np.arange(5.0)
    np.testing.assert_allclose(X @ space.lifted(w), space.coordinates @ w, atol=1e-12)
