"""Local searches of decisions, against all decisions that a step leads to."""

import numpy as np
import pytest
from decisions_data import drawn_costs
from scipy.optimize import LinearConstraint

from structsvm.problems.decisions import DecisionFocusedRegressor, DecisionProblem, best_decisions
from structsvm.problems.decisions.optimizers import (
    Knapsack,
    MixedIntegerProgram,
    Tours,
    pair_flips,
    two_opt,
)

RNG = np.random.default_rng(0)
CHOICE = {
    "five": LinearConstraint(np.ones((1, 9)), 4, 5),
    "apart": (np.eye(8, 9) + np.eye(8, 9, 1), np.ones(8)),
}
#: Optimizers with the number of entries that a step changes.
CASES = {
    "knapsack": (Knapsack(RNG.integers(3, 9, (2, 9)), [20.0, 18.0]), (1, 2)),
    "equality": (MixedIntegerProgram(LinearConstraint(np.ones((1, 8)), 3, 3)), (1, 2)),
    "no constraint": (MixedIntegerProgram((), n_costs=5, sense="max"), (1, 2)),
    "bounds from below": (MixedIntegerProgram(CHOICE), (1, 2)),
    "tours": (Tours(6), (4,)),
    "a single tour": (Tours(3), (4,)),
}


@pytest.mark.parametrize("block", [1, 100_000])
@pytest.mark.parametrize("name", CASES)
def test_no_step_improves_what_is_returned(name, block, monkeypatch):
    for module in (pair_flips, two_opt):
        monkeypatch.setattr(module, "BLOCK", block)
    optimizer, changed = CASES[name]
    all_of_them = np.array(list(optimizer.decisions()))
    costs = drawn_costs(1, 40, optimizer.n_costs)
    sign = 1.0 if optimizer.sense == "min" else -1.0
    given = all_of_them[np.random.default_rng(2).integers(len(all_of_them), size=40)]
    before = given.copy()
    found = optimizer.improve(costs, given)
    assert np.array_equal(given, before)
    better = 0
    for c, z, start in zip(costs, found, given, strict=True):
        rounding = 1e-8 * np.abs(c).max()
        assert (all_of_them == z).all(axis=1).any()
        assert sign * (c @ z - c @ start) <= rounding
        near = all_of_them[np.isin(np.abs(all_of_them - z).sum(axis=1), changed)]
        assert (sign * (near - z) @ c >= -rounding).all()
        better += sign * (c @ z - c @ start) < -rounding
    assert better > 10 or len(all_of_them) == 1


def test_real_numbers_and_many_pairs_are_left_alone():
    shares = MixedIntegerProgram(LinearConstraint([[1, 1, 1]], 1, 1), integrality=0)
    decisions = np.array([[1.0, 0.0, 0.0]])
    assert shares.improve(np.array([[3.0, 1.0, 2.0]]), decisions) is decisions
    many = MixedIntegerProgram((np.ones((2, 300)), [5.0, 5.0]))
    decisions = np.zeros((1, 300))
    assert many.improve(-np.ones((1, 300)), decisions) is decisions


def test_improved_decisions_take_the_place_of_calls():
    class Unimproved(Knapsack):
        def improve(self, costs, decisions):
            return decisions

    rng = np.random.default_rng(3)
    weights, X = rng.integers(3, 9, (2, 16)), rng.normal(size=(40, 4))
    values = np.exp(X @ rng.normal(size=(4, 16)) / 2)
    models = [
        DecisionFocusedRegressor(kind(weights, [30.0, 28.0]), sense="max", C=5.0).fit(X, values)
        for kind in (Unimproved, Knapsack)
    ]
    plain, improved = (model.result_ for model in models)
    assert improved.oracle_calls < 0.8 * plain.oracle_calls
    assert improved.primal == pytest.approx(plain.primal, rel=0.01)
    assert improved.dual <= plain.primal and plain.dual <= improved.primal


def test_unusable_answers_are_named():
    class Unusable(Tours):
        fails = False

        def improve(self, costs, decisions):
            return decisions * np.nan if self.fails else decisions

    costs = np.random.default_rng(0).uniform(1, 2, size=(8, 10))
    optimizer = Unusable(5)
    problem, Y = DecisionProblem(optimizer), best_decisions(optimizer, costs)
    problem.initialize(np.ones((8, 1)), Y)
    task = problem.task(np.ones((8, 1)), Y)
    pool, optimizer.fails = task.pool_outputs(Y), True
    with pytest.raises(ValueError, match="improve must return finite numbers"):
        task.search_pool(np.zeros(10), pool)
