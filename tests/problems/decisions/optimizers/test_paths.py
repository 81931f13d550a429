"""Paths through graphs, against all simple paths."""

import networkx as nx
import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs

from structsvm.problems.decisions.optimizers import GraphPaths, GridPaths

CHAIN = nx.DiGraph([(0, 1), (1, 2)])


def paths(graph, source, target):
    """All paths without repeated nodes, as 0/1 vectors of the edges."""
    number = {}
    for i, (a, b) in enumerate(graph.edges):
        number[a, b] = i
    found = []
    for nodes in nx.all_simple_paths(graph, source, target):
        found.append(np.zeros(graph.number_of_edges()))
        found[-1][[number[pair] for pair in nx.utils.pairwise(nodes)]] = 1
    return found


def drawn_graph(seed, n_nodes=7, n_edges=13):
    """A graph without cycles, with a path from 'a' to 'e', whose nodes are in no order."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(list("abcdefg"))
    while True:
        ends = rng.integers(n_nodes, size=(n_edges, 2))
        ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
        graph = nx.DiGraph()
        graph.add_nodes_from("gfedcba")
        graph.add_edges_from(names[ends].tolist())
        for ends in (("a", "e"), ("e", "a")):
            if nx.has_path(graph, *ends):
                return graph, *ends


@pytest.mark.parametrize("seed", range(8))
def test_without_cycles_costs_may_be_negative(seed):
    graph, *ends = drawn_graph(seed)
    optimizer, expected = GraphPaths(graph, *ends), paths(graph, *ends)
    assert_lists(optimizer, expected)
    assert_best(optimizer, drawn_costs(seed, 30, graph.number_of_edges()), expected)


def test_a_grid_has_the_paths_of_the_grid():
    grid = nx.grid_2d_graph(4, 3, create_using=nx.DiGraph)
    edges = sorted((a, b) for a, b in grid.edges if a < b)
    edges.sort(key=lambda edge: (edge[0][0], edge[0][0] != edge[1][0], edge[0][1]))
    graph = nx.DiGraph()
    graph.add_nodes_from((i, j) for i in range(4) for j in range(3))
    graph.add_edges_from(edges)
    order = [edges.index(edge) for edge in graph.edges]
    costs = np.random.default_rng(0).normal(size=(50, 17))
    expected = GridPaths(4, 3).batch(costs)
    found = GraphPaths(graph, (0, 0), (3, 2)).batch(costs[:, order])
    np.testing.assert_array_equal(found, expected[:, order])


def test_the_state_keeps_attributes_of_the_graph():
    graph = nx.DiGraph([(0, 1)])
    graph.edges[0, 1]["length"] = 3
    state = GraphPaths(graph, 0, 1).__getstate__()
    assert state["graph"] == (True, [(0, {}), (1, {})], [(0, 1, {"length": 3})])


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((CHAIN, 0, 5), ValueError, "target must be a node of the graph; got 5"),
        ((CHAIN, [0], 2), ValueError, r"source must be a node of the graph; got \[0\]"),
        ((CHAIN, 1, 1), ValueError, "must be different nodes; both are 1"),
        ((nx.DiGraph([(1, 0), (1, 2)]), 0, 2), ValueError, "the graph has no path from 0 to 2"),
        ((CHAIN, 2, 0), ValueError, "the graph has no path from 2 to 0"),
        ((nx.cycle_graph(4), 0, 2), ValueError, r"SPO\+ solves for 2 predicted - true costs"),
        ((nx.DiGraph([(0, 1), (1, 0)]), 0, 1), ValueError, "a MixedIntegerProgram of flow"),
        ((nx.MultiDiGraph([(0, 1)]), 0, 1), ValueError, "got a MultiDiGraph: put a node on each"),
        ((nx.empty_graph(3), 0, 1), ValueError, "graph must have edges; it has none"),
        (([[0, 1]], 0, 1), TypeError, "graph must be a graph of networkx; got list"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        GraphPaths(*arguments)
