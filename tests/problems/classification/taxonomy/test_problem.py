"""Taxonomies: graphs that are none, distances, joint features and costs by definition."""

import networkx as nx
import numpy as np
import pytest
from cases.problems import initialized
from refusals import refused
from scipy import sparse

from structsvm import SmoothedLBFGS
from structsvm.problems import Multiclass, Taxonomy, TaxonomySVM, tree_distance_loss
from structsvm.problems.classification.taxonomy.graph import distances

LABELS = ["a", "b", "c", "a"]
SMALL = nx.DiGraph([("top", "a"), ("top", "low"), ("low", "b"), ("low", "c")])


def changed(*edges):
    graph = SMALL.copy()
    graph.add_edges_from(edges)
    return graph


@pytest.mark.parametrize(
    ("taxonomy", "message"),
    [
        (changed(("b", "low")), r"taxonomy has a cycle, '(low|b)' -> '(b|low)'; no node may be"),
        (changed(("b", "b")), "taxonomy has a cycle, 'b'; no node"),
        (changed(("d", "e")), "2 nodes without a parent: 'top', 'd'; expected one root, from"),
        (nx.DiGraph([(i, "abc"[i % 3]) for i in range(9)]), "9 nodes without a parent: .*, ...;"),
        (SMALL.to_undirected(), "must be a networkx.DiGraph .*; got Graph"),
        ({"top": ["a"]}, "must be a networkx.DiGraph .*; got dict"),
        (nx.DiGraph(), "taxonomy has no nodes"),
        (SMALL.reverse(), "3 nodes without a parent"),
        (nx.DiGraph([("t", "a"), ("t", "b")]), "label 'c' is no node .* 3 nodes, such as 't'"),
        (nx.relabel_nodes(SMALL, {"c": 3}), "label 'c' is no node of the taxonomy"),
    ],
)
def test_graphs_that_are_no_taxonomies(taxonomy, message):
    for cost in ("distance", None):
        with pytest.raises(ValueError, match=message):
            TaxonomySVM(taxonomy, cost=cost).fit(np.eye(4), LABELS)
    with pytest.raises(ValueError, match=message):
        tree_distance_loss(LABELS, LABELS, taxonomy)


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
    with pytest.raises(ValueError, match="sample_weight must hold a number >= 0 for each of 3"):
        tree_distance_loss(true, found, graph, sample_weight=[1, 2])


def test_distances_with_several_parents_count_the_nodes_that_differ():
    # spork is below fork and spoon.
    graph = nx.DiGraph([("cutlery", "fork"), ("cutlery", "spoon"), ("cutlery", "knife")])
    graph.add_edges_from([("fork", "spork"), ("spoon", "spork")])
    found = distances(graph, ["fork", "knife", "spork"])
    np.testing.assert_array_equal(found, [[0, 2, 2], [2, 0, 4], [2, 4, 0]])


test_unusable_labels = refused(
    lambda true, predicted: tree_distance_loss(true, predicted, SMALL),
    (["a"], ["b", "a"], "of the same length, at least 1; got lengths 1 and 2"),
    ([], [], "at least 1; got lengths 0 and 0"),
    (["a"], ["x"], "label 'x' is no node"),
    (np.array([["a"]]), ["a"], "1-d"),
    (["a", 1], ["a", "b"], "mixes strings with others"),
    ([1], ["a"], "label 1 is no node"),
)


# ---------------------------------------------------------------------- joint features and costs

ANIMALS = nx.DiGraph(
    [("animal", "cat"), ("animal", "dog"), ("dog", "poodle"), ("dog", "pug"), ("animal", "ape")]
)
Y = np.array(["poodle", "cat", "dog", "pug", "cat", "dog"])


def random_taxonomy(rng, n, parents):
    """A root 0 with n - 1 nodes below it, each with up to so many parents."""
    graph = nx.DiGraph()
    graph.add_node(0)
    for node in range(1, n):
        above = rng.choice(node, size=min(node, rng.integers(1, parents + 1)), replace=False)
        graph.add_edges_from((int(parent), node) for parent in above)
    return graph


def features_by_definition(problem, x, z):
    above = nx.ancestors(problem.taxonomy, z)
    return np.outer([1.0 * (v == z) + 0.5 * (v in above) for v in problem.nodes_], x).ravel()


@pytest.mark.parametrize("seed", range(8))
def test_joint_features_have_x_at_the_class_and_half_of_it_above(seed):
    rng = np.random.default_rng(seed)
    graph = random_taxonomy(rng, 2 + seed, 1 + 2 * (seed % 2))
    names = rng.permutation(len(graph))[: max(2, rng.integers(len(graph) + 1))]
    problem, X = Taxonomy(graph), rng.normal(size=(len(names), 3))
    problem.initialize(X, names)
    for z in problem.classes_.tolist():
        expected = features_by_definition(problem, X[0], z)
        np.testing.assert_array_equal(problem.joint_feature(X[0], z), expected)
        thin = problem.joint_feature(sparse.csr_matrix(X)[0], z)
        np.testing.assert_array_equal(thin.toarray()[0], expected)
    # What has no weights would not tell any two classes apart.
    paths = [nx.ancestors(problem.taxonomy, z) | {z} for z in problem.classes_.tolist()]
    telling = set.union(*paths) - (set.intersection(*paths) - set(problem.classes_.tolist()))
    assert set(problem.nodes_) == telling
    order = list(nx.topological_sort(problem.taxonomy))
    assert sorted(problem.nodes_, key=order.index) == problem.nodes_


@pytest.mark.parametrize("seed", range(3))
def test_the_curvature_is_not_negative_in_single_precision(seed):
    rng = np.random.default_rng(seed)
    graph = nx.DiGraph([("r", "a"), ("r", "b"), *(("a", i) for i in range(40)), ("b", 99)])
    y, X = np.r_[np.arange(40), 99], rng.normal(size=(41, 5)).astype(np.float32)
    problem = initialized(Taxonomy(graph), X, y)
    w = rng.normal(size=problem.size_joint_feature)
    w[:5] *= 1e3  # nearly all of the probability is below one node
    assert problem.task(X, y).curvature(w, 0.1, np.ones(41)).min() >= 0


def test_a_root_above_all_classes_makes_it_multiclass():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.choice(["a", "b", "c"], 60)
    star = nx.DiGraph(("all", name) for name in "abcde")
    expected = SmoothedLBFGS().solve(Multiclass(), X, y, 10.0)
    for problem in (Taxonomy(star), Taxonomy(), Taxonomy(star, "distance")):
        found = SmoothedLBFGS().solve(problem, X, y, 10.0)
        np.testing.assert_allclose(found.w, expected.w, atol=1e-5)


def test_costs():
    names = sorted(set(Y.tolist()))  # cat dog poodle pug
    X = np.eye(6)
    edges = np.array([[0, 2, 3, 3], [2, 0, 1, 1], [3, 1, 0, 2], [3, 1, 2, 0]])
    problem = initialized(Taxonomy(ANIMALS, "distance"), X, Y)
    np.testing.assert_allclose(problem.cost_, edges / 3)
    assert problem.max_loss == 1
    of_labels = dict(nx.all_pairs_shortest_path_length(ANIMALS.to_undirected()))
    problem = initialized(Taxonomy(ANIMALS, of_labels), X, Y)
    np.testing.assert_array_equal(problem.cost_, edges)
    assert problem.max_loss == 3 == problem.loss("cat", "pug")
    matrix = np.arange(16.0).reshape(4, 4) * (1 - np.eye(4))
    problem = initialized(Taxonomy(ANIMALS, matrix), X, Y)
    assert problem.loss(names[1], names[2]) == matrix[1, 2]
    problem = initialized(Taxonomy(ANIMALS), X, Y)
    np.testing.assert_array_equal(problem.cost_, 1 - np.eye(4))


test_unusable_costs = refused(
    lambda cost: Taxonomy(ANIMALS, cost).initialize(np.eye(6), Y),
    ("tree", "cost must be 'distance', None, an array or a dict; got 'tree'"),
    (np.ones((3, 3)) - np.eye(3), r"shape \(4, 4\), one row per class; got \(3, 3\)"),
    (np.eye(4) - 1, r"cost\[0, 1\] is -1"),
    ({"cat": {"cat": 0, "dog": 1}}, r"no entry cost\['cat'\]\['poodle'\]"),
    ({"cat": 3}, r"no entry cost\['cat'\]\['cat'\]"),
    ({a: dict.fromkeys(set(Y), -1) for a in set(Y)}, r"cost\[0, 0\] is -1"),
    ({a: dict.fromkeys(set(Y), "x") for a in set(Y)}, "cost must hold real numbers"),
)
