"""The bundle method: against closed forms and another optimiser, its certificate, bad risks."""

import logging
import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from structsvm import BundleMethod, Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 6))
Y = np.sign(X @ RNG.normal(size=6) + 0.5 * RNG.normal(size=120))


def hinge(w):
    violations = 1 - Y * (X @ w)
    return np.maximum(violations, 0).mean(), -((violations > 0) * Y) @ X / 120


def logistic(w):
    margins = Y * (X @ w)
    return np.logaddexp(0, -margins).mean(), -(Y / (1 + np.exp(np.minimum(margins, 500)))) @ X / 120


@pytest.mark.parametrize("weight", [1.0, 1e-2, 1e-5])
@pytest.mark.parametrize("constant", [-7.0, 1000.0])
def test_a_smooth_risk_of_either_sign_has_the_minimum_of_another_optimiser(weight, constant):
    def risk(w):
        value, gradient = logistic(w)
        return value + constant, gradient

    def objective(w):
        value, gradient = risk(w)
        return value + 0.5 * weight * w @ w, gradient + weight * w

    options = {"gtol": 1e-12, "ftol": 1e-16, "maxiter": 10_000}
    expected = minimize(objective, np.zeros(6), jac=True, method="L-BFGS-B", options=options).fun
    bundle = BundleMethod(risk, dims=6, regularizer_weight=weight, eps=1e-8)
    w = bundle.optimize()
    result = bundle.result
    assert result.status.name == "CONVERGED" and result.gap <= 1e-8
    assert result.dual - 1e-9 <= expected <= result.primal + 1e-9
    assert objective(w)[0] == pytest.approx(result.primal, rel=1e-14)


@pytest.mark.parametrize("weight", [1.0, 1e-3])
def test_the_bound_is_below_the_objective_everywhere_after_any_number_of_calls(weight):
    rng, best = np.random.default_rng(1), BundleMethod(hinge, 6, weight, 1e-10)
    points = [best.optimize(), *rng.normal(size=(200, 6)) * rng.choice([0.1, 1, 10], (200, 1))]
    lowest = min(hinge(w)[0] + 0.5 * weight * w @ w for w in points)
    for calls in (1, 2, 4, 7):
        bundle = BundleMethod(hinge, 6, weight, 0.0)
        bundle.optimize(calls)
        assert bundle.result.dual <= lowest <= bundle.result.primal
        assert bundle.result.iterations == bundle.result.oracle_calls == calls
    assert bundle.result.status.name == "MAX_ITER"


@pytest.mark.parametrize(
    "risk",
    [
        lambda w: (w @ w, 2 * w),
        lambda w: (np.abs(w).sum(), np.sign(w)),
        lambda w: (5.0, [0.0, 0.0]),
        lambda w: (max(0.0, w @ w - 1), 2 * w * (w @ w > 1)),
    ],
)
def test_a_minimum_at_the_start_is_found_at_once(risk):
    for eps in (1e-6, 0.0):
        bundle = BundleMethod(risk, 2, 0.1, eps)
        np.testing.assert_array_equal(bundle.optimize(), 0)
        assert (bundle.result.status.name, bundle.result.gap) == ("CONVERGED", 0.0)


def test_an_accuracy_beyond_rounding_errors_ends_and_says_so(caplog):
    with caplog.at_level(logging.INFO, "structsvm"):
        bundle = BundleMethod(logistic, 6, 1e-3, 0.0)
        bundle.optimize()
    assert bundle.result.status.name == "STALLED"
    assert bundle.result.gap < 1e-9
    assert "convex risk: dual <= optimum <= primal" in str(bundle.result)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_ctrl_c_keeps_the_best_point():
    calls = []

    def interrupted(w):
        calls.append(w)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return hinge(w)

    bundle = BundleMethod(interrupted, 6, 0.01, 1e-6)
    w = bundle.optimize()
    assert bundle.result.status.name == "INTERRUPTED"
    assert any(np.array_equal(w, called) for called in calls[:4])


@pytest.mark.parametrize(
    ("returned", "kind", "message"),
    [
        (1.0, TypeError, r"a pair of a number and an array of shape \(2,\); it returned 1.0"),
        (("one", [0, 0]), TypeError, "it returned"),
        ((1.0, [0.0, 0.0, 0.0]), ValueError, r"shape \(dims,\), here \(2,\); it has \(3,\)"),
        ((math.nan, [0.0, 0.0]), ValueError, "must be finite: the risk is nan"),
        ((1.0, [0.0, math.inf]), ValueError, r"must be finite: the subgradient has \[ 0. inf\]"),
    ],
)
def test_a_risk_that_returns_something_else_is_an_error(returned, kind, message):
    with pytest.raises(kind, match=message):
        BundleMethod(lambda w: returned, 2, 1.0, 1e-3).optimize()


@pytest.mark.parametrize(
    "risk",
    [
        lambda w: (-((w[0] - 1) ** 2), -2 * (w - 1)),  # concave
        lambda w: (abs(w[0] - 1), -np.sign(w - 1)),  # the sign of its subgradient is wrong
    ],
)
def test_values_and_subgradients_that_contradict_each_other_are_an_error(risk):
    with pytest.raises(ValueError, match="not convex, or its subgradients are wrong"):
        BundleMethod(risk, 1, 0.1, 1e-6).optimize(100)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value_gradient_callback": 3}, "must be a function of w"),
        ({"dims": 0}, "dims must be"),
        ({"regularizer_weight": 0.0}, "regularizer_weight must be"),
        ({"eps": -1.0}, "eps must be"),
    ],
)
def test_parameters_out_of_range_are_named(change, message):
    given = {"value_gradient_callback": len, "dims": 2, "regularizer_weight": 1.0, "eps": 1e-3}
    with pytest.raises((TypeError, ValueError), match=message):
        BundleMethod(**{**given, **change})
    with pytest.raises(ValueError, match="max_iterations must be"):
        BundleMethod(len, 2, 1.0, 1e-3).optimize(0)


def of_lines(rows, offsets):
    """The largest of some linear functions."""

    def risk(w):
        values = rows @ w + offsets
        largest = int(values.argmax())
        return float(values[largest]), rows[largest]

    return risk


@pytest.mark.parametrize(("scale", "weight"), [(1.0, 1e-8), (1e2, 1e-4), (1e4, 1e-4), (1e4, 1e-8)])
def test_large_subgradients_make_the_gap_larger_but_the_bound_holds(scale, weight):
    """Where they are large for the regulariser the first tangents are of points far away."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        rows = rng.normal(size=(12, 3))
        rows, offsets = scale * (rows - rows.mean(axis=0)), rng.normal(size=12)
        bundle = BundleMethod(of_lines(rows, offsets), 3, weight, 1e-7)
        bundle.optimize(300)
        # The minimum of the risk alone, by linear programming.
        A = np.column_stack([rows, -np.ones(12)])
        w = linprog([0, 0, 0, 1], A_ub=A, b_ub=-offsets, bounds=[(None, None)] * 4).x[:3]
        known = float((rows @ w + offsets).max()) + weight / 2 * float(w @ w)
        result = bundle.result
        assert result.dual <= min(known, result.primal)
        assert result.primal - known <= result.gap
        assert result.status is not Status.CONVERGED or result.gap <= 1e-7
        assert scale > 1 or result.status is Status.CONVERGED
