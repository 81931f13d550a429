"""The oracles of graphs against all labellings of small ones, and what they declare."""

import numpy as np
import pytest
from scipy.special import logsumexp

from structsvm.problems import (
    AttractiveGraphLabelling,
    Graph,
    GraphLabelling,
    TreeLabelling,
    WeightedLabels,
)
from structsvm.problems.graphs.inference.relaxation import Relaxed

SEEDS = range(6)


def random_data(seed, k=2, forests=False, weights=True):
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for n in (5, 1, 4):
        first, second = np.triu_indices(n, 1)
        chosen = second == first + 1 if forests else rng.random(len(first)) < 0.7
        edges = np.column_stack([first, second])[chosen]
        turned = rng.random(len(edges)) < 0.5
        edges[turned] = edges[turned, ::-1]
        X.append(Graph(rng.normal(size=(n, 2)), edges, rng.random((len(edges), 2))))
        y = np.array(["a", "b", "c"])[np.arange(n) % k]
        Y.append(WeightedLabels(y, rng.random(n)) if weights else y)
    return X, Y


def random_w(problem, seed, size):
    w = size * np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    bounded = isinstance(problem, AttractiveGraphLabelling)
    return np.maximum(w, problem.constraints().lower) if bounded else w


def augmented(problem, x, y, w, other):
    return problem.loss(y, other) + problem.joint_feature(x, other) @ w


EXACT = {
    "tree": (TreeLabelling, {}, True, 3),
    "directed tree": (TreeLabelling, {"directed": True}, True, 3),
    "flow": (AttractiveGraphLabelling, {}, False, 2),
    "attractive tree": (AttractiveGraphLabelling, {"inference": "tree"}, True, 3),
}


@pytest.mark.sampled(37)
@pytest.mark.parametrize("size", (0.0, 1e-6, 1.0, 1e6))
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", SEEDS)
def test_exact_searches_find_the_best_of_all_labellings(seed, name, size):
    kind, parameters, forests, k = EXACT[name]
    problem, (X, Y) = kind(**parameters), random_data(seed, k, forests)
    problem.initialize(X, Y)
    assert problem.oracle_quality == "exact"
    w = random_w(problem, seed, size)
    for x, y in zip(X, Y, strict=True):
        every = list(problem.outputs(x))
        best = max(augmented(problem, x, y, w, other) for other in every)
        found = problem.separation_oracle(x, y, w)
        assert augmented(problem, x, y, w, found) == pytest.approx(best, rel=1e-7, abs=1e-9)
        decoded = problem.joint_feature(x, problem.decode(x, w)) @ w
        scores = [problem.joint_feature(x, other) @ w for other in every]
        assert decoded == pytest.approx(max(scores), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("k", (2, 3))
@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxation_overgenerates_and_expansion_undergenerates(seed, k):
    X, Y = random_data(seed, k)
    relaxed, expansion = GraphLabelling(), GraphLabelling("expansion")
    for problem in (relaxed, expansion):
        problem.initialize(X, Y)
    assert relaxed.oracle_quality == "overgenerating"
    assert expansion.oracle_quality == "undergenerating"
    w, fractional = random_w(relaxed, seed, 2.0), 0
    for x, y in zip(X, Y, strict=True):
        best = max(augmented(expansion, x, y, w, other) for other in expansion.outputs(x))
        truth = expansion.joint_feature(x, y) @ w
        values = []
        for problem in (relaxed, expansion):
            found = problem.separation_oracle(x, y, w)
            fractional += isinstance(found, Relaxed)
            difference = problem.joint_feature_difference(x, y, found) @ w
            values.append(problem.loss(y, found) - difference + truth)
        assert values[1] - 1e-9 <= best <= values[0] + 1e-7
        assert values[1] >= augmented(expansion, x, y, w, y) - 1e-9


def test_some_relaxed_outputs_are_fractions():
    x, y = Graph(np.zeros((3, 1)), [[0, 1], [1, 2], [0, 2]]), ["a", "b", "b"]
    problem = GraphLabelling()
    problem.initialize([x], [y])
    w = np.array([0.0, 0.0, -5.0, 5.0, -5.0])  # neighbours repel each other
    found = problem.separation_oracle(x, y, w)
    assert isinstance(found, Relaxed) and not found.persistent.any()
    assert problem.loss(y, found) == 1.5
    difference = problem.joint_feature_difference(x, y, found)
    np.testing.assert_allclose(difference[-3:], [0, 2 - 3, 1])
    assert problem.task([x]).relaxed(w)[0].nodes.shape == (3, 2)
    assert len(problem.decode(x, w)) == 3


@pytest.mark.sampled(5)
@pytest.mark.parametrize("mu", (0.1, 1.0))
@pytest.mark.parametrize("seed", SEEDS)
def test_the_soft_oracle_is_that_of_all_labellings(seed, mu):
    problem, (X, Y) = TreeLabelling(True, {"a": 2.0}), random_data(seed, 3, forests=True)
    problem.initialize(X, Y)
    w = random_w(problem, seed, 1.0)
    for x, y in zip(X, Y, strict=True):
        every = list(problem.outputs(x))
        losses = np.array([problem.loss(y, other) for other in every])
        rows = np.array([problem.joint_feature_difference(x, y, other) for other in every])
        scores = (losses - rows @ w) / mu
        p = np.exp(scores - logsumexp(scores))
        found = problem.soft_oracle(x, y, w, mu)
        assert found.value == pytest.approx(mu * logsumexp(scores))
        assert found.loss == pytest.approx(p @ losses)
        np.testing.assert_allclose(found.joint_feature_difference, p @ rows, atol=1e-10)


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
    problem = GraphLabelling("expansion", directed=True)
    problem.initialize([turned], [y])
    assert problem.joint_feature(turned, y).tolist() == [5, 2, 0, 16, 8, 0]


def test_losses_count_nodes_by_their_weights():
    x, y = Graph(np.ones((3, 1)), []), ["a", "b", "b"]
    problem = GraphLabelling("expansion", class_weight={"b": 3.0})
    problem.initialize([x], [y])
    assert problem.loss(y, ["b", "a", "b"]) == 4
    assert problem.loss(WeightedLabels(y, [2.0, 0.0, 1.0]), ["b", "a", "a"]) == 5


def test_isolated_nodes_get_their_own_best_label():
    x = Graph(np.array([[1.0], [-1.0], [0.5]]), np.empty((0, 2), dtype=int))
    for problem in (TreeLabelling(), AttractiveGraphLabelling(), GraphLabelling()):
        problem.initialize([x], [["a", "b", "a"]])
        w = np.zeros(problem.size_joint_feature)
        w[0] = 1.0
        assert problem.decode(x, w).tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("problem", "edges", "labels", "message"),
    [
        (TreeLabelling(), [[0, 1], [1, 2], [2, 0]], "aba", "needs graphs without cycles"),
        (GraphLabelling("flow"), [[0, 1]], "aba", "use AttractiveGraphLabelling"),
        (AttractiveGraphLabelling(), [[0, 1]], "abc", "needs two labels; Y has 3"),
        (GraphLabelling("best"), [[0, 1]], "aba", "inference must be one of"),
        (GraphLabelling(directed=1), [[0, 1]], "aba", "directed must be True or False"),
        (GraphLabelling(), [[0, 1]], "ab", "a label for each of the 3 rows"),
        (GraphLabelling(), [[0, 1]], "aaa", "one class only"),
    ],
)
def test_bad_arguments_are_errors(problem, edges, labels, message):
    with pytest.raises(ValueError, match=message):
        problem.initialize([Graph(np.ones((3, 1)), edges)], [list(labels)])


def test_new_graphs_must_be_like_those_trained_on():
    x, y = Graph(np.ones((3, 1)), [[0, 1]]), ["a", "b", "b"]
    problem = TreeLabelling()
    problem.initialize([x], [y])
    w = np.zeros(problem.size_joint_feature)
    with pytest.raises(ValueError, match="X has 2 features of a node and 1 of an edge"):
        problem.decode(Graph(np.ones((3, 2)), [[0, 1]]), w)
    with pytest.raises(ValueError, match="without cycles"):
        problem.decode(x._replace(edges=[[0, 1], [1, 2], [0, 2]]), w)
    attractive = AttractiveGraphLabelling()
    with pytest.raises(ValueError, match=r"X\[0\] has a negative edge feature"):
        attractive.initialize([x._replace(edge_features=[[-1.0]])], [y])
