"""A point that moves along rows, and its average."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.planes.example_planes import OwnPlane
from structsvm.solvers.averaged_point import AveragedPoint


@pytest.mark.parametrize("fraction", [0.1, 0.9], ids=["sparse", "dense"])
def test_the_average_is_that_of_the_points_with_growing_weights(fraction):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(12, 30)) * (rng.random((12, 30)) < fraction)
    rows = [OwnPlane.of(sparse.csr_matrix(dense), k, 0.0, None) for k in range(12)]
    rows = rows if fraction < 0.5 else [OwnPlane.of(dense, k, 0.0, None) for k in range(12)]
    point, w, average = AveragedPoint(30), np.zeros(30), np.zeros(30)
    for k in range(1, 40):
        first, second = rng.choice(12, 2, replace=False)
        direction, length = dense[first] - dense[second], rng.random()
        terms = [(rows[first], 1.0), (rows[second], -1.0)]
        assert point.squared_norm(terms) == pytest.approx(direction @ direction)
        point.step(terms, length)
        w += length * direction
        average += 2 / (k + 2) * (w - average)
        np.testing.assert_allclose(point.w, w, atol=1e-12)
        np.testing.assert_allclose(point.average, average, atol=1e-12)


def test_a_direction_of_equal_rows_is_zero():
    row = OwnPlane.of(np.array([[0.1, 0.7, 0.3]]), 0, 0.0, None)
    point = AveragedPoint(3)
    assert point.squared_norm([(row, 1.0), (row, -1.0)]) == 0
    assert point.squared_norm([(row, 1.0)]) == pytest.approx(0.59)
