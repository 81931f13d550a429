"""The program with features: its margin against another solver, its bound by brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import codes_within, margin, some_features, unit_rows, unlinked

from structsvm.problems.margin_clustering.sdp_mmc.codes import simplex
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import program as module
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import violated
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import (
    LowRankPoint,
    LowRankProgram,
)


def random_point(rng, program, size=1.0):
    V = unit_rows(rng, program.n_nodes)
    cuts = violated(V, program.n_clusters, 30, rng)
    return LowRankPoint(
        rng.uniform(0, size, program.n),
        cuts,
        rng.exponential(0.1, len(cuts.bounds)),
        float(rng.exponential(0.05)),
        rng.uniform(0.1, 1, program.n_nodes),
    )


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


def test_a_margin_that_is_too_large_is_given_up():
    features, _ = some_features(np.random.default_rng(0), 9)
    program = LowRankProgram(features, 10.0, 0.5, unlinked(9), 2)
    V = simplex(2)[np.arange(9) % 2]
    exact = program.margin(V).value
    assert program.margin(V, most=exact / 2).value >= exact * (1 - 1e-3)


@pytest.mark.parametrize(("n", "n_clusters"), [(7, 2), (6, 3), (5, 4)])
@pytest.mark.parametrize("with_links", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_any_multipliers_bound_every_labelling(n, n_clusters, with_links, seed):
    """The bound needs no optimality, so it is tried at random multipliers."""
    rng = np.random.default_rng(seed)
    features, K = some_features(rng, n)
    apart = [(1, 2)] if n_clusters == 2 and with_links else None
    groups = linked(n, np.full(n, -1), [(0, 1)] if with_links else None, apart)
    program = LowRankProgram(features, 10.0, 0.3, groups, n_clusters)
    for size in (0.1, 1.0):
        point = random_point(rng, program, size)
        assert program.allows(point)
        bound = program.bound(point)
        scaled, better = program.scaled(point)
        assert program.allows(scaled)
        assert better >= bound - 1e-9
        assert program.bound(scaled) == pytest.approx(better, rel=1e-9, abs=1e-9)
        values = [margin(K, 10.0, M) for _, M in codes_within(program)]
        assert better <= min(values) * (1 + 1e-6)


def test_lanczos_agrees_with_a_dense_matrix(monkeypatch):
    rng = np.random.default_rng(0)
    features, _ = some_features(rng, 60, 10)
    program = LowRankProgram(features, 10.0, 0.1, unlinked(60), 2)
    point = random_point(rng, program)
    dense = program.bound(point)
    monkeypatch.setattr(module, "DENSE", 0)
    lanczos = program.bound(point)
    assert lanczos <= dense + 1e-9 * abs(dense)
    assert lanczos == pytest.approx(dense, rel=1e-3)


def test_infeasible_multipliers_are_not_allowed():
    rng = np.random.default_rng(0)
    features, _ = some_features(rng, 6)
    for n_clusters in (2, 3):
        program = LowRankProgram(features, 10.0, 0.3, unlinked(6), n_clusters)
        point = random_point(rng, program)
        cuts = point.cuts
        tighter = cuts._replace(bounds=cuts.bounds * 0.9)
        unsigned = cuts._replace(signs=cuts.signs * 2)
        assert program.allows(point)
        for wrong in (
            {"lam": point.lam + 11 * program.unit},
            {"lam": -point.lam},
            {"t": -point.t},
            {"beta": -0.1},
            {"delta": 0 * point.delta},
            {"cuts": tighter},
            {"cuts": unsigned},
        ):
            assert not program.allows(point._replace(**wrong))
    two = LowRankProgram(features, 10.0, 0.3, unlinked(6), 2)
    three = LowRankProgram(features, 10.0, 0.3, unlinked(6), 3)
    only_two = random_point(np.random.default_rng(3), two)
    assert (only_two.cuts.signs == 1).all(axis=1).any()
    assert not three.allows(only_two)
