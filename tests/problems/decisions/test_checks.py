"""Decisions of another optimizer, costs that teach nothing, and optimizers that fail."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

from structsvm.data.examples import Spans
from structsvm.exceptions import ProblemError
from structsvm.problems.decisions import (
    CallableOptimizer,
    DecisionFocusedRegressor,
    DecisionProblem,
    GridPaths,
    Instance,
    MixedIntegerProgram,
    best_decisions,
)
from structsvm.problems.decisions.checks import losses
from structsvm.problems.decisions.data import Optima

PATHS = GridPaths(3, 3)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
COSTS = np.exp(X @ RNG.normal(size=(3, 12)))
ORDER = RNG.permutation(12)


def other_paths(costs):
    decision = np.empty(12)
    decision[ORDER] = PATHS(costs[ORDER])
    return decision


def longest(costs):
    return PATHS(-costs)


def three(number):
    return MixedIntegerProgram(LinearConstraint(np.ones((1, 12)), number, number))


@pytest.mark.parametrize(
    ("decided_by", "sense", "optimize", "message"),
    [
        (other_paths, "min", PATHS, r"best decision of example \d+, by y, .* which is better"),
        (PATHS, "min", other_paths, "which is better"),
        (longest, "max", PATHS, "which is better"),
        (three(4), "min", three(3), "for example 0 is not feasible for optimize: .* must be 3"),
        (GridPaths(2, 4), "min", PATHS, r"example 0: GridPaths.* needs costs of shape \(12,\)"),
    ],
)
def test_decisions_of_another_optimizer_are_named(decided_by, sense, optimize, message):
    n_costs = getattr(decided_by, "n_costs", None) or 12
    optima = best_decisions(decided_by, COSTS[:, :n_costs], sense)
    model = DecisionFocusedRegressor(optimize, C=0.1)
    remedy = "" if n_costs == 10 else ".*pass best_decisions.* of the same optimizer and sense"
    with pytest.raises(ValueError, match=message + remedy):
        model.fit(X, optima)
    model.fit(X, COSTS)
    with pytest.raises(ValueError, match=message + remedy):
        model.regret(X, optima)
    if decided_by is other_paths:
        with pytest.raises(ValueError, match="pass best_decisions"):
            DecisionFocusedRegressor().fit([Instance(x, PATHS) for x in X], optima)


def test_an_optimizer_with_limits_may_return_another_decision():
    def hasty(scores, constraint, start):
        return np.isin(range(12), np.argsort(scores[:11])[-3:])

    hasty.oracle_quality = "undergenerating"
    limited = MixedIntegerProgram(LinearConstraint(np.ones((1, 12)), 3, 3), solver=hasty)
    DecisionFocusedRegressor(limited, C=0.1).fit(X, best_decisions(three(3), COSTS))


ONE = {
    "constant": (lambda costs: np.eye(12)[0], COSTS),
    "one path": (GridPaths(1, 13), COSTS),
    "equal values": (PATHS, np.ones_like(COSTS)),
}


@pytest.mark.parametrize("name", ONE)
@pytest.mark.filterwarnings("ignore:all examples have the same")
def test_decisions_without_a_choice_are_named(name):
    optimize, costs = ONE[name]
    message = "optimize returned the same decision.* nothing to learn"
    with pytest.raises(ValueError, match=message):
        DecisionFocusedRegressor(optimize).fit(X, costs)
    with pytest.raises(ValueError, match=message):
        DecisionFocusedRegressor().fit([Instance(x, optimize) for x in X], costs)


@pytest.mark.filterwarnings("ignore:all examples have the same")
@pytest.mark.parametrize("n", [1, 20])
def test_costs_of_0_are_named_and_one_example_is_learnt(n):
    with pytest.raises(ValueError, match="all true costs are 0"):
        DecisionFocusedRegressor(PATHS).fit(X[:n], np.zeros((n, 12)))
    model = DecisionFocusedRegressor(PATHS).fit(X[:1], COSTS[:1])
    assert model.regret(X[:1], COSTS[:1]) == 0
    with pytest.raises(ValueError, match="y must hold the true costs; it is None"):
        model.regret(X, None)


# ---------------------------------------------------------------------- optimizers that fail

NEGATIVE = "called with 2 predicted - true costs, which may be negative: "


def raising(error):
    def shortest(costs):
        if costs.min() < 0:
            raise error
        return PATHS(costs)

    return shortest


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KeyError(3), "KeyError: 3$"),
        (AssertionError(), "AssertionError$"),
        (ValueError("negative cycle"), "negative cycle$"),
    ],
)
def test_errors_of_an_optimizer_say_what_it_was_called_with(error, text):
    with pytest.raises(ValueError, match=f"^optimize failed for example 0, {NEGATIVE}{text}"):
        DecisionFocusedRegressor(raising(error)).fit(X, COSTS)
    with pytest.raises(ValueError, match=f"^optimize failed for the true costs of .* 0: {text}"):
        DecisionFocusedRegressor(raising(error)).fit(X, -COSTS)
    model = DecisionFocusedRegressor(PATHS).fit(X, -COSTS)
    model.problem_.optimize = raising(error)
    with pytest.raises(ValueError, match=f"the predicted costs of example 0: {text}"):
        model.decide(X)


def test_a_program_without_bounds_for_negative_costs_is_named():
    covers = LinearConstraint(np.ones((1, 12)), 2, np.inf)
    unbounded = MixedIntegerProgram(covers, upper=np.inf, integrality=0)
    with pytest.raises(ValueError, match=NEGATIVE + "there is no best.* finite bounds"):
        DecisionFocusedRegressor(unbounded).fit(X, COSTS)


def test_a_batch_that_fails_where_no_example_does_is_named():
    def one_only(costs):
        if len(costs) > 1:
            raise RuntimeError("one at a time")
        return PATHS.batch(costs)

    with pytest.raises(ValueError, match=r"20 examples at once.* alone: RuntimeError: one at"):
        best_decisions(CallableOptimizer(one_only, batch=True), COSTS)


def test_another_optimizer_takes_the_place_of_the_first():
    problem = DecisionProblem(PATHS)
    problem.initialize(X, best_decisions(PATHS, COSTS))
    w = RNG.normal(size=problem.size_joint_feature)
    problem.set_params(optimize=three(3))
    assert (problem.task(X).decode(w).sum(axis=1) == 3).all()
    problem.set_params(optimize=longest, sense="max")
    np.testing.assert_array_equal(problem.task(X).decode(w), PATHS.batch(-problem.costs(X, w)))


# ---------------------------------------------------------------------- units


@pytest.mark.parametrize("scale", [1e-320, 1e-100, 1e100, 1e300])
def test_costs_and_features_whose_squares_leave_floats_are_named(scale):
    with pytest.raises(ValueError, match=r"largest entry of y is .* divide y by"):
        DecisionFocusedRegressor(PATHS).fit(X, scale * COSTS)
    with pytest.raises(ValueError, match=r"largest entry of X is .* divide X by"):
        DecisionFocusedRegressor(PATHS).fit(scale * X, COSTS)


def test_a_huge_cost_is_warned_of():
    costs = COSTS.copy()
    costs[3, 5] = -1e9
    with pytest.warns(UserWarning, match=r"y\[3\] has a cost of -1.0e\+09, beside a median"):
        DecisionFocusedRegressor(PATHS).fit(X, costs)


def all_negative(costs, decisions):
    return (costs < 0) * 1.0


@pytest.mark.parametrize(
    ("improve", "message"),
    [
        (all_negative, "or its improve, returned for other costs has .* which is better"),
        (lambda costs, decisions: 0 * decisions, "or its improve, returned .* which is better"),
        (lambda costs, decisions: decisions[:, :2], r"improve must return .*, as the costs are"),
        (lambda costs, decisions: None, "improve must return .* it returned None"),
    ],
)
def test_a_wrong_improvement_is_named(improve, message):
    class Improving(GridPaths):
        def improve(self, costs, decisions):
            return improve(costs, decisions)

    with pytest.raises(ValueError, match=message):
        DecisionFocusedRegressor(Improving(3, 3)).fit(X, COSTS)


def test_an_improvement_may_change_what_it_gets():
    class Overwriting(GridPaths):
        def improve(self, costs, decisions):
            costs *= -1
            return decisions

    model = DecisionFocusedRegressor(Overwriting(3, 3)).fit(X, COSTS)
    plain = DecisionFocusedRegressor(PATHS).fit(X, COSTS)
    np.testing.assert_allclose(model.coef_, plain.coef_)


UNROUNDED = "decisions of whole numbers are not rounded: .* round what they return"


@pytest.mark.parametrize(
    ("sign", "better", "message"),
    [
        (1.0, -1e-6, rf"\(2e-06 less\), which is better.*{UNROUNDED}"),
        (1.0, -0.5, r"\(1 less\), which is better(?!.*not rounded)"),
        (-1.0, 1e-6, rf"\(2e-06 more\), which is better.*{UNROUNDED}"),
    ],
)
def test_values_that_look_equal_have_a_difference(sign, better, message):
    best = np.array([1.0, 0.0, 1.0, 0.0])
    optima = Optima(np.array([2.0, 3.0, 2.0, 4.0]), best, Spans(np.array([2, 2])), np.arange(2))
    with pytest.raises(ProblemError, match=message):
        losses(optima, best + np.array([better, 0.0, 0.0, 0.0]), sign, exact=True)
