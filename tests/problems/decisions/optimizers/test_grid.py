"""Paths through a grid, against networkx and known paths."""

import networkx as nx
import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs

from structsvm.problems.decisions.optimizers import GridPaths

SHAPES = [(1, 2), (2, 1), (1, 5), (5, 1), (2, 2), (3, 4), (4, 3), (2, 5), (5, 2)]


def paths(rows, columns):
    """All monotone paths by networkx; the edges are counted as the docstring says."""
    number, edges = 0, {}
    for i in range(rows):
        for j in range(columns - 1):
            edges[(i, j), (i, j + 1)], number = number, number + 1
        for j in range(columns if i < rows - 1 else 0):
            edges[(i, j), (i + 1, j)], number = number, number + 1
    graph = nx.DiGraph(edges.keys())
    found = []
    for nodes in nx.all_simple_paths(graph, (0, 0), (rows - 1, columns - 1)):
        found.append(np.zeros(number))
        found[-1][[edges[pair] for pair in nx.utils.pairwise(nodes)]] = 1
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_the_cheapest_of_all_paths_is_found(shape):
    optimizer, expected = GridPaths(*shape), paths(*shape)
    assert_lists(optimizer, expected)
    assert_best(optimizer, drawn_costs(0, 40, len(expected[0])), expected)


def test_ties_arrive_from_the_left():
    np.testing.assert_array_equal(GridPaths(2, 2)([0, 0, 0, 0]), [0, 1, 0, 1])


def test_no_examples():
    assert GridPaths(5, 5).batch(np.empty((0, 40))).shape == (0, 40)


def test_costs_are_not_changed():
    costs = drawn_costs(1, 5, 40)
    before = costs.copy()
    GridPaths(5, 5).batch(costs)
    np.testing.assert_array_equal(costs, before)


@pytest.mark.parametrize(
    "costs, message",
    [
        (np.zeros(39), r"GridPaths\(rows=5, columns=5\) needs costs of shape \(40,\).*\(39,\)"),
        (np.zeros((1, 40)), r"needs costs of shape \(40,\), one for each of 40 .*\(1, 40\)"),
        ([*np.zeros(39), np.nan], r"costs must be finite; costs\[39\] is nan"),
        ([np.inf, *np.zeros(39)], r"costs must be finite; costs\[0\] is inf"),
        (["a"] * 40, "costs must hold real numbers"),
    ],
)
def test_bad_costs_are_refused(costs, message):
    with pytest.raises(ValueError, match=message):
        GridPaths(5, 5)(costs)


def test_bad_costs_of_many_examples_are_refused():
    with pytest.raises(ValueError, match=r"costs of shape \(n, 40\), .*got shape \(40,\)"):
        GridPaths(5, 5).batch(np.zeros(40))
    costs = np.zeros((3, 40))
    costs[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"costs\[1, 2\] is nan"):
        GridPaths(5, 5).batch(costs)


@pytest.mark.parametrize(
    "shape, message",
    [
        ((0, 3), "rows must be an integer >= 1; got 0"),
        ((3, 2.5), "columns must be an integer >= 1; got 2.5"),
        ((1, 1), "a grid has at least two nodes; got rows=1 and columns=1"),
    ],
)
def test_bad_shapes_are_refused(shape, message):
    with pytest.raises(ValueError, match=message):
        GridPaths(*shape)
