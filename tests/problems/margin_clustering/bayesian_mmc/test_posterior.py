"""The mode and the Gaussian about it."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems.margin_clustering.bayesian_mmc import posterior
from structsvm.problems.margin_clustering.bayesian_mmc.likelihood import (
    data_term,
    label_model,
    label_values,
    prior_model,
    universum_term,
)
from structsvm.problems.margin_clustering.bayesian_mmc.posterior import EPSILONS, posterior_mode


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


def test_two_functions_find_the_mode_of_one():
    """With half the C and twice the covariance they become f and -f, the mode of two clusters."""
    rng, n = np.random.default_rng(0), 12
    phi, f0 = random_features(rng, n), random_start(rng, n, 2)
    two = prior_model(1.0, 0.5, 2)
    shares = np.log([[0.5, 0.5]])
    tied = two._replace(C=0.5, log_shares=shares, log_rest=np.array([-np.inf]))
    one = posterior_mode(phi, two, f0, 1e-9, 3000)
    both = posterior_mode(np.sqrt(2) * phi, tied, np.hstack([-f0, f0]), 1e-9, 3000)
    np.testing.assert_allclose(both.f, np.hstack([-one.f, one.f]), atol=1e-6)
    assert both.log_posterior == pytest.approx(one.log_posterior)
