"""The bound by dual variables: brute force over labellings, and planted eigenvalues."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import codes_within, margin, some_features, unit_rows, unlinked

from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import certificate
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.certificate import (
    LowRankPoint,
    allows,
    bound,
    scaled,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import violated
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram


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


@pytest.mark.parametrize(("n", "n_clusters"), [(6, 2), (5, 3), (5, 4)])
@pytest.mark.parametrize("with_links", [False, True])
def test_any_multipliers_bound_every_labelling(n, n_clusters, with_links):
    """The bound needs no optimality, so it is tried at random multipliers."""
    rng = np.random.default_rng(0)
    features, K = some_features(rng, n)
    apart = [(1, 2)] if n_clusters == 2 and with_links else None
    groups = linked(n, np.full(n, -1), [(0, 1)] if with_links else None, apart)
    program = LowRankProgram(features, 10.0, 0.3, groups, n_clusters)
    for size in (0.1, 1.0):
        point = random_point(rng, program, size)
        assert allows(program, point)
        lower = bound(program, point)
        multiple, better = scaled(program, point)
        assert allows(program, multiple)
        assert better >= lower - 1e-9
        assert bound(program, multiple) == pytest.approx(better, rel=1e-9, abs=1e-9)
        values = [margin(K, 10.0, M) for _, M in codes_within(program)]
        assert better <= min(values) * (1 + 1e-6)


@pytest.fixture
def by_lanczos(monkeypatch):
    """A program and a point, with the bound by a dense matrix; then Lanczos' method is used."""
    rng = np.random.default_rng(0)
    features, _ = some_features(rng, 60, 10)
    program = LowRankProgram(features, 10.0, 0.1, unlinked(60), 2)
    point = random_point(rng, program)
    dense = bound(program, point)
    monkeypatch.setattr(certificate, "DENSE", 0)
    monkeypatch.setattr(certificate, "BLOCK", 25)
    return program, point, dense


@pytest.mark.parametrize("wrong", [0.5, 0.999])
def test_an_eigenvalue_that_is_not_the_largest_is_found_out(by_lanczos, monkeypatch, wrong):
    program, point, dense = by_lanczos
    assert dense * (1 - 1e-3) <= bound(program, point) <= dense + 1e-9 * abs(dense)
    right = certificate.estimated
    monkeypatch.setattr(certificate, "estimated", lambda *args: wrong * right(*args))
    multiple, too_large = scaled(program, point)
    assert bound(program, multiple) < too_large
    assert bound(program, point) == pytest.approx(dense)
    monkeypatch.setattr(certificate, "CONFIRMED", 59)
    assert bound(program, point) > dense


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_only_an_upper_bound_is_confirmed(seed, n):
    A = np.random.default_rng(seed).standard_normal((n, n))
    A = A + A.T
    largest = np.linalg.eigvalsh(A)[-1]
    size = abs(largest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificate, "DENSE", 0)
        for estimate in (largest + 1e-4 * size, largest - 1e-4 * size, largest - 1):
            found = certificate.confirmed(lambda X: A @ X, n, estimate)
            expected = estimate if estimate > largest else largest
            assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_rounding_is_in_proportion_to_the_scaled_matrix(n_clusters, monkeypatch):
    """Its norm is far above mu where small and large entries of delta meet large lambda."""
    rng = np.random.default_rng(0)
    features, _ = some_features(rng, 50, 5)
    program = LowRankProgram(features, 10.0, 0.3, unlinked(50), n_clusters)
    point = random_point(rng, program)
    point = point._replace(delta=10.0 ** rng.uniform(-6, 0, 50))
    product = certificate.penalised(program, point).scaled(point.delta)
    subtracted = bound(program, point)
    monkeypatch.setattr(certificate, "MULTIPLE", 0.0)
    subtracted = (bound(program, point) - subtracted) * program.unit
    least = np.linalg.norm(product(np.eye(50)), 2) * point.delta.sum()
    assert subtracted >= 16 * certificate.DOUBLE * least


def test_infeasible_multipliers_are_not_allowed():
    rng = np.random.default_rng(0)
    features, _ = some_features(rng, 6)
    for n_clusters in (2, 3):
        program = LowRankProgram(features, 10.0, 0.3, unlinked(6), n_clusters)
        point = random_point(rng, program)
        cuts = point.cuts
        tighter = cuts._replace(bounds=cuts.bounds * 0.9)
        unsigned = cuts._replace(signs=cuts.signs * 2)
        assert allows(program, point)
        for wrong in (
            {"lam": point.lam + 11 * program.unit},
            {"lam": -point.lam},
            {"t": -point.t},
            {"beta": -0.1},
            {"delta": 0 * point.delta},
            {"cuts": tighter},
            {"cuts": unsigned},
        ):
            assert not allows(program, point._replace(**wrong))
    two = LowRankProgram(features, 10.0, 0.3, unlinked(6), 2)
    three = LowRankProgram(features, 10.0, 0.3, unlinked(6), 3)
    only_two = random_point(np.random.default_rng(3), two)
    assert (only_two.cuts.signs == 1).all(axis=1).any()
    assert not allows(three, only_two)
