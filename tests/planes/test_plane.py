"""Planes: empty cuts, and the sizes that rounding errors are measured by."""

import numpy as np

from structsvm.planes.plane import ROUNDING
from structsvm.planes.store import Store


def store(rows, offsets):
    planes = Store(rows.shape[1])
    planes.add(rows, offsets, np.zeros(len(rows), int), [None] * len(rows))
    return planes


def test_the_magnitude_bounds_both_terms_of_a_violation():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows, offsets, w = rng.normal(size=(6, 4)), rng.normal(size=6), rng.normal(size=4)
        assert np.all(np.abs(offsets) + np.abs(rows @ w) <= store(rows, offsets).magnitude(w))
    planes = store(np.array([[0.0, 1.0], [4.0, 3.0]]), np.array([-7.0, 2.0]))
    assert planes.magnitude(np.array([3.0, 4.0])) == 7.0 + 25.0
    planes = store(np.array([[1e200]]), np.ones(1))
    assert planes.magnitude(np.zeros(1)) == 1.0 and planes.magnitude(np.ones(1)) == np.inf


def test_rounding_is_far_above_that_of_a_violation():
    rng = np.random.default_rng(0)
    rows, w = rng.normal(size=(50, 1000)), 1e3 * rng.normal(size=1000)
    offsets = rows @ w  # violations of 0, but for rounding
    found = np.abs(offsets - np.array([np.dot(row[::-1], w[::-1]) for row in rows]))
    assert found.max() < 0.01 * ROUNDING * store(rows, offsets).magnitude(w)
