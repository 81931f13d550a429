"""The low-rank solver: its bound by brute force, with planted errors, and beside ADMM."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sdp_data import circles, codes_within, margin, some_features, some_kernel, unlinked
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from structsvm import Status
from structsvm.datasets import digits_pair, plane
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc.admm import solve as solve_by_admm
from structsvm.problems.margin_clustering.sdp_mmc.features import exact_features
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import certificate
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import solver as solver_module
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.certificate import bound
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.solver import solve
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.solvers.shared.loop import Limits


def solved(program, tol=1e-2, max_iter=30):
    return solve(program, tol, Limits(max_iter), np.random.default_rng(0))


def program_for(K):
    return LowRankProgram(exact_features(K), 100.0, 0.1, unlinked(len(K)), 2)


@cache
def some_solution(n=20):
    program = program_for(some_kernel(np.random.default_rng(0), n))
    return program, solved(program)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("n", "n_clusters"), [(8, 2), (7, 3), (6, 4)])
@pytest.mark.parametrize("balance", [0.0, 0.25])
def test_no_labelling_is_below_the_bound(n, n_clusters, balance):
    features, K = some_features(np.random.default_rng(0), n)
    program = LowRankProgram(features, 20.0, balance, unlinked(n), n_clusters)
    result = solved(program)
    least = min(margin(K, 20.0, M) for _, M in codes_within(program))
    assert 0.5 * least < result.dual <= least * (1 + 1e-6)
    assert result.verify(program).matches


def test_no_labelling_that_keeps_links_is_below_the_bound():
    K = 4 * some_kernel(np.random.default_rng(0), 8)
    known = np.array([0, 1, 1, -1, -1, -1, -1, -1])
    groups = linked(8, known, [(3, 4)], [(6, 7)])
    program = LowRankProgram(exact_features(K), 10.0, 0.25, groups, 2)
    result = solved(program, 1e-3)
    least = min(margin(K, 10.0, M) for _, M in codes_within(program))
    assert 0.5 * least < result.dual <= least * (1 + 1e-6)
    by_admm = solve_by_admm(Relaxation(K, 10.0, 0.25, groups), 1e-4, Limits(1000))
    assert result.dual >= by_admm.dual * (1 - 1e-2)


# ---------------------------------------------------------------------- planted errors


@cache
def nearly_tight():
    """A program whose bound is near the best labelling, with all kinds of multipliers."""
    X = np.random.default_rng(3).normal(size=(8, 2))
    K = rbf_kernel(X, gamma=2.0)
    features = exact_features(K)
    features = features._replace(residual=features.residual + 0.3)
    K = K + 0.3 * np.eye(8)
    program = LowRankProgram(features, 20.0, 0.25, unlinked(8), 2)
    least = min(margin(K, 20.0, M) for _, M in codes_within(program))
    return program, solved(program, 1e-3), least


def test_the_bound_is_near_the_best_labelling():
    _, result, least = nearly_tight()
    assert result.dual_point.beta > 0.001
    assert result.dual_point.t.max() > 0.001
    assert 0.99 * least < result.dual <= least * (1 + 1e-6)


def without_residual(program, point, patch):
    patch.setattr(program, "residual", np.zeros(program.n))


def without_the_limit_of_balance(program, point, patch):
    patch.setattr(program, "limit", 0.0)


def with_tighter_inequalities(program, point, patch):
    return point._replace(cuts=point.cuts._replace(bounds=0 * point.cuts.bounds))


def with_a_smaller_eigenvalue(program, point, patch):
    right = certificate.estimated
    patch.setattr(certificate, "estimated", lambda product, n: 0.8 * right(product, n))


@pytest.mark.parametrize(
    "planted",
    [
        with_a_smaller_eigenvalue,
        without_residual,
        without_the_limit_of_balance,
        with_tighter_inequalities,
    ],
)
def test_planted_errors_put_the_bound_above_a_labelling(monkeypatch, planted):
    """The comparison with all labellings can fail."""
    program, result, least = nearly_tight()
    point = planted(program, result.dual_point, monkeypatch) or result.dual_point
    assert bound(program, point) > least


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


def test_the_matrix_and_its_value():
    K = rbf_kernel(circles(24)[0], gamma=2.0)
    result = solved(program_for(K))
    np.testing.assert_allclose(result.Z.diagonal(), 1)
    assert np.linalg.norm(result.V.sum(axis=0)) <= 2.4 + 24 * result.violation + 1e-9
    assert result.primal >= margin(K, 100.0, result.Z) * (1 - 1e-6)
    assert result.primal == pytest.approx(margin(K, 100.0, result.Z), rel=2e-3)


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
        replace(result, V=np.eye(20)[:, : result.V.shape[1]] + 1e-9),
        replace(result, W=result.W * 0.5 + 1),
        replace(result, dual_point=point._replace(lam=point.lam * 1.1)),
        replace(result, dual_point=point._replace(beta=-1.0)),
    ]
    for bad in wrong:
        assert not bad.verify(program).matches


def test_the_bound_of_a_solution_is_confirmed(monkeypatch):
    """With every estimate of an eigenvalue planted too small, and so every bound too large."""
    right, n = certificate.estimated, 40
    program, expected = some_solution(n)
    monkeypatch.setattr(certificate, "DENSE", 0)
    monkeypatch.setattr(certificate, "estimated", lambda *args: 0.5 * right(*args))
    result = solved(program, 0.01, 12)
    assert result.dual <= expected.primal * (1 + 1e-3)
    assert result.verify(program).matches
    assert "Lanczos" not in result.guarantee.text
    monkeypatch.setattr(certificate, "CONFIRMED", n - 1)
    assert solved(program, 0.01, 12).dual > expected.primal * (1 + 1e-3)


def test_what_a_result_says(monkeypatch):
    monkeypatch.setattr(solver_module, "CONFIRMED", 19)
    result = solved(program_for(np.eye(20)), 0.1)
    assert "assumes that Lanczos' method found" in result.guarantee.text
    stalled = replace(result, status=Status.STALLED)
    assert "labels are a clustering within the balance and the lower bound" in stalled.message
    assert " w " not in stalled.message
