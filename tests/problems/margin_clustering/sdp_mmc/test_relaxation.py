"""The margin and its lower bound against other solvers."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import margin, some_features, some_kernel, unit_rows, unlinked

from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import SIGNS, DualPoint, Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.triangles import violated_triangles


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.sampled_from([0.1, 1.0, 100.0]))
@settings(max_examples=40, deadline=None)
def test_the_margin_is_that_of_another_solver(seed, n, C):
    rng = np.random.default_rng(seed)
    K = 7 * some_kernel(rng, n)
    V = unit_rows(rng, n)
    Z = V @ V.T
    value, lam = Relaxation(K, C, 1.0, unlinked(n)).margin(Z)
    assert value == pytest.approx(margin(K, C, Z), rel=1e-5)
    assert np.all((lam >= 0) & (lam <= C * (1 + 1e-12)))
    assert 2 * lam.sum() - lam @ (K * Z) @ lam == pytest.approx(value, rel=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(3, 7), st.booleans())
@settings(max_examples=25, deadline=None)
def test_any_multipliers_bound_every_labelling(seed, n, with_links):
    """The bound needs no optimality, so it is tried at random multipliers."""
    rng = np.random.default_rng(seed)
    K = 3 * some_kernel(rng, n)
    groups = linked(n, np.full(n, -1), [(0, 1)] if with_links else None, None)
    balance = 0.5
    relaxation = Relaxation(K, 10.0, balance, groups)
    k = groups.n_nodes
    M = rng.uniform(-1, 1, (k, k))
    triangles, _ = violated_triangles((M + M.T) / 2, SIGNS, 0.0)
    point = DualPoint(
        rng.uniform(0, 1, n),
        triangles,
        rng.exponential(0.1, len(triangles.signs)),
        rng.normal(0, 0.1, k),
        rng.normal(size=k),
    )
    assert relaxation.allows(point)
    bound = relaxation.bound(point)
    for z in product((-1.0, 1.0), repeat=k):
        y = groups.of_rows(np.array(z))
        if abs(y.sum()) <= relaxation.limit:
            assert bound <= margin(K, 10.0, np.outer(y, y)) * (1 + 1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.sampled_from([0.1, 1.0, 100.0]))
@settings(max_examples=40, deadline=None)
def test_the_margin_by_features_is_that_of_another_solver(seed, n, C):
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
