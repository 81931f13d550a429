"""Sums by logarithms against scipy's."""

import numpy as np
import pytest
from scipy.special import logsumexp

from structsvm.data.log_sums import log_sums


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2)])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_they_are_those_of_scipy(axis, scale, dtype):
    a = (scale * np.random.default_rng(0).normal(size=(4, 5, 6))).astype(dtype)
    a[0, 1] = a[2, 0, 0] = -np.inf
    a[:, 4], a[3] = -np.inf, -np.inf
    found = log_sums(a, axis)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, logsumexp(a, axis=axis), rtol=4 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(np.isinf(found), np.isinf(logsumexp(a, axis=axis)))
