"""Tours, against all of them."""

from itertools import combinations, permutations

import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs
from scipy.optimize import LinearConstraint

from benchmarks.decisions.costs import tour_distances
from structsvm.problems.decisions.optimizers import (
    MixedIntegerProgram,
    Tours,
    held_karp,
    tour_cuts,
)
from structsvm.problems.decisions.optimizers import tours as module
from structsvm.problems.programs.search import UNIT, solved


def tours(n):
    pairs = list(combinations(range(n), 2))
    found = set()
    for order in permutations(range(n)):
        steps = {frozenset(step) for step in zip(order, (*order[1:], order[0]), strict=True)}
        found.add(tuple(float(frozenset(pair) in steps) for pair in pairs))
    return list(found)


@pytest.fixture(params=[0, 12], ids=["HiGHS", "dynamic program"])
def few(request, monkeypatch):
    """The number of cities up to which there is the dynamic program."""
    monkeypatch.setattr(module, "FEW", request.param)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_the_shortest_of_all_tours_is_found(n, few, monkeypatch):
    monkeypatch.setattr(held_karp, "BLOCK", 500)
    optimizer, expected = Tours(n), tours(n)
    if n < 5:  # HiGHS takes long
        assert_lists(optimizer, expected)
    assert_best(optimizer, drawn_costs(n, 15, len(expected[0])), expected)


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


def test_both_ways_agree_on_twelve_cities(monkeypatch):
    _, distances = tour_distances(5, n_cities=12, degree=4, noise=0.5)
    optimizer = Tours(12)
    lengths = (distances * optimizer.batch(distances)).sum(axis=1)
    monkeypatch.setattr(module, "FEW", 0)
    np.testing.assert_allclose((distances * Tours(12).batch(distances)).sum(axis=1), lengths)


def test_no_exchange_of_two_pairs_makes_a_tour_of_twenty_cities_shorter():
    _, distances = tour_distances(3, degree=4, noise=0.5)
    optimizer = Tours(20)
    table = np.zeros((20, 20))
    for costs, tour in zip(distances, optimizer.batch(distances), strict=True):
        optimizer.require_feasible(tour)
        table[np.triu_indices(20, 1)] = costs
        both = table + table.T
        chosen = np.zeros((20, 20))
        chosen[np.triu_indices(20, 1)] = tour
        chosen += chosen.T
        order = [0, int(np.flatnonzero(chosen[0])[0])]
        while len(order) < 20:
            order.append(int(np.setdiff1d(np.flatnonzero(chosen[order[-1]]), order[-2])[0]))
        for i, j in combinations(range(20), 2):
            a, b, c, d = order[i - 1], order[i], order[j - 1], order[j]
            if len({a, b, c, d}) == 4:
                assert both[a, b] + both[c, d] <= both[a, c] + both[b, d] + 1e-9


@pytest.mark.parametrize(
    "decision, message",
    [
        (np.zeros(14), "the decision must be 0 or 1 for each of 15 pairs of cities; got"),
        (np.full(15, 0.5), "the decision must be 0 or 1 for each of 15 pairs"),
        (np.ones(15), "the decision must be one tour through all cities"),
        (
            [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1],
            "the decision must be one tour through all cities",
        ),
    ],
)
def test_what_is_not_a_tour_is_refused(decision, message):
    with pytest.raises(ValueError, match=message):
        Tours(6).require_feasible(decision)


@pytest.mark.parametrize("n", [2, 3.0, None])
def test_there_must_be_three_cities(n):
    with pytest.raises(ValueError, match="n_cities must be an integer >= 3; got"):
        Tours(n)


def test_a_program_of_degrees_is_a_lower_bound():
    costs = clusters()
    pairs = np.array(list(combinations(range(9), 2)))
    visits = (pairs[:, :, None] == range(9)).sum(axis=1).T
    degrees = LinearConstraint(visits, 2, 2)
    assert costs @ MixedIntegerProgram(degrees)(costs) < costs @ Tours(9)(costs) - 1
