"""The semidefinite relaxation against cvxopt, against all labellings, and as an estimator."""

import warnings
from dataclasses import replace
from itertools import combinations, pairwise, product

import cvxopt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from structsvm import Status
from structsvm.datasets import plane
from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.problems import SDPMMC
from structsvm.problems.relatives.sdp_mmc.admm import SplittingMethod
from structsvm.problems.relatives.sdp_mmc.groups import linked
from structsvm.problems.relatives.sdp_mmc.relaxation import SIGNS, DualPoint, Relaxation
from structsvm.problems.relatives.sdp_mmc.rounding import balanced, rounded, soft_assignment
from structsvm.problems.relatives.sdp_mmc.solver import solve
from structsvm.problems.set_clustering.triangles import Triangles, violated_triangles
from structsvm.solvers.passes import Limits


def unlinked(n):
    return linked(n, np.full(n, -1), None, None)


def some_kernel(rng, n, gamma=0.5):
    return rbf_kernel(rng.normal(size=(n, 2)), gamma=gamma)


def margin(K, C, M):
    """f(M) by another solver."""
    G = K * M

    def negative(lam):
        return lam @ G @ lam - 2 * lam.sum(), 2 * G @ lam - 2

    n = len(K)
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10000, "maxfun": 100000}
    box = [(0, C)] * n
    found = minimize(
        negative, np.zeros(n), jac=True, bounds=box, method="L-BFGS-B", options=options
    )
    return -found.fun


def labellings(n, limit):
    """All of them within the balance, the first row positive."""
    for rest in product((-1.0, 1.0), repeat=n - 1):
        y = np.array((1.0, *rest))
        if abs(y.sum()) <= limit:
            yield y


def all_triangles(M):
    """The left sides of all inequalities, one by one."""
    for i, j, k in combinations(range(len(M)), 3):
        a, b, c = M[i, j], M[j, k], M[i, k]
        yield from (a + b + c, a - b - c, -a + b - c, -a - b + c)


# ---------------------------------------------------------------------- triangles


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


def test_names_tell_inequalities_apart():
    n = 5
    rows, names = [], []
    for s, j in product(SIGNS, range(n)):
        for i, k in combinations([i for i in range(n) if i != j], 2):
            triangle = Triangles(np.array([[i, j, k]]), np.array([s]))
            rows.append(tuple(triangle.rows(n).toarray()[0]))
            names.append(int(triangle.names(n)[0]))
    pairs = list(zip(rows, names, strict=True))
    for (row, name), (other_row, other_name) in combinations(pairs, 2):
        assert (row == other_row) == (name == other_name)


# ---------------------------------------------------------------------- groups


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(0, 12))
@settings(max_examples=80, deadline=None)
def test_groups_allow_exactly_the_labellings_that_keep_labels_and_links(seed, n, n_links):
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1, 1], n)
    pairs = [tuple(rng.integers(n, size=2)) for _ in range(n_links)]
    must = [(i, j) for i, j in pairs if truth[i] == truth[j]]
    cannot = [(i, j) for i, j in pairs if truth[i] != truth[j]]
    known = np.where(rng.random(n) < 0.3, (truth + 1) // 2, -1)
    groups = linked(n, known, must, cannot)

    def keeps(y):
        """Up to the names of the clusters."""
        labelled = y[known >= 0] * (2 * known[known >= 0] - 1)
        return (
            all(y[i] == y[j] for i, j in must)
            and all(y[i] != y[j] for i, j in cannot)
            and abs(labelled.sum()) == len(labelled)
        )

    wanted = {tuple(y) for y in product((-1, 1), repeat=n) if keeps(np.array(y))}
    made = {
        tuple(groups.of_rows(np.array(z)).astype(int))
        for z in product((-1, 1), repeat=groups.n_nodes)
    }
    assert made == wanted
    assert groups.n_nodes == round(np.log2(len(wanted)))
    z = rng.choice([-1.0, 1.0], groups.n_nodes)
    assert groups.sizes @ z == groups.of_rows(z).sum()
    y = groups.of_rows(z)
    np.testing.assert_array_equal(groups.pairs_of_rows(np.outer(z, z)), np.outer(y, y))
    A = rng.normal(size=(n, n))
    A += A.T
    R = np.eye(groups.n_nodes)[groups.nodes]
    np.testing.assert_allclose(groups.summed(A), R.T @ A @ R)


@pytest.mark.parametrize(
    ("known", "must", "cannot", "message"),
    [
        ([-1] * 4, [(0, 1), (1, 2)], [(2, 0)], r"cannot_link has \(2, 0\).*rows 2 and 0 are apart"),
        ([-1] * 4, [(0, 1)], [(1, 0)], r"cannot_link has \(1, 0\)"),
        ([-1] * 4, [(2, 2)], [(3, 3)], "row 3 differs from itself"),
        ([0, 1, -1, -1], [(0, 2), (2, 1)], [], r"must_link has \(2, 1\).*but the labels"),
        ([0, 0, -1, -1], [], [(0, 1)], r"cannot_link has \(0, 1\).*but the labels"),
        ([-1] * 4, [], [(0, 1), (1, 2), (2, 0)], r"cannot_link has \(2, 0\).*other links"),
    ],
)
def test_contradictory_links_are_named(known, must, cannot, message):
    with pytest.raises(ValueError, match=message):
        linked(4, np.array(known), must, cannot)


# ---------------------------------------------------------------------- the program


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.sampled_from([0.1, 1.0, 100.0]))
@settings(max_examples=40, deadline=None)
def test_the_margin_is_that_of_another_solver(seed, n, C):
    rng = np.random.default_rng(seed)
    K = 7 * some_kernel(rng, n)
    factor = rng.normal(size=(n, 3))
    factor /= np.linalg.norm(factor, axis=1, keepdims=True)
    Z = factor @ factor.T
    value, lam = Relaxation(K, C, 1.0, unlinked(n)).margin(Z)
    assert value == pytest.approx(margin(K, C, Z), rel=1e-5)
    assert np.all((lam >= 0) & (lam <= C * (1 + 1e-12)))
    assert 2 * lam.sum() - lam @ (K * Z) @ lam == pytest.approx(value, rel=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(3, 7), st.booleans())
@settings(max_examples=60, deadline=None)
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


def by_cvxopt(K, C, limit, groups):
    """The optimum with every triangle from the start, by an interior point method."""
    n, k = len(K), groups.n_nodes
    pairs = list(combinations(range(k), 2))
    number = {pair: i for i, pair in enumerate(pairs)}
    p = len(pairs)
    size = p + 2 * n + 1  # pairs, c, slacks of c <= 1, d

    def entry(i, j):
        """M_ij as a coefficient for each variable, and a constant."""
        row, sign = np.zeros(size), groups.signs[i] * groups.signs[j]
        a, b = sorted((groups.nodes[i], groups.nodes[j]))
        if a == b:
            return row, sign
        row[number[a, b]] = sign
        return row, 0.0

    cost = np.zeros(size)
    cost[p + n : p + 2 * n] = 2 * C
    cost[-1] = 1
    G, h = [], []
    for i in range(n):  # 1 - c_i <= u_i, 0 <= u_i
        row = np.zeros(size)
        row[p + i] = row[p + n + i] = -1
        G.append(row)
        h.append(-1.0)
        row = np.zeros(size)
        row[p + n + i] = -1
        G.append(row)
        h.append(0.0)
    for j in range(n):
        row = sum(entry(i, j)[0] for i in range(n))
        constant = sum(entry(i, j)[1] for i in range(n))
        G += [row, -row]
        h += [limit - constant, limit + constant]
    for i, j, m in combinations(range(n), 3):
        (a, a0), (b, b0), (c, c0) = entry(i, j), entry(j, m), entry(i, m)
        for s1, s2, s3 in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
            G.append(-(s1 * a + s2 * b + s3 * c))
            h.append(1 + s1 * a0 + s2 * b0 + s3 * c0)

    def semidefinite(order, entries):
        """-F_v for all variables v and F_0 of a constraint F_0 + sum_v x_v F_v >= 0."""
        F, F0 = np.zeros((order * order, size)), np.zeros((order, order))
        for (i, j), (row, constant) in entries.items():
            F[i * order + j] = row
            F0[i, j] = constant
        return cvxopt.matrix(-F), cvxopt.matrix(F0)

    whole = {(i, j): entry(i, j) for i in range(n) for j in range(n)}
    bordered = {(i, j): (K[i, j] * row, K[i, j] * c) for (i, j), (row, c) in whole.items()}
    unit = np.eye(size)
    for i in range(n):
        bordered[i, n] = bordered[n, i] = (unit[p + i], 0.0)
    bordered[n, n] = (unit[-1], 0.0)
    blocks = [semidefinite(n, whole), semidefinite(n + 1, bordered)]
    answer = cvxopt.solvers.sdp(
        cvxopt.matrix(cost), cvxopt.matrix(np.array(G)), cvxopt.matrix(np.array(h)),
        [a for a, _ in blocks], [b for _, b in blocks], options={"show_progress": False},
    )  # fmt: skip
    assert answer["status"] == "optimal"
    return answer["primal objective"]


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
@pytest.mark.parametrize("seed", range(2))
def test_the_optimum_is_that_of_an_interior_point_method(n, C, balance, known, must, cannot, seed):
    rng = np.random.default_rng(seed)
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
    sdp = SDPMMC(kernel="precomputed", balance=0.2, tol=1e-4, random_state=0).fit(K)
    assert sdp.objective_ == pytest.approx(optimum, abs=1e-3)
    assert sdp.lower_bound_ == pytest.approx(optimum, abs=1.5e-3)
    assert sdp.max_violation_ < 1e-3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("balance", [0.0, 0.25])
def test_no_labelling_is_below_the_bound(seed, balance):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2))
    sdp = SDPMMC(gamma=0.5, C=20.0, balance=balance, tol=1e-4, random_state=0).fit(X)
    K = rbf_kernel(X, gamma=0.5)
    values = {tuple(y): margin(K, 20.0, np.outer(y, y)) for y in labellings(8, 8 * balance)}
    assert sdp.lower_bound_ <= min(values.values())
    y = 2.0 * sdp.labels_ - 1
    assert sdp.label_objective_ == pytest.approx(values[tuple(y * y[0])], rel=1e-5)
    assert sdp.objective_ <= sdp.label_objective_ * (1 + 1e-6)


def test_triangles_matter_and_are_satisfied():
    X, _ = make_circles(30, factor=0.4, noise=0.03, random_state=0)
    K = rbf_kernel(X, gamma=2.0)
    relaxation = Relaxation(K, 100.0, 0.1, unlinked(30))
    method = SplittingMethod(relaxation)
    method.advance(500)
    assert min(all_triangles(method.Z)) < -1.2  # without any
    result = solve(relaxation, 1e-3, Limits(1000))
    assert result.violation <= 1e-3
    assert min(all_triangles(result.Z)) >= -1 - result.violation - 1e-12
    assert result.primal > relaxation.margin(method.Z).value * 1.01


def test_units_of_the_kernel():
    """f scales as 1 / K where C does too."""
    K = some_kernel(np.random.default_rng(0), 12)
    one = SDPMMC(kernel="precomputed", C=5.0, random_state=0).fit(K)
    other = SDPMMC(kernel="precomputed", C=0.05, random_state=0).fit(100 * K)
    assert other.objective_ == pytest.approx(one.objective_ / 100)
    assert other.lower_bound_ == pytest.approx(one.lower_bound_ / 100)
    assert other.label_objective_ == pytest.approx(one.label_objective_ / 100)


@pytest.mark.parametrize("seed", range(4))
def test_rows_near_the_origin_of_a_linear_kernel(seed):
    """Their lambda is large, one of them at C: the scale of the method follows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(9, 2)) * rng.uniform(0.05, 2, (9, 1))
    X[0] = 0
    relaxation = Relaxation(X @ X.T, 100.0, 0.4, unlinked(9))
    result = solve(relaxation, 0.01, Limits(60))
    assert result.status is Status.CONVERGED
    assert result.primal == pytest.approx(
        by_cvxopt(X @ X.T, 100.0, relaxation.limit, unlinked(9)), rel=0.02
    )


def test_working_set_drops_and_keeps():
    X, _ = make_circles(20, factor=0.4, noise=0.03, random_state=0)
    method = SplittingMethod(Relaxation(rbf_kernel(X, gamma=2.0), 100.0, 0.1, unlinked(20)))
    method.advance(25)
    found, _ = violated_triangles(method.Z, SIGNS, 0.0)
    distinct = len(np.unique(found.names(20)))
    assert method.add(found) == distinct < len(found.signs)
    assert method.add(found) == 0
    method.advance(50)
    active = method.r_dual[20:] < 0
    method.prune(-np.inf)
    assert len(method.triangles.signs) == active.sum() > 0
    assert len(method.r) == len(method.r_dual) == method.rows.shape[0] == 20 + active.sum()


# ---------------------------------------------------------------------- checking the checker


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


# ---------------------------------------------------------------------- rounding


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
@settings(max_examples=80, deadline=None)
def test_balanced_signs(seed, n):
    rng = np.random.default_rng(seed)
    values, sizes = rng.normal(size=n), rng.integers(-3, 4, n).astype(float)
    limit = float(rng.integers(0, 4))
    signs = balanced(values, sizes, limit)
    if signs is not None:
        assert set(np.abs(signs)) == {1.0}
        assert abs(sizes @ signs) <= limit
    plain = np.where(values >= 0, 1.0, -1.0)
    if abs(sizes @ plain) <= limit:
        np.testing.assert_array_equal(signs, plain)


def test_balance_is_reached_by_changes_towards_it_alone():
    values = np.array([0.9, 0.8, 0.7, -0.1])
    signs = balanced(values, np.ones(4), 0.0)
    np.testing.assert_array_equal(signs, [1, 1, -1, -1])
    assert balanced(values, np.array([5.0, 1, 1, 1]), 1.0) is None


def test_rounding_finds_the_best_labels_of_few_rows():
    """Over all labellings the best is among the draws, where the relaxation is near."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.normal(-1.5, 1, (4, 2)), rng.normal(1.5, 1, (4, 2))])
        K = rbf_kernel(X, gamma=0.5)
        relaxation = Relaxation(K, 50.0, 0.0, unlinked(8))
        Z = solve(relaxation, 1e-3, Limits(1000)).Z
        best = rounded(relaxation, Z, np.random.default_rng(0))
        least = min(margin(K, 50.0, np.outer(y, y)) for y in labellings(8, 0))
        assert best.value == pytest.approx(least, rel=1e-5)


def test_the_soft_assignment_is_the_leading_eigenvector_of_the_whole_matrix():
    rng = np.random.default_rng(0)
    groups = linked(7, np.full(7, -1), [(0, 3), (3, 4)], [(1, 2)])
    relaxation = Relaxation(some_kernel(rng, 7), 1.0, 0.5, groups)
    factor = rng.normal(size=(groups.n_nodes, 2))
    Z = factor @ factor.T
    values, vectors = np.linalg.eigh(groups.pairs_of_rows(Z))
    soft = groups.of_rows(soft_assignment(relaxation, Z))
    leading = np.sqrt(values[-1]) * vectors[:, -1]
    np.testing.assert_allclose(soft * np.sign(soft[0]), leading * np.sign(leading[0]))


# ---------------------------------------------------------------------- the estimator


def circles(n=40, seed=0):
    X, inner = make_circles(n, factor=0.4, noise=0.03, random_state=seed)
    return X, inner


def agreement(labels, y):
    share = np.mean(labels == y)
    return max(share, 1 - share)


def test_kernels_agree():
    X, inner = circles()
    by_name = SDPMMC(gamma=8.0, random_state=0).fit(X)
    K = rbf_kernel(X, gamma=8.0)
    new = np.random.default_rng(1).normal(size=(9, 2))
    others = [
        (SDPMMC(gamma=8.0, random_state=0), X, new),
        (SDPMMC(gamma=8.0, random_state=0), sparse.csr_matrix(X), sparse.csr_matrix(new)),
        (SDPMMC(kernel="precomputed", random_state=0), K, rbf_kernel(new, X, gamma=8.0)),
        (SDPMMC(kernel=lambda x, z: np.exp(-8 * np.sum((x - z) ** 2)), random_state=0), X, new),
    ]
    assert agreement(by_name.labels_, inner) == 1
    for estimator, rows, new_rows in others:
        estimator.fit(rows)
        assert estimator.objective_ == pytest.approx(by_name.objective_, rel=1e-9)
        np.testing.assert_array_equal(estimator.labels_, by_name.labels_)
        np.testing.assert_allclose(
            estimator.decision_function(new_rows), by_name.decision_function(new), atol=1e-9
        )
        assert estimator.verify(rows).matches


def test_the_classifier_is_the_support_vector_machine_of_the_labels():
    X, _ = circles(24)
    sdp = SDPMMC(gamma=8.0, C=2.0, random_state=0).fit(X)
    y, K = 2.0 * sdp.labels_ - 1, rbf_kernel(X, gamma=8.0)
    scores = K @ sdp.dual_coef_
    np.testing.assert_allclose(sdp.decision_function(X), scores)
    primal = sdp.dual_coef_ @ K @ sdp.dual_coef_ + 2 * 2.0 * np.maximum(0, 1 - y * scores).sum()
    assert primal == pytest.approx(sdp.label_objective_, rel=1e-6)
    np.testing.assert_array_equal(sdp.predict(X), sdp.labels_)


def test_attributes_belong_together():
    X, _ = circles(30)
    sdp = SDPMMC(random_state=0).fit(X)
    assert sdp.M_.shape == (30, 30)
    np.testing.assert_allclose(sdp.M_.diagonal(), 1)
    assert np.linalg.eigvalsh(sdp.M_).min() > -1e-9
    assert np.abs(sdp.M_.mean(axis=0)).max() <= 0.1 + sdp.max_violation_ + 1e-12
    assert sdp.max_violation_ <= 0.01
    assert (sdp.objective_ - sdp.lower_bound_) / sdp.objective_ <= 0.01
    assert np.mean((sdp.soft_assignment_ > 0) == (sdp.labels_ == 1)) > 0.9
    assert sdp.n_iter_ == sdp.result_.iterations == len(sdp.result_.history)
    assert abs(np.sum(2 * sdp.labels_ - 1)) <= 3
    again = SDPMMC(random_state=0).fit(X)
    np.testing.assert_array_equal(again.labels_, sdp.labels_)
    assert again.objective_ == sdp.objective_


def test_rows_far_from_the_origin():
    X, _ = circles()
    near, far = (SDPMMC(gamma=8.0, random_state=0).fit(rows) for rows in (X, X + 1e7))
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-5)
    np.testing.assert_array_equal(far.labels_, near.labels_)
    np.testing.assert_array_equal(far.predict(X + 1e7), near.labels_)


def test_links_may_come_from_a_generator():
    X, _ = circles()
    sdp = SDPMMC(random_state=0).fit(X, must_link=zip([0, 1], [1, 2], strict=True))
    assert len(set(sdp.labels_[:3])) == 1


@pytest.mark.parametrize("seed", range(3))
def test_rounding_where_the_matrix_is_undecided(seed):
    """Of two moons: draws of low rank find labels near the best that are known."""
    X, upper = make_moons(150, noise=0.08, random_state=0)
    sdp = SDPMMC(random_state=seed).fit(X)
    y = 2.0 * upper - 1
    K = rbf_kernel(X, gamma=sdp.gamma_)
    assert sdp.label_objective_ <= 1.5 * margin(K, 100.0, np.outer(y, y))
    assert sdp.label_gap_ == sdp.label_objective_ - sdp.lower_bound_


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_few_rows_and_odd_numbers(n):
    """A difference of one is allowed where it cannot be helped."""
    X = np.random.default_rng(n).normal(size=(n, 2))
    sdp = SDPMMC(balance=0.0, random_state=0).fit(X)
    assert abs(np.sum(2 * sdp.labels_ - 1)) == n % 2


def test_known_labels_are_kept_and_decide_the_names():
    X, inner = circles()
    y = np.full(len(X), -1)
    y[[0, 1, 2, 3, 4, 5]] = np.where(inner[:6], 7, 3)
    assert len(set(y[:6])) == 2
    sdp = SDPMMC(random_state=0).fit(X, y)
    np.testing.assert_array_equal(sdp.classes_, [3, 7])
    np.testing.assert_array_equal(sdp.labels_, np.where(inner, 7, 3))
    np.testing.assert_array_equal(sdp.predict(X), sdp.labels_)
    signs = np.where(y[:6] == 7, 1.0, -1.0)
    np.testing.assert_allclose(sdp.M_[:6, :6], np.outer(signs, signs))  # S1
    assert np.all(sdp.M_[:6].sum(axis=0)[6:] >= 2 - 6 - 1e-9)  # S2
    assert np.all((sdp.soft_assignment_ > 0) == (sdp.labels_ == 7))


def test_labels_against_the_data_are_kept():
    X, inner = circles()
    y = np.full(len(X), -1)
    y[:4] = 1 - inner[:4]
    y[4] = inner[4]
    sdp = SDPMMC(random_state=0).fit(X, y)
    np.testing.assert_array_equal(sdp.labels_[:5], y[:5])


def test_links():
    X, inner = circles()
    outer = np.flatnonzero(inner == 0)
    sdp = SDPMMC(random_state=0).fit(X, must_link=[(0, 1)], cannot_link=[(2, 3), (3, 4)])
    labels = sdp.labels_
    assert labels[0] == labels[1]
    assert labels[2] != labels[3] != labels[4]
    assert sdp.M_[2, 4] == pytest.approx(1)
    assert sdp.verify(X).matches
    pairs = list(pairwise(outer))
    easy = SDPMMC(random_state=0).fit(X, must_link=pairs)
    assert agreement(easy.labels_, inner) == 1
    assert easy.result_.Z.shape == (len(X) - len(pairs),) * 2


def test_links_that_leave_nothing_to_find():
    X = np.random.default_rng(0).normal(size=(4, 2))
    sdp = SDPMMC(random_state=0).fit(X, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    assert sdp.labels_[0] == sdp.labels_[1] != sdp.labels_[2] == sdp.labels_[3]


# ---------------------------------------------------------------------- limits


def test_max_iter_and_time_limit():
    X, _ = circles()
    for settings_, status in (({"max_iter": 2}, "MAX_ITER"), ({"time_limit": 1e-9}, "TIME_LIMIT")):
        with pytest.warns(ConvergenceWarning, match=status):
            sdp = SDPMMC(random_state=0, **settings_).fit(X)
        assert sdp.result_.status.name == status
        assert sdp.lower_bound_ <= sdp.label_objective_
        assert sdp.verify(X).matches


def test_callback_and_interruption():
    X, _ = circles()
    seen = []

    def stop(iteration, M):
        seen.append((iteration, M.shape))
        return len(seen) == 3

    sdp = SDPMMC(random_state=0, callback=stop).fit(X)
    assert sdp.result_.status is Status.STOPPED
    assert [iteration.iteration for iteration, _ in seen] == [1, 2, 3]
    assert seen[0][1] == (40, 40)
    duals = [iteration.dual for iteration in sdp.result_.history]
    assert duals == sorted(duals)

    def press(iteration, M):
        if iteration.iteration == 2:
            raise KeyboardInterrupt

    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        sdp = SDPMMC(random_state=0, callback=press).fit(X)
    assert sdp.verify(X).matches


@pytest.mark.parametrize("seed", range(2))
def test_the_bound_never_falls_and_is_reached_soon(seed):
    """With a wide kernel the multipliers of the bordered matrix are of high rank."""
    X, _ = plane("circles", seed)
    result = solve(Relaxation(rbf_kernel(X, gamma=2.0), 100.0, 0.1, unlinked(80)), 2e-3, Limits(60))
    assert result.status is Status.CONVERGED
    duals = [iteration.dual for iteration in result.history]
    assert duals == sorted(duals)
    assert result.dual == duals[-1]


def test_interruption_while_rounding(monkeypatch):
    K = some_kernel(np.random.default_rng(0), 10)
    relaxation = Relaxation(K, 100.0, 0.2, unlinked(10))
    Z, calls, margin_of = np.eye(10), [], relaxation.margin

    def press(*arguments):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(margin_of(*arguments))
        return calls[-1]

    monkeypatch.setattr(relaxation, "margin", press)
    best = rounded(relaxation, Z, np.random.default_rng(0))
    assert best.value == min(found.value for found in calls)
    calls[:] = [None] * 3
    with pytest.raises(KeyboardInterrupt):
        rounded(relaxation, Z, np.random.default_rng(0))


def test_a_narrow_kernel_warns():
    X, _ = circles()
    with pytest.warns(ConvergenceWarning, match=r"f\(M\) is \d+% of the n .*lower gamma"):
        SDPMMC(gamma=1e4, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SDPMMC(random_state=0).fit(X)


# ---------------------------------------------------------------------- bad input

X8 = np.random.default_rng(0).normal(size=(8, 2))
K8 = rbf_kernel(X8)


@pytest.mark.parametrize(
    ("settings_", "X", "y", "links", "message"),
    [
        ({"kernel": "precomputed"}, np.diag([1.0, 1, 1, -1]), None, {}, "semidefinite"),
        ({"kernel": "precomputed"}, K8[:, :5], None, {}, "square"),
        ({"kernel": "precomputed"}, K8 + np.triu(K8), None, {}, "symmetric"),
        ({"kernel": "precomputed"}, np.ones((4, 4)), None, {}, "constant"),
        ({"kernel": lambda x, z: -1.0}, X8, None, {}, "semidefinite"),
        ({"kernel": lambda x: 1.0}, X8, None, {}, "two rows"),
        ({"kernel": "linear"}, X8, None, {}, "kernel must be"),
        ({"kernel": K8}, X8, None, {}, "kernel must be"),
        ({}, X8[:1], None, {}, "sample"),
        ({}, np.ones((5, 3)), None, {}, "all rows are the same"),
        ({"gamma": 1.0}, np.ones((5, 3)), None, {}, "all rows are the same"),
        ({}, np.where(X8 > 0, np.nan, X8), None, {}, "NaN"),
        ({"C": 0.0}, X8, None, {}, "C must be"),
        ({"C": -1.0}, X8, None, {}, "C must be"),
        ({"gamma": 0.0}, X8, None, {}, "gamma"),
        ({"balance": -0.1}, X8, None, {}, "balance"),
        ({"balance": 1.0}, X8, None, {}, "one cluster"),
        ({"tol": 0.0}, X8, None, {}, "tol"),
        ({"max_iter": 0}, X8, None, {}, "max_iter"),
        ({"time_limit": 0.0}, X8, None, {}, "time_limit"),
        ({}, X8, [0, 0, -1, -1, -1, -1, -1, -1], {}, r"two classes; got \[0\]"),
        ({}, X8, [0, 1, 2, -1, -1, -1, -1, -1], {}, r"two classes; got \[0, 1, 2\]"),
        ({}, X8, [0, 1, -1], {}, "one label for each"),
        ({}, X8, [0, 1, np.nan, -1, -1, -1, -1, -1], {}, "1 labels that are missing"),
        ({}, X8, [0, 1, None, None, None, None, None, None], {}, "mark rows of unknown label -1"),
        ({}, X8, ["a", "b", -1, -1, -1, -1, -1, -1], {}, "y must hold integers"),
        ({}, X8, None, {"must_link": 3}, "must be pairs.*got 3"),
        ({}, X8, None, {"must_link": [(0, 8)]}, r"from 0 to 7.*got \(0, 8\)"),
        ({}, X8, None, {"must_link": [0, 1]}, r"shape \(2,\)"),
        ({}, X8, None, {"cannot_link": [(0.5, 1.0)]}, "float64"),
        ({}, X8, None, {"cannot_link": [(0, 1), (2,)]}, "different lengths"),
        ({}, X8, None, {"must_link": [(0, 1)], "cannot_link": [(0, 1)]}, "contradict"),
        ({}, X8, None, {"must_link": [(0, i) for i in range(1, 6)]}, "raise balance to 0.5"),
    ],
)
def test_bad_input(settings_, X, y, links, message):
    with pytest.raises(ValueError, match=message):
        SDPMMC(**settings_).fit(X, y, **links)


def test_links_that_no_labelling_keeps_are_proven_to_be_so():
    """Three groups of the same size: no row's groups are out of balance, but any labelling is."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    groups = [(i, i + 1) for i in range(11) if i % 4 != 3]
    with pytest.raises(InfeasibleConstraintsError, match="raise balance"):
        SDPMMC(C=1.0, balance=0.1).fit(X, must_link=groups)


def test_links_that_only_the_relaxation_can_keep():
    """Five groups of two: their signs cannot balance, five directions can."""
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match=r"no labelling was found within balance=0\.1"):
        SDPMMC(C=1.0, balance=0.1).fit(X, must_link=[(i, i + 1) for i in range(0, 10, 2)])


def test_methods_before_and_after_fit():
    with pytest.raises(NotFittedError):
        SDPMMC().predict(X8)
    sdp = SDPMMC(random_state=0).fit(X8)
    with pytest.raises(ValueError, match="8 training rows; got 3"):
        sdp.verify(X8[:3])
    with pytest.raises(ValueError, match="features"):
        sdp.predict(X8[:, :1])


def test_all_labels_known_are_ignored_with_a_warning():
    with pytest.warns(UserWarning, match="y is ignored"):
        SDPMMC(random_state=0).fit(X8, np.arange(8) % 2)
