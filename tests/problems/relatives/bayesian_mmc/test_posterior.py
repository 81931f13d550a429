"""The mode and the Gaussian about it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems.relatives.bayesian_mmc import posterior
from structsvm.problems.relatives.bayesian_mmc.likelihood import (
    data_term,
    label_model,
    prior_model,
    universum_term,
)
from structsvm.problems.relatives.bayesian_mmc.posterior import EPSILONS, posterior_mode


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
    found = posterior_mode(K, prior_model(C, gamma, n), f0, 1e-6, 300)
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
    search = posterior._Search(K, prior_model(C, 0.5, 3), np.array([1.0, -1.0, 1.0]))
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
    value = data_term(prior_model(C, gamma, n), f[:n], epsilon).value - 0.5 * f @ a
    return value + universum_term(C, f[n:]).value if len(f) > n else value


@pytest.mark.parametrize("m", [0, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_mode_is_a_local_maximum_of_the_posterior(seed, m):
    """Another optimiser finds nothing higher near it."""
    rng = np.random.default_rng(seed)
    n, C, gamma = 6, 1.0, 0.4
    K = random_prior(rng, n, m)
    found = posterior_mode(K, prior_model(C, gamma, n), rng.choice([-1.0, 1.0], n), 1e-9, 5000)
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
    model = prior_model(1.0, 0.5, n)
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
