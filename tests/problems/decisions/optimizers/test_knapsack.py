"""Knapsacks: each way to solve them against all sets of items that fit."""

from itertools import product

import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs

from benchmarks.decisions.costs import knapsack_values
from structsvm.problems.decisions.optimizers import Knapsack, knapsack


def fitting(weights, capacities):
    vectors = np.array(list(product((0, 1), repeat=np.shape(weights)[-1])))
    sums = vectors @ np.atleast_2d(weights).T
    return vectors[(sums <= np.atleast_1d(capacities) + 1e-9).all(axis=1)]


CASES = {
    "two dimensions": (np.random.default_rng(0).integers(300, 800, (2, 8)) / 100, [20.0, 15.0]),
    "one dimension": (np.random.default_rng(1).integers(0, 9, 8), 17),
    "nearly seven": ([[3, 4, 5, 2]], [7 - 1e-10]),
    "nothing fits": ([[3.0, 4.0]], [2.5]),
    "all fit": ([[3.0, 0.0, 4.0]], [7.0]),
    "no room": ([[3.0, 0.0, 4.0]], [0.0]),
    "rounding": ([[0.1, 0.2, 0.3, 0.7]], [0.3]),
}


@pytest.mark.parametrize("most_entries", [1_000_000, 0])
@pytest.mark.parametrize("name", CASES)
def test_the_best_of_all_sets_is_found(name, most_entries, monkeypatch):
    monkeypatch.setattr(knapsack, "MOST_ENTRIES", most_entries)
    monkeypatch.setattr(knapsack, "BLOCK", 500)
    weights, capacities = CASES[name]
    optimizer, expected = Knapsack(weights, capacities), fitting(weights, capacities)
    assert_lists(optimizer, expected)
    assert_best(optimizer, drawn_costs(0, 20, np.shape(weights)[-1]), expected)


def test_each_way_is_taken_where_it_is_fast():
    rng = np.random.default_rng(0)
    few = Knapsack(rng.integers(300, 800, (2, 32)) / 100, [20, 20])
    integers = Knapsack(rng.integers(1, 20, 60), 100)
    fractions = Knapsack(rng.random(60), 20)
    assert few._sets is not None and few.oracle_cost == "cheap"
    assert integers._sets is None and integers.oracle_cost == "cheap"
    assert fractions.oracle_cost == "expensive"
    large = Knapsack(1e6 * rng.integers(1, 20, 60), 1e8)
    assert large.oracle_cost == "expensive"
    assert Knapsack(np.ones((2, 10_000)), [2.5, 2.5]).oracle_cost == "expensive"


def test_tables_and_highs_agree_on_many_items():
    weights, values = np.random.default_rng(0).integers(1, 20, 60), drawn_costs(0, 6, 60)
    optimizer = Knapsack(weights, 100)
    expected = (values * optimizer._program.batch(values)).sum(axis=1)
    np.testing.assert_allclose((values * optimizer.batch(values)).sum(axis=1), expected)


def test_sets_and_highs_agree_on_the_data_of_the_paper():
    _, values, weights = knapsack_values(6, degree=4, noise=0.5)
    optimizer = Knapsack(weights, [20, 20])
    expected = (values * optimizer._program.batch(values)).sum(axis=1)
    np.testing.assert_allclose((values * optimizer.batch(values)).sum(axis=1), expected)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"constraint set 'capacities' in row 0: A y is 11, which"):
        Knapsack([6, 5], 10).require_feasible([1, 1])


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([1, -2], 3), "weights must be finite and >= 0; got -2"),
        (([1, np.inf], 3), "weights must be finite and >= 0; got inf"),
        (([1, 2], -3), "capacities must be finite and >= 0; got -3"),
        (([1, 2], np.nan), "capacities must be finite and >= 0; got nan"),
        (([1, 2], [3, 4]), r"capacities of shape \(d,\); got shapes \(1, 2\) and \(2,\)"),
        (([], 3), r"weights must be of shape \(d, m\), .*; got shapes \(1, 0\)"),
        (([[[1]]], 3), r"weights must be of shape \(d, m\), .*; got shapes \(1, 1, 1\)"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Knapsack(*arguments)
