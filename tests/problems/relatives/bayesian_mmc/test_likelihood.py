"""The likelihood and its quadratics against the formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from structsvm.problems.relatives.bayesian_mmc.likelihood import (
    data_term,
    prior_model,
    probability_of_plus,
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
        data_term(prior_model(C, gamma, 1), np.array([f]), e).value for e in (0.1, 0.01, 1e-9)
    ]
    assert values[0] <= values[1] <= values[2] + 1e-12
    assert values[2] == pytest.approx(float(log_likelihood(f, C, gamma)), abs=1e-7)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 8), st.floats(0.05, 0.95))
@settings(max_examples=200, deadline=None)
def test_the_quadratic_touches_the_likelihood_from_below(f, g, C, gamma):
    model, epsilon = prior_model(C, gamma, 1), 0.05
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
    model = prior_model(C, gamma, 1)
    found = probability_of_plus(model, np.array([mean]), np.array([variance]))
    assert found[0] == pytest.approx(wanted, abs=5e-3)
