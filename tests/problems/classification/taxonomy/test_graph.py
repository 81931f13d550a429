"""Taxonomies: which graphs are refused, and distances against searches of paths."""

import networkx as nx
import numpy as np
import pytest

from structsvm.problems import TaxonomySVM, tree_distance_loss
from structsvm.problems.classification.taxonomy.graph import distances, paths

X, Y = np.eye(4), ["a", "b", "c", "a"]
TREE = nx.DiGraph([("top", "a"), ("top", "low"), ("low", "b"), ("low", "c")])


def changed(*edges):
    graph = TREE.copy()
    graph.add_edges_from(edges)
    return graph


@pytest.mark.parametrize(
    ("taxonomy", "message"),
    [
        (changed(("b", "low")), r"taxonomy has a cycle, '(low|b)' -> '(b|low)'; no node may be"),
        (changed(("b", "top")), "taxonomy has a cycle"),
        (changed(("b", "b")), "taxonomy has a cycle, 'b'; no node"),
        (nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")]), "taxonomy has a cycle"),
        (changed(("d", "e")), "2 nodes without a parent: 'top', 'd'; expected one root, from"),
        (nx.DiGraph([(i, "abc"[i % 3]) for i in range(9)]), "9 nodes without a parent: .*, ...;"),
        (TREE.to_undirected(), "must be a networkx.DiGraph .*; got Graph"),
        ({"top": ["a"]}, "must be a networkx.DiGraph .*; got dict"),
        (nx.DiGraph(), "taxonomy has no nodes"),
        (TREE.reverse(), "3 nodes without a parent"),
        (nx.DiGraph([("t", "a"), ("t", "b")]), "label 'c' is no node .* 3 nodes, such as 't'"),
        (nx.relabel_nodes(TREE, {"c": 3}), "label 'c' is no node of the taxonomy"),
    ],
)
def test_graphs_that_are_no_taxonomies(taxonomy, message):
    for cost in ("distance", None):
        with pytest.raises(ValueError, match=message):
            TaxonomySVM(taxonomy, cost=cost).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        tree_distance_loss(Y, Y, taxonomy)


@pytest.mark.parametrize("seed", range(3))
def test_distances_in_trees_are_numbers_of_edges(seed):
    rng = np.random.default_rng(seed)
    graph = nx.DiGraph((int(rng.integers(node)), node) for node in range(1, 15))
    lengths = dict(nx.all_pairs_shortest_path_length(graph.to_undirected()))
    names = rng.permutation(15)[:8].tolist()
    expected = [[lengths[a][b] for b in names] for a in names]
    np.testing.assert_array_equal(distances(graph, names), expected)
    pairs = rng.choice(names, size=(30, 2))
    found = tree_distance_loss(pairs[:, 0], pairs[:, 1].tolist(), graph)
    assert found == pytest.approx(np.mean([lengths[a][b] for a, b in pairs.tolist()]))


def test_the_mean_distance_takes_weights():
    graph = nx.DiGraph([("animal", "cat"), ("animal", "dog"), ("dog", "poodle")])
    true, found = ["poodle", "cat", "dog"], ["dog", "poodle", "dog"]
    assert tree_distance_loss(true, found, graph, sample_weight=[2, 1, 0]) == pytest.approx(5 / 3)
    repeated = tree_distance_loss(["poodle", *true[:2]], ["dog", *found[:2]], graph)
    assert repeated == pytest.approx(5 / 3)
    with pytest.raises(ValueError, match="sample_weight must hold a number >= 0 for each of 3"):
        tree_distance_loss(true, found, graph, sample_weight=[1, 2])


def test_distances_with_several_parents_count_the_nodes_that_differ():
    # spork is below fork and spoon.
    graph = nx.DiGraph([("cutlery", "fork"), ("cutlery", "spoon"), ("cutlery", "knife")])
    graph.add_edges_from([("fork", "spork"), ("spoon", "spork")])
    found = distances(graph, ["fork", "knife", "spork"])
    np.testing.assert_array_equal(found, [[0, 2, 2], [2, 0, 4], [2, 4, 0]])


def test_paths_are_the_nodes_above():
    nodes, on_path = paths(TREE, ["c", "a", "low"])
    assert set(nodes) == {"top", "low", "a", "c"}  # nothing is below b
    of_c = {node for node, has in zip(nodes, on_path.toarray()[:, 0], strict=True) if has}
    assert of_c == {"top", "low", "c"}


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        (["a"], ["b", "a"], "of the same length, at least 1; got lengths 1 and 2"),
        ([], [], "at least 1; got lengths 0 and 0"),
        (["a"], ["x"], "label 'x' is no node"),
        (np.array([["a"]]), ["a"], "1-d"),
        (["a", 1], ["a", "b"], "mixes strings with others"),
        ([1], ["a"], "label 1 is no node"),
    ],
)
def test_unusable_labels(true, predicted, message):
    with pytest.raises(ValueError, match=message):
        tree_distance_loss(true, predicted, TREE)
