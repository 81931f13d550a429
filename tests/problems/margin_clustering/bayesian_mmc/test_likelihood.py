"""The likelihood and its quadratics against the formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from structsvm.problems.margin_clustering.bayesian_mmc.likelihood import (
    cluster_probabilities,
    data_term,
    label_model,
    label_values,
    prior_model,
    universum_term,
)


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


def test_labels_of_functions():
    labels = np.array([0, 1, 1])
    np.testing.assert_array_equal(label_values(labels, 2), [[-1], [1], [1]])
    np.testing.assert_array_equal(label_values(labels, 3), [[1, -1, -1], [-1, 1, -1], [-1, 1, -1]])


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
