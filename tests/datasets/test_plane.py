"""Points in the plane."""

import numpy as np
import pytest

from structsvm.datasets import (
    SHAPES,
    plane,
)


@pytest.mark.parametrize("shape", SHAPES)
def test_points_in_the_plane(shape):
    X, y = plane(shape, 3)
    assert X.shape == (80, 2)
    np.testing.assert_array_equal(np.bincount(y), [40, 40])
    np.testing.assert_array_equal(plane(shape, 3)[0], X)
    assert not np.array_equal(plane(shape, 4)[0], X)


def test_a_shape_that_is_not_known():
    with pytest.raises(ValueError, match=r"shape must be one of .*'circles'.*got 'squares'"):
        plane("squares")
