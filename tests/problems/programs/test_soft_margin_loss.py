"""The loss that motile trains with: values by enumeration, and constraints in the form of ilpy."""

from enum import IntEnum
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

from structsvm import BundleMethod, HammingCosts, SoftMarginLoss
from structsvm.problems import IntegerProgram, IntegerProgramSVM, Program


class Relation(IntEnum):
    LessEqual = 1
    Equal = 2
    GreaterEqual = 3


def constraint(coefficients, relation, value, quadratic=()):
    """A constraint with the methods of ilpy's."""
    return SimpleNamespace(
        get_coefficients=lambda: coefficients,
        get_quadratic_coefficients=lambda: dict(quadratic),
        get_relation=lambda: relation,
        get_value=lambda: value,
    )


class Constraints:
    """As ilpy.Constraints, which are recognised by their module."""

    __module__ = "ilpy._components"

    def __init__(self, *constraints):
        self.constraints = constraints

    def __iter__(self):
        return iter(self.constraints)


LIKE_ILPY = Constraints(
    constraint({0: 1.0, 1: 1.0, 2: 1.0}, Relation.LessEqual, 2.0),
    constraint({3: 1.0, 4: -1.0}, Relation.Equal, 0.0),
    constraint({2: 1.0, 4: 1.0}, Relation.GreaterEqual, 1.0),
)


def equal(variable, value, quadratic=()):
    return constraint({variable: 1.0}, Relation.Equal, value, quadratic)


def allowed(y):
    return y[0] + y[1] + y[2] <= 2 and y[3] == y[4] and y[2] + y[4] >= 1


OUTPUTS = [np.array(y) for y in product((0, 1), repeat=5) if allowed(y)]


@pytest.mark.parametrize("seed", range(2))
def test_the_loss_is_the_largest_over_all_outputs(seed):
    rng = np.random.default_rng(seed)
    features, truth = rng.normal(size=(3, 5)), OUTPUTS[seed]
    mask = rng.integers(0, 2, 5)
    costs = HammingCosts(truth * mask, mask)
    for given in (None, costs):
        loss = SoftMarginLoss(LIKE_ILPY, features, truth, given)
        weights = np.ones(5) if given is None else mask
        for w in rng.normal(size=(5, 3)):
            value, gradient = loss.value_and_gradient(w)
            every = [w @ features @ (truth - y) + weights @ np.abs(truth - y) for y in OUTPUTS]
            assert value == pytest.approx(max(every))
            np.testing.assert_allclose(gradient, features @ (truth - OUTPUTS[np.argmax(every)]))


def test_costs_of_the_users_own_are_used():
    class Costs:
        def get_coefficients(self):
            return np.array([0.0, 5.0])

        def get_offset(self):
            return 1.0

    loss = SoftMarginLoss((), np.zeros((1, 2)), np.zeros(2), Costs())
    assert loss.value_and_gradient(np.zeros(1))[0] == 6.0


PAIRS = LinearConstraint(np.kron(np.eye(3), [[1, 1]]), 1, 1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("constraints", "y", "violated"),
    [
        ((np.ones((1, 5)), [2]), [1, -1, 0, -1, 1], False),
        (LIKE_ILPY, [1, -1, 0, -1, 1], True),
        (PAIRS, [0, -1, 1, -1, -1, 0], True),
    ],
)
def test_the_bundle_method_finds_the_optimum_that_the_estimator_finds(
    constraints, y, violated, seed
):
    """Also where the truth with 0 for what is unknown violates constraints."""
    y = np.array(y)
    features = np.random.default_rng(seed).normal(size=(len(y), 3))
    known = y != -1
    truth = np.where(known, y, 0)
    loss = SoftMarginLoss(constraints, features.T, truth, HammingCosts(truth, known))
    bundle = BundleMethod(loss.value_and_gradient, 3, 0.2, 1e-9)
    costs = bundle.optimize()
    x = Program(features, constraints)
    svm = IntegerProgramSVM(C=len(y) / 0.2, unknown="ignored", rtol=1e-9).fit([x], [y])
    np.testing.assert_allclose(costs, -svm.w_, atol=1e-5)
    prior = 0 if svm.result_.w_prior is None else svm.result_.w_prior
    assert np.any(prior) == violated
    constant = 0.5 * np.sum(prior**2)
    assert bundle.result.primal == pytest.approx(0.2 * (svm.result_.primal - constant))
    assert svm.result_.labels is None  # convex: nothing was imputed
    assert svm.verify([x], [y]).matches
    imputed = IntegerProgramSVM(C=len(y) / 0.2, rtol=1e-9).fit([x], [y])
    assert imputed.result_.labels is not None


def test_what_is_linear_joins_the_prior_and_the_weights_of_examples():
    rng = np.random.default_rng(0)
    X = [Program(rng.normal(size=(6, 3)), PAIRS) for _ in range(4)]
    y, before = np.array([0, -1, 1, -1, -1, 0]), rng.normal(size=3)
    weights = np.array([1.0, 2.0, 0.0, 3.0])
    svm = IntegerProgramSVM(C=20.0, unknown="ignored", rtol=1e-9)
    weighted = svm.fit(X, [y] * 4, sample_weight=weights, w_prior=before).w_
    truth = np.where(y != -1, y, 0)
    losses = [SoftMarginLoss(PAIRS, -x.features.T, truth, HammingCosts(truth, y != -1)) for x in X]

    def risk(u):
        """Of weights of scores, from those by experience."""
        found = [loss.value_and_gradient(u + before) for loss in losses]
        values, gradients = (np.array(part) for part in zip(*found, strict=True))
        return float(weights @ values) / 36, weights @ gradients / 36

    bundle = BundleMethod(risk, 3, 1 / 20, 1e-10)
    np.testing.assert_allclose(bundle.optimize() + before, weighted, atol=1e-4)


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ([equal(0, 0.0, {(0, 1): 1.0})], "constraint 0 of 'constraints' is quadratic"),
        (
            [equal(0, 0.0), equal(7, 0.0)],
            "constraint 1 of 'constraints' has a variable that does not exist: .* 5 variables",
        ),
        ([constraint({0: np.nan}, Relation.Equal, 0.0)], "NaN"),
        ([equal(0, np.nan)], "NaN"),
    ],
)
def test_constraints_that_are_not_linear_or_about_other_variables_are_named(constraints, message):
    given = Constraints(*constraints)
    with pytest.raises(ValueError, match=message):
        SoftMarginLoss(given, np.zeros((1, 5)), np.zeros(5))
    with pytest.raises(ValueError, match=message):
        IntegerProgram().decode(Program(np.zeros((5, 1)), given), np.zeros(1))


def test_constraints_without_a_solution_are_an_error_that_names_them():
    contradiction = Constraints(equal(0, 1.0), equal(0, 0.0))
    loss = SoftMarginLoss(contradiction, np.zeros((1, 5)), np.zeros(5))
    message = "no 0/1 vector satisfies the constraint set 'constraints'"
    with pytest.raises(ValueError, match=message):
        BundleMethod(loss.value_and_gradient, 1, 1.0, 1e-6).optimize()


def test_empty_constraints_and_names_for_several_are_taken():
    x = Program(np.array([[1.0], [-1.0]]), Constraints())
    assert IntegerProgram().decode(x, np.ones(1)).tolist() == [1, 0]
    first = Constraints(constraint({0: 1.0}, Relation.LessEqual, 0.0))
    x = Program(np.array([[1.0], [-1.0]]), {"first": first, "second": ([[0, -1]], [-1])})
    assert IntegerProgram().decode(x, np.ones(1)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ground_truth": np.full(5, 0.5)}, "vector of 0 and 1, since variables .* are binary"),
        ({"ground_truth": np.zeros((5, 1))}, "vector of 0 and 1"),
        ({"features": np.zeros((5, 3))}, r"a column for each of 5 variables; got shape \(5, 3\)"),
        ({"features": np.full((3, 5), np.inf)}, "NaN or infinity"),
        ({"costs": HammingCosts(np.zeros(4))}, "a finite coefficient for each of 5 variables"),
    ],
)
def test_arguments_that_do_not_fit_are_named(change, message):
    given = {"features": np.zeros((3, 5)), "ground_truth": np.zeros(5), "costs": None}
    with pytest.raises(ValueError, match=message):
        SoftMarginLoss(LIKE_ILPY, **{**given, **change})
    with pytest.raises(ValueError, match="w must be finite and of shape"):
        SoftMarginLoss(LIKE_ILPY, **given).value_and_gradient(np.zeros(4))
    with pytest.raises(ValueError, match="the weights in mask must be finite and >= 0"):
        HammingCosts(np.zeros(3), np.array([1, -1, 1]))
    with pytest.raises(TypeError, match=r"methods get_offset and get_coefficients.* got array"):
        SoftMarginLoss((), np.zeros((1, 2)), np.zeros(2), np.zeros(2))
