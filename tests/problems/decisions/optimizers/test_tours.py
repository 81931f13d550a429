"""Tours whose pairs of cities fall apart, against all of them."""

from itertools import combinations, permutations

import numpy as np
import pytest

from structsvm.problems.decisions.optimizers import (
    Tours,
    tour_cuts,
)
from structsvm.problems.decisions.optimizers import tours as module
from structsvm.problems.programs.search import UNIT, solved


@pytest.fixture(params=[0, 12], ids=["HiGHS", "dynamic program"])
def few(request, monkeypatch):
    """The number of cities up to which there is the dynamic program."""
    monkeypatch.setattr(module, "FEW", request.param)


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
