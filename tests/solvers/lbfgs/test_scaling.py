"""Scales of the coordinates: for rough estimates of the curvature, and for measured ones."""

import numpy as np
import pytest

from structsvm.solvers.lbfgs.scaling import DOMINATING, measured, rough


def test_ordinary_estimates_change_nothing():
    np.testing.assert_array_equal(rough(np.array([1.0, 50, 1e3, 2])).factor, np.ones(4))


def test_entries_that_dominate_are_brought_near_the_rest():
    curvature = np.array([1.0, 2, 1e12, 3])
    found = rough(curvature)
    np.testing.assert_array_equal(found.factor[[0, 1, 3]], 1)
    assert found.factor[2] ** 2 * 1e12 == pytest.approx(DOMINATING * 6)


def test_measured_curvature_is_scaled_to_its_root():
    curvature = np.array([1.0, 16, 256])
    factor = measured(curvature).factor
    np.testing.assert_allclose(factor**2, curvature**-0.5)
    np.testing.assert_allclose(factor**2 * curvature, np.sqrt(curvature))


def test_measured_entries_that_dominate_are_held_by_single_precision():
    factor = measured(np.array([1.0, 2, 1e30])).factor
    assert factor[2] ** 2 * 1e30 < 1e3
