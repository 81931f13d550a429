"""Planes: empty cuts, and the sizes that rounding errors are measured by."""

import numpy as np

from structsvm.planes.plane import ROUNDING, no_cuts
from structsvm.planes.store import Store


def test_empty_cuts_have_no_planes_and_an_unknown_slack():
    cuts = no_cuts(["labels"], 3)
    assert cuts.labels == ["labels"] and cuts.outputs is None and cuts.any_loss
    assert cuts.slacks.tolist() == [np.inf] and cuts.sources == []
    assert cuts.rows.shape == (0, 3) and cuts.offsets.shape == cuts.groups.shape == (0,)
    assert cuts.groups.dtype == np.intp
    # So they can be used like any other: no slack is raised by them.
    slacks = np.ones(1)
    np.maximum.at(slacks, cuts.groups, cuts.offsets - cuts.rows @ np.ones(3))
    assert slacks.tolist() == [1.0]
    cuts = no_cuts(None, 3, slacks=np.array([0.25]), any_loss=False)
    assert cuts.slacks.tolist() == [0.25] and not cuts.any_loss


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
