"""Local searches against all decisions that a step leads to, and tours that fall apart."""

from itertools import combinations, permutations

import numpy as np
import pytest
from decisions_data import drawn_costs
from scipy.optimize import LinearConstraint

from structsvm.problems.decisions.optimizers import (
    Knapsack,
    MixedIntegerProgram,
    Tours,
    pair_flips,
    tour_cuts,
    two_opt,
)
from structsvm.problems.decisions.optimizers import tours as tours_module
from structsvm.problems.programs.search import UNIT, solved

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


@pytest.fixture(params=[0, 12], ids=["HiGHS", "dynamic program"])
def few(request, monkeypatch):
    """The number of cities up to which there is the dynamic program."""
    monkeypatch.setattr(tours_module, "FEW", request.param)


def clusters():
    """The distances of three triangles that are far from each other."""
    corners = np.array([[0, 0], [1, 0], [0, 1.2]])
    points = np.vstack([corners + shift for shift in np.array([[0, 0], [10, 0.5], [4, 11]])])
    pairs = np.array(list(combinations(points, 2)))
    return np.linalg.norm(pairs[:, 0] - pairs[:, 1], axis=1)


def test_triangles_far_apart_are_joined(few):
    costs, optimizer = clusters(), Tours(9)
    tour = optimizer(costs)
    optimizer.require_feasible(tour)
    orders = np.array([(0, *rest, 0) for rest in permutations(range(1, 9))])
    table = np.zeros((9, 9))
    table[np.triu_indices(9, 1)] = costs
    table += table.T
    assert costs @ tour == pytest.approx(table[orders[:, :-1], orders[:, 1:]].sum(axis=1).min())


def test_parts_are_separate_where_highs_tolerates_a_bit_between_them(monkeypatch):
    def inaccurate(constraints, scores, domain):
        return solved(constraints, scores, domain) + 1e-8 if domain is UNIT else np.full(36, 0.5)

    monkeypatch.setattr(tour_cuts, "solved", inaccurate)
    search, costs = tour_cuts.CutSearch(tour_cuts.Pairs(9)), clusters()
    np.testing.assert_array_equal(search(costs[None])[0], Tours(9)(costs))
