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


def test_two_clusters_have_signs():
    np.testing.assert_array_equal(simplex(2), [[-1.0], [1.0]])


@pytest.mark.parametrize(("n", "k"), [(5, 2), (6, 2), (6, 3), (7, 3), (5, 4), (8, 4)])
def test_the_least_imbalance_of_all_labellings(n, k):
    norms = [np.linalg.norm(simplex(k)[list(y)].sum(axis=0)) for y in product(range(k), repeat=n)]
    assert least_imbalance(n, k) == pytest.approx(min(norms), abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(6, 2), (8, 3), (8, 4)])
def test_balance_below_its_limit_leaves_no_cluster_empty(n, k):
    for y in product(range(k), repeat=n):
        if np.linalg.norm(simplex(k)[list(y)].sum(axis=0)) < n / (k - 1) - 1e-9:
            assert len(set(y)) == k
