"""The low-rank solver: inequalities, its bound against labellings, and its result beside ADMM's."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from sdp_data import codes_within, margin, some_features, some_kernel, unit_rows, unlinked
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from structsvm import Status
from structsvm.datasets import digits_pair, plane
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc.admm import solve as solve_by_admm
from structsvm.problems.margin_clustering.sdp_mmc.features import exact_features
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import certificate
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import cuts as module
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import solver as solver_module
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.certificate import (
    LowRankPoint,
    allows,
    bound,
    scaled,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import Pairs, violated
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.solver import solve
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.solvers.shared.loop import Limits


def left_sides(cuts, Z):
    i, j, k = cuts.items.T
    return (cuts.signs * np.column_stack([Z[i, j], Z[j, k], Z[i, k]])).sum(axis=1)


@pytest.mark.parametrize("n_clusters", [2, 4])
def test_every_labelling_satisfies_what_is_found(n_clusters):
    rng = np.random.default_rng(n_clusters)
    found = violated(unit_rows(rng, 5), n_clusters, 1000, rng)
    assert len(found.bounds) > 3
    for y in product(range(n_clusters), repeat=5):
        codes = simplex(n_clusters)[list(y)]
        assert np.all(Pairs(found, 5).excess(codes) <= 1e-9)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_the_most_violated_of_all_are_found(n_clusters):
    rng = np.random.default_rng(0)
    V = unit_rows(rng, 7)
    found = violated(V, n_clusters, 1000, rng)
    Z = V @ V.T
    excess = -found.bounds - left_sides(found, Z)
    assert np.all(np.diff(excess) <= 1e-12)
    triples = [t for t in product(range(7), repeat=3) if len(set(t)) == 3]
    two = [-1 - Z[i, j] - Z[j, k] - Z[i, k] for i, j, k in triples]
    transitive = [-1 + Z[i, j] + Z[j, k] - Z[i, k] for i, j, k in triples]
    apart = [-1 / (n_clusters - 1) - Z[i, k] for i, _, k in triples]
    worst = max(transitive + (two if n_clusters == 2 else apart))
    assert excess[0] == pytest.approx(worst)
    assert len(violated(V, n_clusters, 2, rng).bounds) == 2


def test_rows_that_are_drawn(monkeypatch):
    monkeypatch.setattr(module, "SEARCHED", 600)
    monkeypatch.setattr(module, "MIDDLE", 10)
    rng = np.random.default_rng(0)
    V = unit_rows(rng, 50)
    found = violated(V, 2, 1000, rng)
    assert 0 < len(found.bounds) <= 120
    assert np.all(found.items < 50)
    assert np.all(-1 - left_sides(found, V @ V.T) > module.VIOLATED)


# ---------------------------------------------------------------------- the bound


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
    assert 0 <= dense - bound(program, point) <= 1e-3 * abs(dense)
    right = certificate.estimated
    monkeypatch.setattr(certificate, "estimated", lambda *args: wrong * right(*args))
    multiple, too_large = scaled(program, point)
    assert bound(program, multiple) < too_large
    assert bound(program, point) == pytest.approx(dense)
    monkeypatch.setattr(certificate, "CONFIRMED", 59)
    assert bound(program, point) > dense


@pytest.mark.parametrize("above", [1e-4, -1e-4])
def test_only_an_upper_bound_is_confirmed(above, monkeypatch):
    monkeypatch.setattr(certificate, "DENSE", 0)
    A = np.random.default_rng(0).standard_normal((40, 40))
    A += A.T
    largest = np.linalg.eigvalsh(A)[-1]
    estimate = largest * (1 + above)
    found = certificate.confirmed(lambda X: A @ X, 40, estimate)
    assert found == pytest.approx(max(estimate, largest), abs=1e-9)


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


def solved(program, tol=1e-2, max_iter=30):
    return solve(program, tol, Limits(max_iter), np.random.default_rng(0))


def program_for(K):
    return LowRankProgram(exact_features(K), 100.0, 0.1, unlinked(len(K)), 2)


@cache
def some_solution(n=12):
    program = program_for(some_kernel(np.random.default_rng(0), n))
    return program, solved(program)


def test_the_bound_is_near_the_best_labelling():
    """With all kinds of multipliers."""
    K = rbf_kernel(np.random.default_rng(3).normal(size=(8, 2)), gamma=2.0)
    features = exact_features(K)
    features = features._replace(residual=features.residual + 0.3)
    program = LowRankProgram(features, 20.0, 0.25, unlinked(8), 2)
    least = min(margin(K + 0.3 * np.eye(8), 20.0, M) for _, M in codes_within(program))
    result = solved(program, 1e-3)
    assert result.dual_point.beta > 0.001
    assert result.dual_point.t.max() > 0.001
    assert 0.99 * least < result.dual <= least * (1 + 1e-6)


# ---------------------------------------------------------------------- the result


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["circles", "ai", "joined circles", "digits"])
def test_the_bound_is_not_below_that_of_the_other_solver(name):
    """It bounds the same labellings, by fewer triangle inequalities but a stricter balance."""
    if name == "digits":
        X = np.random.default_rng(0).permutation(digits_pair(2, 3)[0])[:60]
        gamma = 0.4
    else:
        X, gamma = plane(name)[0][::4], 8.0
    K = rbf_kernel(X, gamma=gamma)
    groups = unlinked(len(X))
    by_admm = solve_by_admm(Relaxation(K, 100.0, 0.1, groups), 0.01, Limits(400))
    result = solved(program_for(K))
    assert result.status is Status.CONVERGED
    assert result.dual >= 0.99 * by_admm.dual
    assert result.gap <= 0.01 * result.primal
    assert np.linalg.norm(result.V.mean(axis=0)) <= 0.1 + result.violation + 1e-9


@pytest.mark.slow
def test_easy_clusters_with_an_objective_far_below_their_number_of_rows():
    """A large penalty of the balance made its multiplier fluctuate, and the run stalled."""
    X, _ = make_blobs(1000, centers=3, n_features=2, random_state=1)
    model = SDPMMC(n_clusters=3, random_state=0).fit(X)
    assert model.result_.gap < 1.3 * model.result_.tolerance


def test_verify_catches_what_is_wrong():
    program, result = some_solution()
    point = result.dual_point
    assert result.verify(program).matches
    wrong = [
        replace(result, primal=result.primal * 1.001),
        replace(result, dual=result.dual * 1.001),
        replace(result, violation=result.violation + 0.01),
        replace(result, V=np.eye(12)[:, : result.V.shape[1]] + 1e-9),
        replace(result, W=result.W * 0.5 + 1),
        replace(result, dual_point=point._replace(lam=point.lam * 1.1)),
        replace(result, dual_point=point._replace(beta=-1.0)),
    ]
    for bad in wrong:
        assert not bad.verify(program).matches


def test_what_a_result_says(monkeypatch):
    monkeypatch.setattr(solver_module, "CONFIRMED", 19)
    result = solved(program_for(np.eye(20)), 0.1)
    assert "assumes that Lanczos' method found" in result.guarantee.text
    stalled = replace(result, status=Status.STALLED)
    assert "labels are a clustering within the balance and the lower bound" in stalled.message
    assert " w " not in stalled.message
