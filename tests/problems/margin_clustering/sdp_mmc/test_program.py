"""Labels as vertices of a simplex."""

from itertools import product

import numpy as np
import pytest

from structsvm.problems.margin_clustering.sdp_mmc.program import least_imbalance, simplex


@pytest.mark.parametrize("k", [2, 3, 5])
def test_vertices_of_a_simplex(k):
    codes = simplex(k)
    assert codes.shape == (k, k - 1)
    expected = np.where(np.eye(k, dtype=bool), 1.0, -1 / (k - 1))
    np.testing.assert_allclose(codes @ codes.T, expected, atol=1e-12)
    assert k > 2 or codes.tolist() == [[-1.0], [1.0]]


@pytest.mark.parametrize(("n", "k"), [(5, 2), (6, 2), (6, 3), (7, 3), (5, 4)])
def test_the_least_imbalance_of_all_labellings_and_the_largest_balance(n, k):
    """Below its limit no cluster is empty."""
    labellings = np.array([*product(range(k), repeat=n)])
    norms = np.linalg.norm(simplex(k)[labellings].sum(axis=1), axis=1)
    assert least_imbalance(n, k) == pytest.approx(norms.min(), abs=1e-12)
    balanced = labellings[norms < n / (k - 1) - 1e-9]
    assert all(len(set(y)) == k for y in balanced.tolist())
