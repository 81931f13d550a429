"""Coordinates of rows in the space that they span."""

import numpy as np
import pytest

from structsvm.data.row_space import RowSpace

DEPENDENT = np.random.default_rng(0).normal(size=(5, 9))
DEPENDENT[1], DEPENDENT[2], DEPENDENT[3] = DEPENDENT[0], 0, DEPENDENT[0] + DEPENDENT[4]


@pytest.mark.parametrize(
    "X", [DEPENDENT, 1e6 * DEPENDENT[[0, 4]], DEPENDENT[:1, :4], DEPENDENT[:5, :5]]
)
def test_products_of_rows_and_of_weights_are_kept(X):
    space, size = RowSpace(X), np.abs(X).max()
    assert space.coordinates.shape == (len(X), len(X))
    products = space.coordinates @ space.coordinates.T
    np.testing.assert_allclose(products, X @ X.T, atol=1e-12 * size**2)
    for shape in ((), (2, 3)):
        W = np.random.default_rng(0).normal(size=(*shape, len(X)))
        found = space.lifted(W)
        assert found.shape == (*shape, X.shape[1])
        np.testing.assert_allclose(found @ X.T, W @ space.coordinates.T, atol=1e-12 * size)
    found, W = found.reshape(6, -1), W.reshape(6, -1)
    np.testing.assert_allclose(found @ found.T, W @ W.T, atol=1e-12)
