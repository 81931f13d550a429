"""SPO+ as a structured problem: its slack by enumeration, its pool, and what is refused."""

import numpy as np
import pytest
from decisions_data import spo_plus

from structsvm import OneSlackCuttingPlane, ProblemError, StructuredSVM
from structsvm.problems.decisions import (
    CallableOptimizer,
    DecisionProblem,
    GridPaths,
    Instance,
    Knapsack,
    Optimum,
    best_decisions,
)

PATHS = GridPaths(3, 3)
BAG = Knapsack([[3.0, 2.0, 4.0, 1.0, 2.0]], [6.0])
CASES = {"min": (PATHS, "min"), "max": (BAG, "max")}


def drawn(optimizer, shared=False, sense="min"):
    rng, m = np.random.default_rng(0), optimizer.n_costs
    X = rng.normal(size=(30, m, 3) if shared else (30, 3))
    scores = X @ rng.normal(size=3 if shared else (3, m))
    return X, best_decisions(optimizer, np.exp(0.5 * scores), sense)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_slack_is_spo_plus_by_enumeration(case, shared):
    optimizer, sense = CASES[case]
    sign = 1 if sense == "min" else -1
    X, Y = drawn(optimizer, shared=shared, sense=sense)
    problem = DecisionProblem(optimizer, sense)
    problem.initialize(X, Y)
    decisions = np.array(list(optimizer.decisions()))
    rng = np.random.default_rng(1)
    for scale in (0.0, 0.1, 1.0, 10.0):
        w = scale * rng.normal(size=problem.size_joint_feature)
        predicted = X @ w if shared else X @ w.reshape(-1, 3).T
        np.testing.assert_allclose(problem.costs(X, w), predicted, rtol=1e-12, atol=1e-12)
        found = problem.task(X, Y).search(w)
        for x, y, c_hat, z in zip(X, Y, predicted, found, strict=True):
            slack = problem.loss(y, z) - w @ (
                problem.joint_feature(x, y) - problem.joint_feature(x, z)
            )
            expected, _ = spo_plus(y, c_hat, decisions, sign)
            assert slack == pytest.approx(expected, rel=1e-9, abs=1e-9)
            regret = sign * (y.costs @ problem.decode(x, w) - y.costs @ y.decision)
            assert -1e-9 <= regret <= expected + 1e-9


def test_an_inexact_optimizer_is_trained_and_says_so():
    def first_come(costs):
        order = np.argsort(costs) if costs[0] > costs[1] else np.arange(len(costs))
        return np.isin(range(len(costs)), order[:2]).astype(float)

    optimizer = CallableOptimizer(first_come, oracle_quality="undergenerating")
    X = np.random.default_rng(0).normal(size=(30, 3))
    Y = best_decisions(optimizer, np.exp(X @ np.ones((3, 5)) + X[:, [0, 1, 2, 0, 1]]))
    svm = StructuredSVM(DecisionProblem(optimizer), C=10.0).fit(X, Y)
    assert "undergenerating" in str(svm.result_)
    with pytest.raises(ValueError, match="misses the best decision"):
        best_decisions(first_come, [y.costs for y in Y])


# ---------------------------------------------------------------------- mistakes


def test_outputs_without_costs_and_different_numbers_of_them_are_refused():
    (own, Y), flat = DecisionProblem.example_data(), StructuredSVM(DecisionProblem(PATHS))
    with pytest.raises(ValueError, match=r"y\[0\] is ndarray: best_decisions"):
        flat.fit(np.eye(2), np.ones((2, 12)))
    with pytest.raises(ValueError, match=r"of the same shape \(m,\); got \(12,\) and \(11,\)"):
        flat.fit(np.eye(2), [Optimum(np.ones(12), np.ones(11))] * 2)
    with pytest.raises(ValueError, match=r"y\[1\] has 12 costs, and y\[0\] has 7"):
        StructuredSVM(DecisionProblem()).fit([Instance(x.features[0], x.optimize) for x in own], Y)
    with pytest.raises(ValueError, match=r"X\[0\] has features of 12 costs, and y\[0\] has 7"):
        StructuredSVM(DecisionProblem()).fit(own[::-1], Y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([np.ones(3), np.ones((2, 3))], r"X\[1\] has features of shape \(2, 3\)"),
        ([np.ones(3), np.ones(4)], r"X\[1\] has 4 features, and X\[0\] has 3"),
        ([Instance(np.ones(3), PATHS), np.ones(3)], r"X\[1\] has no feasible set of its own"),
        ([Instance(np.ones(3), 7)] * 2, r"X\[0\]: expected an optimizer"),
        ([np.ones((1, 2, 3))] * 2, r"X\[0\] must have features of shape"),
    ],
)
def test_unusable_inputs_are_named(X, message):
    Y = best_decisions(PATHS, np.ones((2, 12)) + np.eye(2, 12))
    with pytest.raises(ValueError, match=message):
        StructuredSVM(DecisionProblem()).fit(X, Y)


def test_an_oracle_that_is_wrong_for_negative_costs_is_named():
    def of_sizes(costs):
        return PATHS(np.abs(costs))

    X, costs = drawn(PATHS)[0], np.exp(np.random.default_rng(0).normal(size=(30, 12)))
    with pytest.raises(ProblemError, match=r"example \d+, 2 predicted - true costs.*negative"):
        StructuredSVM(DecisionProblem(of_sizes)).fit(X, best_decisions(of_sizes, costs))


class WithoutChecks(DecisionProblem):
    """The problem without those checks before training that ask few examples."""

    def _require_usable(self, optimizers, optima):
        pass


def test_a_decision_better_than_the_best_is_named():
    X, Y = drawn(PATHS)
    costs = [y.costs for y in Y]
    worse = [Optimum(c, PATHS(-c)) for c in costs]
    with pytest.raises(ProblemError, match=r"best decision of example \d+, by y, .* better"):
        OneSlackCuttingPlane().solve(WithoutChecks(PATHS), X, worse, 1.0)
