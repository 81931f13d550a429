"""The program with features: its margin against another solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import margin, some_features, unit_rows, unlinked

from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.sampled_from([0.1, 1.0, 100.0]))
@settings(max_examples=40, deadline=None)
def test_the_margin_is_that_of_another_solver(seed, n, C):
    rng = np.random.default_rng(seed)
    features, K = some_features(rng, n)
    program = LowRankProgram(features, C, 0.5, unlinked(n), 2)
    V = unit_rows(rng, n)
    value, lam = program.margin(V)
    expected = margin(K, C, V @ V.T)
    assert expected * (1 - 1e-6) <= value <= expected * (1 + 1e-3)
    assert np.all((lam >= 0) & (lam <= C * (1 + 1e-12)))
    lower = 2 * lam.sum() - lam @ (K * (V @ V.T)) @ lam
    assert lower == pytest.approx(expected, rel=2e-3)
