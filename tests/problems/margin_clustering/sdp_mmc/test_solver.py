"""The relaxation's optimum against an interior point method, and its certificate."""

from dataclasses import replace
from itertools import combinations

import cvxopt
import numpy as np
import pytest
from sdp_data import labellings, margin, some_kernel, unlinked
from sklearn.datasets import load_digits, make_circles
from sklearn.metrics.pairwise import rbf_kernel

from structsvm import Status
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc.admm import solve
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.triangles import Triangles
from structsvm.solvers.shared.loop import Limits


def by_cvxopt(K, C, limit, groups):
    """The optimum with every triangle from the start, by an interior point method."""
    n, k = len(K), groups.n_nodes
    first, second = np.triu_indices(k, 1)
    p = len(first)
    size = p + 2 * n + 1  # pairs of nodes, c, slacks u of c <= 1, d
    unit = np.eye(size)
    c, u, d = unit[p : p + n], unit[p + n : p + 2 * n], unit[-1]
    Z = np.zeros((k, k, size))
    Z[first, second] = Z[second, first] = unit[:p]
    signs = np.outer(groups.signs, groups.signs)
    M = signs[:, :, None] * Z[groups.nodes][:, groups.nodes]
    constant = groups.pairs_of_rows(np.eye(k))
    i, j, m = np.array([*combinations(range(n), 3)]).T
    G, lower = [c + u, u, M.sum(axis=0), -M.sum(axis=0)], [np.ones(n), np.zeros(n)]
    lower += [-limit - constant.sum(axis=0), constant.sum(axis=0) - limit]
    for a, b, e in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
        G.append(a * M[i, j] + b * M[j, m] + e * M[i, m])
        lower.append(-1 - a * constant[i, j] - b * constant[j, m] - e * constant[i, m])
    bordered, corner = np.zeros((n + 1, n + 1, size)), np.zeros((n + 1, n + 1))
    bordered[:n, :n], corner[:n, :n] = K[:, :, None] * M, K * constant
    bordered[:n, n] = bordered[n, :n] = c
    bordered[n, n] = d
    answer = cvxopt.solvers.sdp(
        cvxopt.matrix(2 * C * u.sum(axis=0) + d),
        cvxopt.matrix(-np.vstack(G)), cvxopt.matrix(-np.concatenate(lower)),
        [cvxopt.matrix(-F.reshape(-1, size)) for F in (Z, bordered)],
        [cvxopt.matrix(F) for F in (np.eye(k), corner)], options={"show_progress": False},
    )  # fmt: skip
    assert answer["status"] == "optimal"
    return answer["primal objective"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("n", "C", "balance", "known", "must", "cannot"),
    [
        (8, 100.0, 0.2, None, None, None),
        (9, 1.0, 0.2, None, None, None),
        (8, 100.0, 0.0, None, [(0, 5)], [(1, 2)]),
        (8, 10.0, 0.25, [0, 1, 1, -1, -1, -1, -1, -1], None, None),
        (8, 10.0, 0.25, [0, 1, -1, -1, -1, -1, -1, -1], [(3, 4), (4, 0)], [(6, 7)]),
    ],
)
def test_the_optimum_is_that_of_an_interior_point_method(n, C, balance, known, must, cannot):
    rng = np.random.default_rng(0)
    K = 4 * some_kernel(rng, n)
    groups = linked(n, np.full(n, -1) if known is None else np.array(known), must, cannot)
    relaxation = Relaxation(K, C, balance, groups)
    result = solve(relaxation, 1e-5, Limits(2000))
    assert result.status is Status.CONVERGED
    reference = by_cvxopt(K, C, relaxation.limit, groups)
    assert result.dual <= reference * (1 + 1e-6)
    assert result.primal == pytest.approx(reference, rel=1e-4)
    assert result.violation <= 1e-5
    assert result.verify(relaxation).matches


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "optimum"), [(20, 9.2127), (40, 11.3755)])
def test_reference_values(n, optimum):
    """Of two other solvers, at half the median of all n^2 distances for a width.

    They were stated for the median of the pairs i < j; the zeros of the diagonal are in it.
    """
    X, y = load_digits(return_X_y=True)
    random = np.random.RandomState(0)
    rows = [random.permutation(np.flatnonzero(y == digit))[: n // 2] for digit in (2, 3)]
    X = X[np.concatenate(rows)] / 16
    squares = np.square(X[:, None] - X).sum(axis=2)
    width = 0.5 * np.median(np.sqrt(squares))
    K = np.exp(-squares / (2 * width**2))
    sdp = SDPMMC(kernel="precomputed", solver="admm", balance=0.2, tol=1e-4, random_state=0).fit(K)
    assert sdp.objective_ == pytest.approx(optimum, abs=1e-3)
    assert sdp.lower_bound_ == pytest.approx(optimum, abs=1.5e-3)
    assert sdp.max_violation_ < 1e-3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("balance", [0.0, 0.25])
def test_no_labelling_is_below_the_bound(balance):
    X = np.random.default_rng(1).normal(size=(8, 2))
    sdp = SDPMMC(gamma=0.5, C=20.0, balance=balance, solver="admm", tol=1e-4, random_state=0).fit(X)
    K = rbf_kernel(X, gamma=0.5)
    values = {tuple(y): margin(K, 20.0, np.outer(y, y)) for y in labellings(8, 8 * balance)}
    assert sdp.lower_bound_ <= min(values.values())
    y = 2.0 * sdp.labels_ - 1
    assert sdp.label_objective_ == pytest.approx(values[tuple(y * y[0])], rel=1e-5)
    assert sdp.objective_ <= sdp.label_objective_ * (1 + 1e-6)


def test_rows_near_the_origin_of_a_linear_kernel():
    """Their lambda is large, one of them at C: the scale of the method follows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 2)) * rng.uniform(0.05, 2, (9, 1))
    X[0] = 0
    relaxation = Relaxation(X @ X.T, 100.0, 0.4, unlinked(9))
    result = solve(relaxation, 0.01, Limits(60))
    assert result.status is Status.CONVERGED
    assert result.primal == pytest.approx(
        by_cvxopt(X @ X.T, 100.0, relaxation.limit, unlinked(9)), rel=0.02
    )


@pytest.fixture(scope="module")
def solved():
    X, _ = make_circles(16, factor=0.4, noise=0.03, random_state=0)
    relaxation = Relaxation(rbf_kernel(X, gamma=2.0), 100.0, 0.1, unlinked(16))
    return relaxation, solve(relaxation, 1e-3, Limits(1000))


def test_verify_catches_what_is_wrong(solved):
    relaxation, result = solved
    point = result.dual_point
    assert result.verify(relaxation).matches
    wrong = [
        replace(result, primal=result.primal * 1.001),
        replace(result, dual=result.dual * 1.001),
        replace(result, violation=result.violation + 0.01),
        replace(result, Z=np.eye(16)),
        replace(result, dual_point=point._replace(lam=point.lam * 1.01)),
        replace(result, dual_point=point._replace(t=point.t * 0.99)),
        replace(result, dual_point=point._replace(delta=point.delta + np.eye(16)[0])),
    ]
    for bad in wrong:
        assert not bad.verify(relaxation).matches
    negative = point._replace(t=np.where(np.arange(len(point.t)) == 0, -0.1, point.t))
    unsigned = point._replace(triangles=Triangles(point.triangles.items, 2 * point.triangles.signs))
    large = point._replace(lam=np.where(np.arange(16) == 0, 200.0, point.lam))
    for infeasible in (negative, unsigned, large):
        dual = relaxation.bound(infeasible)
        assert not replace(result, dual_point=infeasible, dual=dual).verify(relaxation).matches
    other = Relaxation(relaxation.K + 0.01 * np.eye(16), 100.0, 0.1, unlinked(16))
    assert not result.verify(other).matches
