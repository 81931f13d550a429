"""The prior, the likelihood and the Gaussian about the mode, against the formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.integrate import quad
from scipy.optimize import minimize
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.features.kernels import Kernel
from structsvm.problems.margin_clustering.bayesian_mmc import posterior
from structsvm.problems.margin_clustering.bayesian_mmc.likelihood import (
    cluster_probabilities,
    data_term,
    label_model,
    label_values,
    prior_model,
    universum_term,
)
from structsvm.problems.margin_clustering.bayesian_mmc.posterior import EPSILONS, posterior_mode
from structsvm.problems.margin_clustering.bayesian_mmc.prior import (
    Prior,
    graph_covariance,
    universum_rows,
)


@pytest.mark.parametrize("offset", [0.0, 2.0])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_the_prior_is_centred_scaled_and_one_function(kernel, offset):
    X = np.random.default_rng(0).normal(size=(12, 3))
    new = np.random.default_rng(1).normal(size=(4, 3))
    everything = rbf_kernel(np.vstack([X, new]), gamma=0.3)
    rows = everything[:12, :12] if kernel == "precomputed" else X
    prior = Prior(Kernel(kernel, 0.3), rows, offset, 12)
    # The whole of it at once: centred by the mean function over the training rows, then scaled.
    H = np.eye(16) - np.r_[np.full(12, 1 / 12), np.zeros(4)]
    whole = H @ everything @ H.T
    whole = whole / whole[:12, :12].trace() * 12 + offset
    phi, given = prior.features, everything[12:, :12] if kernel == "precomputed" else new
    np.testing.assert_allclose(phi @ phi.T, whole[:12, :12], atol=1e-10)
    np.testing.assert_allclose((phi @ phi.T - offset).sum(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(prior.of(given) @ phi.T, whole[12:, :12], atol=1e-8)
    np.testing.assert_allclose(prior.of(rows), phi, atol=1e-8)


def test_the_leading_eigenfunctions_are_kept_and_scaled():
    X = np.random.default_rng(0).normal(size=(30, 3))
    whole = Prior(Kernel("rbf", 0.3), X, 0.0, 30)
    few = Prior(Kernel("rbf", 0.3), X, 0.0, 4)
    assert few.features.shape == (30, 4)
    for prior in (whole, few):
        assert np.square(prior.features).sum() == pytest.approx(30)
    scale = np.linalg.norm(few.features[:, 0]) / np.linalg.norm(whole.features[:, 0])
    assert scale > 1
    np.testing.assert_allclose(few.features, scale * whole.features[:, :4], atol=1e-10)
    np.testing.assert_allclose(few.of(X), few.features, atol=1e-10)


def test_the_graph_prior_is_smooth_along_the_graph():
    X, y = make_moons(60, noise=0.03, random_state=0)
    K = graph_covariance(X)
    assert np.linalg.eigvalsh(K).min() > 0
    correlation = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    same = y[:, None] == y
    assert correlation[same].mean() > 2 * np.abs(correlation[~same]).mean()
    twice = graph_covariance(np.repeat(X, 9, axis=0))
    np.testing.assert_allclose(twice[::9, ::9], K)
    np.testing.assert_allclose(twice[1::9, 8::9], K)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_rows_of_no_cluster_are_drawn_about_the_mean_or_from_the_columns(convert):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 4)) < 0.5, 0, rng.integers(1, 5, (50, 4)).astype(float))
    X[:, 3] = 7.0
    given = convert(X)
    mean, marginal = (universum_rows(name, given, rng) for name in ("mean", "marginal"))
    assert sparse.issparse(mean) == sparse.issparse(marginal) == sparse.issparse(given)
    mean, marginal = (a.toarray() if sparse.issparse(a) else a for a in (mean, marginal))
    assert mean.shape == marginal.shape == (20, 4)
    assert np.abs(mean - X.mean(axis=0)).max() < 0.5 * X.std(axis=0).max()
    np.testing.assert_allclose(mean[:, 3], 7)
    assert all(set(marginal[:, j]) <= set(X[:, j]) for j in range(4))
    assert len({tuple(row) for row in marginal} - {tuple(row) for row in X}) > 0


# ---------------------------------------------------------------------- the likelihood


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
        data_term(prior_model(C, gamma, 2), np.array([[f]]), e).value for e in (0.1, 0.01, 1e-9)
    ]
    assert values[0] <= values[1] <= values[2] + 1e-12
    assert values[2] == pytest.approx(float(log_likelihood(f, C, gamma)), abs=1e-7)


def log_likelihood_of_several(f, C):
    """The formula for k clusters with equal shares."""
    plus, minus = np.maximum(0, 1 - f), np.maximum(0, 1 + f)
    parts = [-C * (plus[c] + minus.sum() - minus[c]) for c in range(len(f))]
    return np.logaddexp.reduce(parts) - np.log(len(f))


@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.floats(0.1, 8))
@settings(max_examples=60, deadline=None)
def test_the_likelihood_of_several_clusters(seed, k, C):
    f = np.random.default_rng(seed).normal(0, 2, (5, k))
    value = data_term(prior_model(C, 0.5, k), f, 1e-9).value
    assert value == pytest.approx(sum(log_likelihood_of_several(row, C) for row in f), rel=1e-6)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([2, 3, 5]),
    st.floats(0.1, 8),
    st.floats(0.05, 0.95),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_the_quadratic_touches_the_likelihood_from_below(seed, k, C, gamma, known):
    rng, epsilon, h = np.random.default_rng(seed), 0.05, 1e-5
    q = 1 if k == 2 else k
    f, g = rng.normal(0, 1.5, (2, 1, q))
    model = label_model(C, np.array([1]), k) if known else prior_model(C, gamma, k)
    at, other = (data_term(model, x, epsilon) for x in (f, g))
    assert np.all(at.W > 0)
    rise = np.sum((-at.W * g**2 / 2 + at.b * g) - (-at.W * f**2 / 2 + at.b * f))
    assert at.value + rise <= other.value + 1e-9 * (1 + abs(other.value))
    for j in range(q):
        step = h * np.eye(q)[j]
        up, down = (data_term(model, f + s * step, epsilon).value for s in (1, -1))
        slope = (at.b - at.W * f)[0, j]
        assert slope == pytest.approx((up - down) / (2 * h), abs=1e-5 * (1 + C**2))


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
    model = prior_model(C, gamma, 2)
    found = cluster_probabilities(model, np.array([[mean]]), np.array([[variance]]))
    assert found[0, 1] == pytest.approx(wanted, abs=5e-3)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("k", [3, 6])
def test_probabilities_of_several_are_those_of_exactly_one_label(k):
    """Against draws: independent labels of all functions, kept where exactly one is +."""
    rng, C = np.random.default_rng(0), 0.7
    mean, variance = rng.normal(-0.5, 0.8, k), rng.uniform(0.05, 1.0, k)
    f = mean + np.sqrt(variance) * rng.standard_normal((400_000, k))
    plus = 1 / (1 + np.exp(C * (np.maximum(0, 1 - f) - np.maximum(0, 1 + f))))
    labels = rng.random(f.shape) < plus
    one = labels[labels.sum(axis=1) == 1]
    found = cluster_probabilities(prior_model(C, 0.5, k), mean[None], variance[None])[0]
    np.testing.assert_allclose(found, one.mean(axis=0), atol=0.01)


# ---------------------------------------------------------------------- the posterior


def random_features(rng, n, m=0):
    """Of a covariance of all rows: the columns are its eigenvectors, scaled."""
    X = rng.normal(size=(n + m, 2))
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=0.5) + 1e-3 * np.eye(n + m))
    return vectors * np.sqrt(values)


def random_start(rng, n, k):
    return label_values(rng.integers(k, size=n), k)


@pytest.mark.parametrize(
    ("scale", "C", "shrink", "leaves"), [(10, 20.0, 0.1, True), (100, 5.0, 0.602, False)]
)
def test_a_step_with_a_universum_is_halved(scale, C, shrink, leaves):
    """Its quadratic knows nothing of the margin: a step leaves it, or comes too near to rise."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(3, 2)), 2, axis=0)[[0, 2, 4, 1, 3, 5]]  # three and their copies
    phi = np.linalg.cholesky(scale * rbf_kernel(X, gamma=0.5) + 1e-3 * np.eye(6))
    search = posterior._ModeAscent(phi, prior_model(C, 0.5, 2), np.array([[1.0], [-1.0], [1.0]]))
    search.run(0.1, 1e-9, 1)
    w = shrink * search.w
    search._accept(w, phi @ w, search._term(phi @ w))
    before, w = search.value, search._maximiser()
    whole = phi @ w
    assert (np.abs(whole[3:]).max() > 1) == leaves
    if not leaves:
        assert search._value(w, search._term(whole)) < before
    search._step()
    assert search.value > before
    assert 0.1 < np.abs(search.f[3:]).max() < 1


def log_posterior(w, phi, model, n, epsilon):
    w = w.reshape(phi.shape[1], -1)
    f = model.mean + phi @ w
    value = data_term(model, f[:n], epsilon).value - 0.5 * np.square(w).sum()
    return value + universum_term(model.C, f[n:]).value if len(f) > n else value


@pytest.mark.parametrize(("k", "m"), [(2, 0), (2, 3), (3, 0)])
def test_the_mode_is_a_local_maximum_of_the_posterior(k, m):
    """Another optimiser finds nothing higher near it."""
    rng, n = np.random.default_rng(0), 6
    phi, model = random_features(rng, n, m)[:, -5:], prior_model(1.0, 0.4, k)
    found = posterior_mode(phi, model, random_start(rng, n, k), 1e-9, 5000)
    assert found.converged
    epsilon = EPSILONS[-1]
    at_mode = log_posterior(found.w, phi, model, n, epsilon)
    assert found.log_posterior == pytest.approx(at_mode, abs=1e-6)
    polished = minimize(
        lambda w: -log_posterior(w, phi, model, n, epsilon), found.w.ravel(), method="Nelder-Mead",
        options={"maxiter": 4000, "xatol": 1e-6, "fatol": 1e-9},
    )  # fmt: skip
    assert -polished.fun <= at_mode + 1e-4


def test_known_labels_give_the_support_vector_machine():
    """The mode of the labelled model minimises the regularised hinge loss (Sollich)."""
    rng = np.random.default_rng(0)
    phi, y, C = random_features(rng, 12), np.repeat([-1.0, 1.0], 6), 2.0
    K = phi @ phi.T
    model = label_model(C, (y > 0).astype(int), 2)
    found = posterior_mode(phi, model, y[:, None], 1e-8, 20000)
    f = found.f[:, 0]
    objective = 0.5 * np.square(found.w).sum() + C * np.maximum(0, 1 - y * f).sum()

    from structsvm.qp import solve_restricted_dual

    dual = solve_restricted_dual(
        K * np.outer(y, y), np.ones(12), np.arange(12), np.full(12, C)
    ).dual
    assert objective == pytest.approx(dual, rel=1e-3)


@pytest.mark.parametrize("k", [2, 3])
def test_the_gaussian_about_the_mode(k):
    rng, n, m = np.random.default_rng(0), 9, 4
    phi = random_features(rng, n + m)
    found = posterior_mode(phi[:n], prior_model(1.0, 0.5, k), random_start(rng, n, k), 1e-8, 3000)
    W = data_term(prior_model(1.0, 0.5, k), found.f, EPSILONS[-1]).W
    mean, variance = found.moments(phi)
    np.testing.assert_allclose(mean[:n], found.f, atol=1e-8)
    K = phi @ phi.T
    for j, weights in enumerate(W.T):
        # Prior covariance less its reduction by the rows (Rasmussen & Williams, equation 3.24).
        reduction = K[:, :n] @ np.linalg.inv(K[:n, :n] + np.diag(1 / weights)) @ K[:n]
        np.testing.assert_allclose(variance[:, j], (K - reduction).diagonal(), atol=1e-8)
