"""Labels of graphs: joint feature, losses, relaxed outputs, and bad data."""

import numpy as np
import pytest
from cases.problems import initialized
from refusals import refused

from structsvm.problems import (
    AttractiveGraphLabelling,
    Graph,
    GraphLabelling,
    TreeLabelling,
    WeightedLabels,
)
from structsvm.problems.graphs.inference.relaxation import Relaxed


def test_some_relaxed_outputs_are_fractions():
    x, y = Graph(np.zeros((3, 1)), [[0, 1], [1, 2], [0, 2]]), ["a", "b", "b"]
    problem = initialized(GraphLabelling(), [x], [y])
    w = np.array([0.0, 0.0, -5.0, 5.0, -5.0])  # neighbours repel each other
    found = problem.separation_oracle(x, y, w)
    assert isinstance(found, Relaxed) and not found.persistent.any()
    assert problem.loss(y, found) == 1.5
    difference = problem.joint_feature_difference(x, y, found)
    np.testing.assert_allclose(difference[-3:], [0, 2 - 3, 1])
    assert problem.task([x]).relaxed(w)[0].nodes.shape == (3, 2)
    assert len(problem.decode(x, w)) == 3


def test_the_joint_feature_of_a_small_graph():
    x = Graph(np.array([[1.0], [2.0], [4.0]]), [[0, 1], [2, 1]], [[8.0], [16.0]])
    y = ["a", "b", "a"]
    for problem, edges in (
        (GraphLabelling("expansion"), [0, 24, 0]),  # aa, ab, bb
        (GraphLabelling("expansion", directed=True), [0, 24, 0, 0]),  # aa, ab, ba, bb
        (AttractiveGraphLabelling(), [-24]),
    ):
        problem.initialize([x], [y])
        assert problem.joint_feature(x, y).tolist() == [5, 2, *edges]
    turned = x._replace(edges=[[1, 0], [2, 1]])
    problem = initialized(GraphLabelling("expansion", directed=True), [turned], [y])
    assert problem.joint_feature(turned, y).tolist() == [5, 2, 0, 16, 8, 0]


def test_losses_count_nodes_by_their_weights():
    x, y = Graph(np.ones((3, 1)), []), ["a", "b", "b"]
    problem = initialized(GraphLabelling("expansion", class_weight={"b": 3.0}), [x], [y])
    assert problem.loss(y, ["b", "a", "b"]) == 4
    assert problem.loss(WeightedLabels(y, [2.0, 0.0, 1.0]), ["b", "a", "a"]) == 5


test_bad_arguments_are_errors = refused(
    lambda problem, edges, y: problem.initialize([Graph(np.ones((3, 1)), edges)], [list(y)]),
    (TreeLabelling(), [[0, 1], [1, 2], [2, 0]], "aba", "needs graphs without cycles"),
    (GraphLabelling("flow"), [[0, 1]], "aba", "use AttractiveGraphLabelling"),
    (AttractiveGraphLabelling(), [[0, 1]], "abc", "needs two labels; Y has 3"),
    (GraphLabelling("best"), [[0, 1]], "aba", "inference must be one of"),
    (GraphLabelling(directed=1), [[0, 1]], "aba", "directed must be True or False"),
    (GraphLabelling(), [[0, 1]], "ab", "a label for each of the 3 rows"),
)


def test_new_graphs_must_be_like_those_trained_on():
    x, y = Graph(np.ones((3, 1)), [[0, 1]]), ["a", "b", "b"]
    problem = initialized(TreeLabelling(), [x], [y])
    w = np.zeros(problem.size_joint_feature)
    message = "X has 2 features of a node and 1 of an edge.* expected 1 and 1, as in training"
    with pytest.raises(ValueError, match=message):
        problem.decode(Graph(np.ones((3, 2)), [[0, 1]]), w)
    with pytest.raises(ValueError, match="without cycles"):
        problem.decode(x._replace(edges=[[0, 1], [1, 2], [0, 2]]), w)
    attractive = AttractiveGraphLabelling()
    with pytest.raises(ValueError, match=r"X\[0\] has a negative edge feature"):
        attractive.initialize([x._replace(edge_features=[[-1.0]])], [y])
