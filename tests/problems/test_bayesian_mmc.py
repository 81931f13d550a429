"""The null-category model against quadrature and finite differences, and as an estimator."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.integrate import quad
from scipy.optimize import minimize
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.datasets import plane
from structsvm.features.kernels import Kernel
from structsvm.problems import BayesianMMC
from structsvm.problems.relatives.bayesian_mmc import division, posterior
from structsvm.problems.relatives.bayesian_mmc.likelihood import (
    data_term,
    label_model,
    probability_of_plus,
    share_model,
    universum_term,
)
from structsvm.problems.relatives.bayesian_mmc.posterior import EPSILONS, posterior_mode
from structsvm.problems.relatives.bayesian_mmc.prior import Prior, graph_covariance
from structsvm.problems.relatives.bayesian_mmc.starts import starts
from structsvm.problems.relatives.bayesian_mmc.universum import from_marginals, near_mean


def blobs(n=60, seed=0):
    return make_blobs(n, centers=[[-3, 0], [3, 0]], random_state=seed)


def agreement(labels, y):
    share = np.mean(labels == y)
    return max(share, 1 - share)


# ---------------------------------------------------------------------- likelihood


def log_likelihood(f, C, gamma):
    """Equation 4a without Z, by the formula."""
    plus, minus = np.exp(-C * np.maximum(0, 1 - f)), np.exp(-C * np.maximum(0, 1 + f))
    return np.log(gamma * plus + (1 - gamma) * minus)


def log_null(f, C):
    """Equation 4b with Z, by the formula."""
    Z = 1 / (1 + np.exp(-2 * C))
    return np.log(1 - Z * (np.exp(-C * max(0, 1 - f)) + np.exp(-C * max(0, 1 + f))))


@given(st.floats(-4, 4), st.floats(0.1, 8), st.floats(0.05, 0.95))
@settings(max_examples=100, deadline=None)
def test_the_smooth_likelihood_is_below_and_near_the_true_one(f, C, gamma):
    values = [
        data_term(share_model(C, gamma, 1), np.array([f]), e).value for e in (0.1, 0.01, 1e-9)
    ]
    assert values[0] <= values[1] <= values[2] + 1e-12
    assert values[2] == pytest.approx(float(log_likelihood(f, C, gamma)), abs=1e-7)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 8), st.floats(0.05, 0.95))
@settings(max_examples=200, deadline=None)
def test_the_quadratic_touches_the_likelihood_from_below(f, g, C, gamma):
    model, epsilon = share_model(C, gamma, 1), 0.05
    at, other = (data_term(model, np.array([x]), epsilon) for x in (f, g))
    W, b = at.W[0], at.b[0]
    assert W > 0
    rise = (-W * g**2 / 2 + b * g) - (-W * f**2 / 2 + b * f)
    assert at.value + rise <= other.value + 1e-9
    h = 1e-5
    up, down = (data_term(model, np.array([f + s * h]), epsilon).value for s in (1, -1))
    assert b - W * f == pytest.approx((up - down) / (2 * h), abs=1e-5 * (1 + C**2))


@given(st.floats(-0.95, 0.95), st.floats(0.2, 6))
@settings(max_examples=100, deadline=None)
def test_the_universum_term_and_its_derivatives(f, C):
    term = universum_term(C, np.array([f]))
    assert term.value == pytest.approx(log_null(f, C), rel=1e-7, abs=1e-9)
    h = 1e-4 * (1 - abs(f))
    up, down = (universum_term(C, np.array([f + s * h])).value for s in (1, -1))
    slope, curvature = (up - down) / (2 * h), (up - 2 * term.value + down) / h**2
    assert term.b[0] - term.W[0] * f == pytest.approx(slope, rel=1e-3, abs=1e-3)
    assert -term.W[0] == pytest.approx(curvature, rel=1e-2, abs=1e-2)
    assert term.W[0] > 0  # concave


@given(st.floats(-3, 3), st.floats(0.01, 4), st.floats(0.2, 5), st.floats(0.1, 0.9))
@settings(max_examples=40, deadline=None)
def test_probabilities_are_the_integral(mean, variance, C, gamma):
    def integrand(f):
        odds = np.log((1 - gamma) / gamma) + C * (max(0, 1 - f) - max(0, 1 + f))
        density = np.exp(-((f - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
        return density / (1 + np.exp(odds))

    reach = 10 * np.sqrt(variance)
    kinks = [x for x in (-1, 0, 1) if abs(x - mean) < reach]
    wanted, _ = quad(integrand, mean - reach, mean + reach, points=kinks or None, limit=200)
    model = share_model(C, gamma, 1)
    found = probability_of_plus(model, np.array([mean]), np.array([variance]))
    assert found[0] == pytest.approx(wanted, abs=5e-3)


# ---------------------------------------------------------------------- the mode


def random_prior(rng, n, m=0):
    X = rng.normal(size=(n + m, 2))
    return rbf_kernel(X, gamma=0.5) + 1e-3 * np.eye(n + m)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 12),
    st.integers(0, 4),
    st.sampled_from([0.3, 1.0, 5.0]),
    st.sampled_from([0.5, 0.2]),
)
@settings(max_examples=60, deadline=None)
def test_the_log_posterior_rises_at_every_step(seed, n, m, C, gamma):
    rng = np.random.default_rng(seed)
    K = random_prior(rng, n, m)
    f0 = rng.choice([-1.0, 1.0], n)
    found = posterior_mode(K, share_model(C, gamma, n), f0, 1e-6, 300)
    history = np.array(found.history)
    assert np.all(np.diff(history) >= -1e-9 * (1 + np.abs(history[1:])))
    assert np.all(np.abs(found.f[n:]) < 1)
    np.testing.assert_allclose(K @ found.a, found.f, atol=1e-8)


@pytest.mark.parametrize(
    ("scale", "C", "shrink", "leaves"), [(10, 20.0, 0.1, True), (100, 5.0, 0.602, False)]
)
def test_a_step_with_a_universum_is_halved(scale, C, shrink, leaves):
    """Its quadratic knows nothing of the margin: a step leaves it, or comes too near to rise."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(3, 2)), 2, axis=0)[[0, 2, 4, 1, 3, 5]]  # three and their copies
    K = scale * rbf_kernel(X, gamma=0.5) + 1e-3 * np.eye(6)
    search = posterior._Search(K, share_model(C, 0.5, 3), np.array([1.0, -1.0, 1.0]))
    search.run(0.1, 1e-9, 1)
    search._accept(shrink * search.f, shrink * search.a)
    before, a = search.value, search._maximiser()
    whole = K @ a
    assert (np.abs(whole[3:]).max() > 1) == leaves
    if not leaves:
        assert search._value(whole, a, search._term(whole)) < before
    search._step()
    assert search.value > before
    assert 0.1 < np.abs(search.f[3:]).max() < 1


def log_posterior(f, K, C, gamma, n, epsilon):
    a = np.linalg.solve(K, f)
    value = data_term(share_model(C, gamma, n), f[:n], epsilon).value - 0.5 * f @ a
    return value + universum_term(C, f[n:]).value if len(f) > n else value


@pytest.mark.parametrize("m", [0, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_mode_is_a_local_maximum_of_the_posterior(seed, m):
    """Another optimiser finds nothing higher near it."""
    rng = np.random.default_rng(seed)
    n, C, gamma = 6, 1.0, 0.4
    K = random_prior(rng, n, m)
    found = posterior_mode(K, share_model(C, gamma, n), rng.choice([-1.0, 1.0], n), 1e-9, 5000)
    assert found.converged
    epsilon = EPSILONS[-1]
    at_mode = log_posterior(found.f, K, C, gamma, n, epsilon)
    assert found.log_posterior == pytest.approx(at_mode, abs=1e-6)
    polished = minimize(
        lambda f: -log_posterior(f, K, C, gamma, n, epsilon), found.f, method="Nelder-Mead",
        options={"maxiter": 4000, "xatol": 1e-6, "fatol": 1e-9},
    )  # fmt: skip
    assert -polished.fun <= at_mode + 1e-4


def test_known_labels_give_the_support_vector_machine():
    """The mode of the labelled model minimises the regularised hinge loss (Sollich)."""
    rng = np.random.default_rng(0)
    K, y, C = random_prior(rng, 12), np.repeat([-1.0, 1.0], 6), 2.0
    found = posterior_mode(K, label_model(C, y), y, 1e-8, 20000)

    def objective(a):
        f = K @ a
        return 0.5 * a @ f + C * np.maximum(0, 1 - y * f).sum()

    from sklearn.svm import SVC

    svm = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K, y)  # with an offset: a bound from below
    assert objective(found.a) >= 0.5 * (svm.dual_coef_ @ K[svm.support_][:, svm.support_] @
                                        svm.dual_coef_.T).item()  # fmt: skip
    from structsvm.qp import solve_restricted_dual

    dual = solve_restricted_dual(
        K * np.outer(y, y), np.ones(12), np.arange(12), np.full(12, C)
    ).dual
    assert objective(found.a) == pytest.approx(dual, rel=1e-3)


def test_the_gaussian_about_the_mode():
    rng = np.random.default_rng(0)
    n, m = 9, 4
    K = random_prior(rng, n + m)
    model = share_model(1.0, 0.5, n)
    found = posterior_mode(K[:n, :n], model, rng.choice([-1.0, 1.0], n), 1e-8, 3000)
    W = np.diag(found.roots**2)
    covariance = np.linalg.inv(np.linalg.inv(K[:n, :n]) + W)
    variance = found.variance(K[:n, :n], K.diagonal()[:n])
    np.testing.assert_allclose(variance, covariance.diagonal(), atol=1e-8)
    # New rows: prior covariance less what the rows tell (Rasmussen & Williams, equation 3.24).
    cross = K[n:, :n]
    wanted = K[n:, n:] - cross @ np.linalg.inv(K[:n, :n] + np.linalg.inv(W)) @ cross.T
    np.testing.assert_allclose(found.variance(cross, K.diagonal()[n:]), wanted.diagonal())
    sign, logdet = np.linalg.slogdet(np.eye(n) + K[:n, :n] @ W)
    assert sign > 0
    assert found.log_evidence == pytest.approx(found.log_posterior - logdet / 2)


# ---------------------------------------------------------------------- prior, starts, Universum


@pytest.mark.parametrize("offset", [0.0, 2.0])
@pytest.mark.parametrize("kind", ["rbf", "callable", "precomputed"])
def test_the_prior_is_centred_scaled_and_one_function(kind, offset):
    X = np.random.default_rng(0).normal(size=(12, 3))
    new = np.random.default_rng(1).normal(size=(4, 3))
    kernels = {
        "rbf": Kernel("rbf", 0.3),
        "callable": Kernel(lambda x, z: (1 + x @ z) ** 2),
        "precomputed": Kernel("precomputed"),
    }
    kernel = kernels[kind]
    everything = rbf_kernel(np.vstack([X, new]), gamma=0.3)
    if kind == "callable":
        stacked = np.vstack([X, new])
        everything = (1 + stacked @ stacked.T) ** 2
    rows = everything[:12, :12] if kind == "precomputed" else X
    prior = Prior(kernel, rows, offset)
    # The whole of it at once: centred by the mean function over the training rows, then scaled.
    H = np.vstack([np.eye(16)[:12], np.eye(16)[12:]]) - np.r_[np.full(12, 1 / 12), np.zeros(4)]
    whole = H @ everything @ H.T
    whole = whole / whole[:12, :12].trace() * 12 + offset
    np.testing.assert_allclose(prior.K, whole[:12, :12], atol=1e-12)
    assert np.trace(prior.K - offset) == pytest.approx(12)
    np.testing.assert_allclose((prior.K - offset).sum(axis=0), 0, atol=1e-10)
    given = everything[12:, :12] if kind == "precomputed" else new
    np.testing.assert_allclose(prior.cross(given), whole[12:, :12], atol=1e-12)
    if kind == "precomputed":
        return
    np.testing.assert_allclose(prior.between(new, new), whole[12:, 12:], atol=1e-12)
    np.testing.assert_allclose(prior.variances(new), whole[12:, 12:].diagonal(), atol=1e-12)
    np.testing.assert_allclose(prior.cross(X), prior.K, atol=1e-12)


def test_the_graph_prior_is_smooth_along_the_graph():
    X, y = make_moons(60, noise=0.03, random_state=0)
    K = graph_covariance(X)
    assert np.linalg.eigvalsh(K).min() > 0
    correlation = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    same = y[:, None] == y
    assert correlation[same].mean() > 2 * np.abs(correlation[~same]).mean()


def test_starts_are_divisions_each_once():
    X, y = plane("circles")
    divisions = starts(X, 9)
    assert 1 < len(divisions) <= 9
    assert len({(d * d[0]).tobytes() for d in divisions}) == len(divisions)
    assert all(set(d) == {-1.0, 1.0} for d in divisions)
    assert agreement(divisions[0] > 0, y) == 1
    assert len(starts(X, 1)) == 1
    np.testing.assert_array_equal(starts(X, 1)[0], divisions[0])


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_universum_rows(convert):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 4)) < 0.5, 0, rng.integers(1, 5, (50, 4)).astype(float))
    X[:, 3] = 7.0
    given = convert(X)
    mean, marginal = near_mean(given, rng), from_marginals(given, rng)
    assert sparse.issparse(mean) == sparse.issparse(marginal) == sparse.issparse(given)
    mean, marginal = (a.toarray() if sparse.issparse(a) else a for a in (mean, marginal))
    assert mean.shape == marginal.shape == (20, 4)
    assert np.abs(mean - X.mean(axis=0)).max() < 0.5 * X.std(axis=0).max()
    np.testing.assert_allclose(mean[:, 3], 7)
    for j in range(4):
        assert set(marginal[:, j]) <= set(X[:, j])
    assert len({tuple(row) for row in marginal} - {tuple(row) for row in X}) > 0


# ---------------------------------------------------------------------- the estimator


@pytest.mark.parametrize("kernel", ["diffusion", "rbf", "graph"])
def test_clusters_that_are_plain(kernel):
    X, y = blobs()
    fit = BayesianMMC(kernel=kernel).fit(X)
    assert agreement(fit.labels_, y) == 1
    assert fit.probabilities_.shape == (60, 2)
    np.testing.assert_allclose(fit.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(fit.probabilities_.argmax(axis=1), fit.labels_)
    assert fit.log_posterior_.shape == fit.log_evidence_.shape == (1,)
    assert fit.log_evidence_[0] < fit.log_posterior_[0]
    assert not fit.collapsed_
    assert np.isnan(fit.length_scale_[0]) == (kernel == "graph")
    if kernel != "graph":
        np.testing.assert_allclose(fit.predict_proba(X), fit.probabilities_, atol=1e-6)
        np.testing.assert_array_equal(fit.predict(X), fit.labels_)


def test_kernels_agree():
    X, _ = blobs()
    new = np.random.default_rng(1).normal(0, 3, (9, 2))
    by_name = BayesianMMC(kernel="rbf", length_scale=2.0, n_init=1).fit(X)
    K, cross = rbf_kernel(X, gamma=1 / 8), rbf_kernel(new, X, gamma=1 / 8)
    others = [
        (BayesianMMC(kernel="precomputed", n_init=1), K, cross),
        (BayesianMMC(kernel=lambda x, z: np.exp(-np.sum((x - z) ** 2) / 8), n_init=1), X, new),
        (BayesianMMC(kernel="rbf", length_scale=2.0, n_init=1), *map(sparse.csr_matrix, (X, new))),
    ]
    np.testing.assert_allclose(RBF(2.0)(X), K)
    for estimator, rows, new_rows in others:
        estimator.fit(rows)
        np.testing.assert_allclose(estimator.log_posterior_, by_name.log_posterior_, rtol=1e-6)
        mine, theirs = estimator.predict_proba(new_rows), by_name.predict_proba(new)
        if agreement(estimator.labels_, by_name.labels_) > np.mean(
            estimator.labels_ == by_name.labels_
        ):
            mine = mine[:, ::-1]
        np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_probabilities_say_where_it_is_unsure():
    X, _ = blobs()
    p = BayesianMMC(kernel="rbf").fit(X).predict_proba([[0.0, 0.0], [3.0, 0.0], [100.0, 0.0]])
    assert p.max(axis=1)[1] > 0.85
    assert abs(p[0, 0] - 0.5) < 0.15
    assert abs(p[2, 0] - 0.5) < 0.2  # far from all rows the prior is all there is


def test_clusters_of_unequal_size_need_an_offset():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-3, 1, (90, 2)), rng.normal(3, 1, (10, 2))])
    y = np.repeat([0, 1], [90, 10])
    assert agreement(BayesianMMC(kernel="rbf", offset=1.0).fit_predict(X), y) == 1


def test_gamma_moves_the_probabilities():
    X, _ = blobs()
    middle = [[0.0, 0.0]]
    even, more = (
        BayesianMMC(kernel="rbf", gamma=g, offset=1.0).fit(X).predict_proba(middle)[0, 1]
        for g in (0.5, 0.8)
    )
    assert more > even + 0.1


@pytest.mark.parametrize("gamma", [0.4, 0.6])
def test_gamma_names_the_clusters(gamma):
    """Both names of every start are tried: gamma is the prior share of the second cluster."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-3, 1, (51, 2)), rng.normal(3, 1, (9, 2))])
    for rows in (X, X[::-1]):
        fit = BayesianMMC(kernel="rbf", gamma=gamma, offset=1.0, n_init=1).fit(rows)
        first, second = np.bincount(fit.labels_)
        assert (first > 3 * second) if gamma < 0.5 else (second > 3 * first)


def test_several_clusters_top_down():
    X, y = make_blobs(120, centers=[[-6, 0], [0, 0], [6, 0], [0, 7]], random_state=0)
    fit = BayesianMMC(kernel="rbf", n_clusters=4, offset=1.0).fit(X)
    table = np.array([[np.sum((fit.labels_ == i) & (y == j)) for j in range(4)] for i in range(4)])
    assert sorted(table.max(axis=1).tolist()) == [30, 30, 30, 30]
    np.testing.assert_allclose(fit.probabilities_.sum(axis=1), 1)
    assert np.mean(fit.probabilities_.argmax(axis=1) == fit.labels_) > 0.95
    np.testing.assert_allclose(fit.predict_proba(X), fit.probabilities_, atol=1e-6)
    assert fit.log_posterior_.shape == (3,)
    K = rbf_kernel(X, gamma=0.02)
    precomputed = BayesianMMC(kernel="precomputed", n_clusters=3, n_init=2).fit(K)
    np.testing.assert_allclose(precomputed.predict_proba(K).sum(axis=1), 1)
    assert len(np.unique(precomputed.labels_)) == 3
    graph = BayesianMMC(kernel="graph", n_clusters=3).fit(X)
    assert graph.probabilities_.shape == (120, 3)


@pytest.mark.parametrize("universum", ["mean", "marginal", [[0.0, 0.0], [0.1, -0.1]]])
@pytest.mark.parametrize("kernel", ["rbf", "diffusion"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_a_universum_keeps_within_the_margin(universum, kernel, convert):
    X, y = blobs()
    fit = BayesianMMC(kernel=kernel, universum=universum, random_state=0).fit(convert(X))
    assert agreement(fit.labels_, y) > 0.9
    f = fit._branches[0].division.posterior.f
    assert len(f) > 60
    assert np.all(np.abs(f[60:]) < 1)
    np.testing.assert_allclose(fit.predict_proba(convert(X)), fit.probabilities_, atol=1e-6)


def test_a_universum_moves_the_margin():
    """Rows of no cluster beside one of the blobs pull the boundary there."""
    X, _ = blobs()
    spot = np.array([[1.5, 0.0]])
    beside = np.column_stack([np.full(20, 1.5), np.linspace(-2, 2, 20)])
    plain = BayesianMMC(kernel="rbf", offset=1.0).fit(X)
    told = BayesianMMC(kernel="rbf", offset=1.0, universum=beside).fit(X)
    sure, unsure = (max(f.predict_proba(spot)[0]) - 0.5 for f in (plain, told))
    assert unsure < 0.6 * sure


def test_evidence_chooses_a_width():
    X, _ = make_moons(80, noise=0.1, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = BayesianMMC(kernel="rbf", length_scale="evidence", n_init=1).fit(X)
    default = BayesianMMC(kernel="rbf", n_init=1).fit(X)
    assert fit.log_evidence_[0] >= default.log_evidence_[0]
    at_edge = any("no maximum" in str(w.message) for w in caught)
    share = 0.5 * fit.length_scale_[0] / default.length_scale_[0]
    assert at_edge == (not 0.12 < share < 2.7)


def test_a_collapse_is_said_and_the_start_returned():
    X, _ = plane("circles")
    # Without a weight for the labels the prior alone decides, and a large constant takes all rows.
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        fit = BayesianMMC(kernel="rbf", C=0.05, offset=100.0).fit(X)
    assert fit.collapsed_
    np.testing.assert_array_equal(fit.labels_, starts(X, 1)[0] > 0)
    assert np.bincount(fit.labels_).min() >= 4


def test_collapse_is_judged_by_the_smallest_cluster(monkeypatch):
    X, _ = blobs()
    monkeypatch.setattr(division, "SMALLEST", 0.6)
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        assert BayesianMMC(kernel="rbf").fit(X).collapsed_


def test_steps_that_run_out_warn():
    X, _ = blobs()
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        BayesianMMC(max_iter=1).fit(X)


@pytest.mark.parametrize("pressed", [0, 2, 8])
def test_interruption_keeps_the_best_start(pressed, monkeypatch):
    """At the first start there is nothing to keep; then some starts; then all and no finalist."""
    X, y = blobs()
    mode, calls = division.posterior_mode, []

    def press(*arguments):
        if len(calls) == pressed:
            calls.append(None)
            raise KeyboardInterrupt
        calls.append(mode(*arguments))
        return calls[-1]

    monkeypatch.setattr(division, "posterior_mode", press)
    monkeypatch.setattr(division, "starts", lambda rows, n: starts(X, 8)[:8])
    estimator = BayesianMMC(kernel="rbf")
    if pressed == 0:
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X)
        return
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        estimator.fit(X)
    made = [found for found in calls if found is not None]
    assert len(made) == pressed
    assert estimator.log_posterior_[0] == max(
        found.log_posterior for found in made if 3 <= np.sum(found.f > 0) <= 57
    )
    assert agreement(estimator.labels_, y) > 0.6


def test_rows_far_from_all_others():
    """The walk to near neighbours underflows there, but is a walk."""
    X, _ = make_moons(24, noise=0.08, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = BayesianMMC().fit(X).predict_proba([[1e4, 0.0], [0.0, 1e6]])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    rng = np.random.default_rng(0)
    tight = np.vstack([rng.normal(c, 1e-3, (30, 2)) for c in ((0, 0), (10, 0), (0, 10))])
    labels = BayesianMMC(n_clusters=3, offset=1.0).fit_predict(tight)
    assert sorted(np.bincount(labels).tolist()) == [30, 30, 30]


@pytest.mark.parametrize("kernel", ["diffusion", "rbf"])
def test_dense_and_sparse_rows_may_be_mixed(kernel):
    X, _ = blobs()
    middle = sparse.csr_matrix([[0.0, 0.0], [0.1, 0.0]])
    fit = BayesianMMC(kernel=kernel, universum=middle).fit(X)
    dense = BayesianMMC(kernel=kernel, universum=middle.toarray()).fit(X)
    np.testing.assert_allclose(fit.predict_proba(sparse.csr_matrix(X)), fit.predict_proba(X))
    np.testing.assert_allclose(fit.probabilities_, dense.probabilities_)


def test_repeatable_and_silent():
    X, _ = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, two = (BayesianMMC(universum="mean", random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.probabilities_, two.probabilities_)


# ---------------------------------------------------------------------- bad input

X8 = np.random.default_rng(0).normal(size=(20, 2))
K8 = rbf_kernel(X8)


@pytest.mark.parametrize(
    ("settings_", "X", "message"),
    [
        ({"kernel": "precomputed"}, np.diag([1.0, 1, 1, -1]), "semidefinite"),
        ({"kernel": "precomputed"}, K8[:, :5], "square"),
        ({"kernel": "precomputed"}, np.ones((9, 9)), "kernel is constant"),
        ({"kernel": lambda x: 1.0}, X8, "two rows"),
        ({"kernel": lambda x, z: 1.0}, X8, "constant"),
        ({"kernel": "linear"}, X8, "kernel must be"),
        ({}, X8[:1], "sample"),
        ({}, np.ones((9, 3)), "all rows are the same"),
        ({"kernel": "graph"}, np.ones((9, 3)), "all rows are the same"),
        ({}, np.where(X8 > 0, np.nan, X8), "NaN"),
        ({"C": 0.0}, X8, "C must be"),
        ({"C": -1.0}, X8, "C must be"),
        ({"gamma": 0.0}, X8, "gamma"),
        ({"gamma": 1.0}, X8, "gamma"),
        ({"offset": -1.0}, X8, "offset"),
        ({"n_clusters": 1}, X8, "n_clusters"),
        ({"n_clusters": 21}, X8, "n_clusters=21"),
        ({"n_init": 0}, X8, "n_init"),
        ({"tol": 0.0}, X8, "tol"),
        ({"max_iter": 0}, X8, "max_iter"),
        ({"length_scale": 0.0}, X8, "length_scale"),
        ({"length_scale": "long"}, X8, "'evidence' or None"),
        ({"length_scale": 1.0, "kernel": "graph"}, X8, "has none"),
        ({"universum": np.ones((3, 5))}, X8, "2 features of X; it has 5"),
        ({"universum": [[np.nan, 0.0]]}, X8, "NaN"),
        ({"universum": "median"}, X8, "'mean', 'marginal'"),
        ({"universum": "mean", "kernel": "graph"}, X8, "needs a kernel of rows"),
        ({"universum": "mean", "kernel": "precomputed"}, K8, "needs a kernel of rows"),
    ],
)
def test_bad_input(settings_, X, message):
    with pytest.raises(ValueError, match=message):
        BayesianMMC(**settings_).fit(X)


def test_methods_before_and_after_fit():
    with pytest.raises(NotFittedError):
        BayesianMMC().predict(X8)
    graph = BayesianMMC(kernel="graph").fit(X8)
    with pytest.raises(ValueError, match="kernel='diffusion' to predict"):
        graph.predict(X8)
