"""Spanning trees, against all sets of edges that connect the nodes."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs

from structsvm.problems.decisions.optimizers import SpanningTrees


def trees(graph):
    edges, found = list(graph.edges), []
    for chosen in combinations(range(len(edges)), len(graph) - 1):
        part = nx.Graph(edges[i] for i in chosen)
        if len(part) == len(graph) and nx.is_connected(part):
            found.append(np.zeros(len(edges)))
            found[-1][list(chosen)] = 1
    return found


GRAPHS = {
    "complete": nx.complete_graph(5),
    "cycle": nx.cycle_graph("abcd"),
    "path": nx.path_graph(4),
    "sparse": nx.gnm_random_graph(7, 10, seed=3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_the_cheapest_of_all_trees_is_found(name):
    graph = GRAPHS[name]
    optimizer, expected = SpanningTrees(graph), trees(graph)
    assert_lists(optimizer, expected)
    assert_best(optimizer, drawn_costs(0, 40, graph.number_of_edges()), expected)


def test_a_large_graph_has_the_tree_of_networkx():
    graph, costs = nx.gnm_random_graph(50, 300, seed=0), np.random.default_rng(0).normal(size=300)
    nx.set_edge_attributes(graph, dict(zip(graph.edges, costs, strict=True)), "weight")
    expected = nx.minimum_spanning_tree(graph).size(weight="weight")
    assert costs @ SpanningTrees(graph)(costs) == pytest.approx(expected)


@pytest.mark.parametrize(
    "graph, error, message",
    [
        (nx.DiGraph([(0, 1)]), ValueError, r"got a DiGraph: pass graph.to_undirected\(\)"),
        (nx.Graph([(0, 1), (1, 1)]), ValueError, "edges from a node to itself; 1 has one"),
        (nx.Graph([(0, 1), (2, 3)]), ValueError, "graph must be connected"),
        (nx.MultiGraph([(0, 1)]), ValueError, "got a MultiGraph"),
        (None, TypeError, "graph must be a graph of networkx; got NoneType"),
    ],
)
def test_bad_graphs_are_refused(graph, error, message):
    with pytest.raises(error, match=message):
        SpanningTrees(graph)
