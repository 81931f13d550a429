"""The most violated triangle inequalities."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import all_triangles

from structsvm.problems.margin_clustering.sdp_mmc.relaxation import SIGNS
from structsvm.problems.margin_clustering.sdp_mmc.triangles import violated_triangles


@given(st.integers(0, 2**32 - 1), st.integers(2, 7))
@settings(max_examples=50, deadline=None)
def test_the_most_violated_triangles_are_found(seed, n):
    rng = np.random.default_rng(seed)
    M = rng.uniform(-1, 1, (n, n))
    M = (M + M.T) / 2
    triangles, excess = violated_triangles(M, SIGNS, 0.01)
    values = list(all_triangles(M))
    if not len(excess):
        assert min(values, default=0) >= -1.01
        return
    assert excess[0] == pytest.approx(-1 - min(values))
    assert np.all(np.diff(excess) <= 0)
    ends = np.triu_indices(n, 1)
    np.testing.assert_allclose(triangles.rows(n) @ M[ends], -1 - excess)
    # Every violated pair of ends is there, whatever the middle is.
    for s, i, k in product(SIGNS, range(n), range(n)):
        others = [j for j in range(n) if j not in (i, k)]
        if i < k and others:
            worst = max(-1 - s * (M[i, j] + M[j, k]) - M[i, k] for j in others)
            chosen = (triangles.signs == s) & np.all(triangles.items[:, ::2] == (i, k), axis=1)
            assert chosen.sum() == (worst > 0.01)
