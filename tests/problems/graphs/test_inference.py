"""Inference on graphs against all labellings of small ones."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp

from structsvm.problems.graphs.inference.cut import FlowNetwork, disagreements
from structsvm.problems.graphs.inference.forest import Forest, is_forest
from structsvm.problems.graphs.inference.moves import expanded, locally_improved
from structsvm.problems.graphs.inference.relaxation import by_linear_program, relaxed, roof_dual
from structsvm.problems.graphs.inference.scores import component_scores

SEEDS = range(3)


def random_forest(rng, n):
    """A forest in which about a fifth of the nodes are roots."""
    parents = [(rng.integers(i), i) for i in range(1, n) if rng.random() < 0.8]
    names = rng.permutation(n)
    edges = names[np.array(parents, dtype=int).reshape(-1, 2)]
    turned = rng.random(len(edges)) < 0.5
    edges[turned] = edges[turned, ::-1]
    return edges[rng.permutation(len(edges))]


def random_graph(rng, n, p=0.5):
    first, second = np.triu_indices(n, 1)
    chosen = rng.random(len(first)) < p
    return np.column_stack([first, second])[chosen]


def scores_of(rng, n, edges, k, kind):
    shape = (len(edges), k, k)
    if kind == "integers":  # ties
        found = rng.integers(-1, 2, size=(n, k)), rng.integers(-1, 2, size=shape)
        return found[0].astype(float), found[1].astype(float)
    if kind == "zero":
        return np.zeros((n, k)), np.zeros(shape)
    size = {"normal": 1.0, "large": 1e12, "small": 1e-12}[kind]
    return size * rng.normal(size=(n, k)), size * rng.normal(size=shape)


KINDS = ("normal", "integers", "zero", "large", "small")


def attractive(rng, edges, size=1.0):
    pairwise = size * rng.normal(size=(len(edges), 2, 2))
    lack = pairwise[:, 0, 1] + pairwise[:, 1, 0] - pairwise[:, 0, 0] - pairwise[:, 1, 1]
    pairwise[:, 0, 0] += np.maximum(lack, 0)
    return pairwise


def score(unary, edges, pairwise, labels):
    component = np.zeros(len(unary), dtype=int)
    return float(component_scores(unary, edges, pairwise, labels, component).sum())


def maximum_cut(unary, edges, pairwise):
    linear, capacities = disagreements(unary, edges, pairwise)
    capacities, part = np.maximum(capacities, 0), np.zeros(len(unary), dtype=int)
    found = roof_dual(linear, edges, capacities, part)
    whole = FlowNetwork(linear, edges, part).maximum(capacities)  # with no node settled before
    np.testing.assert_array_equal(found, whole)
    return found.astype(int)


def all_scores(unary, edges, pairwise):
    n, k = unary.shape
    every = [np.array(y) for y in product(range(k), repeat=n)]
    return every, np.array([score(unary, edges, pairwise, y) for y in every])


def test_a_score_is_the_sum_of_its_entries():
    unary, edges = np.array([[1.0, 2.0], [4.0, 8.0]]), np.array([[1, 0]])
    pairwise = np.array([[[16.0, 32.0], [64.0, 128.0]]])
    assert score(unary, edges, pairwise, np.array([0, 1])) == 1 + 8 + 64
    parts = component_scores(unary, edges[:0], pairwise[:0], np.array([0, 1]), np.array([1, 0]))
    assert parts.tolist() == [8, 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_forests_have_the_best_and_the_marginals_of_all_labellings(seed, kind):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    edges = random_forest(rng, n)
    unary, pairwise = scores_of(rng, n, edges, k, kind)
    forest = Forest(n, edges)
    best = forest.maximum(unary, pairwise)
    every, scores = all_scores(unary, edges, pairwise)
    assert score(unary, edges, pairwise, best) == pytest.approx(scores.max(), rel=1e-12)
    assert kind != "zero" or not best.any()
    if kind == "large":
        return  # below
    found = forest.marginals(unary, pairwise)
    log_partition = logsumexp(scores)
    p = np.exp(scores - log_partition)
    one_hot = np.eye(k)[np.array(every)]  # labellings, nodes, labels
    assert found.log_partition.shape == forest.roots.shape
    assert found.log_partition.sum() == pytest.approx(log_partition)
    np.testing.assert_allclose(found.nodes, np.einsum("y,ynk->nk", p, one_hot), atol=1e-12)
    for (i, j), of_edge in zip(edges, found.edges, strict=True):
        expected = np.einsum("y,ya,yb->ab", p, one_hot[:, i], one_hot[:, j])
        np.testing.assert_allclose(of_edge, expected, atol=1e-12)


def test_sum_product_survives_scores_of_any_size():
    rng = np.random.default_rng(0)
    edges = random_forest(rng, 8)
    unary, pairwise = scores_of(rng, 8, edges, 3, "large")
    forest = Forest(8, edges)
    found = forest.marginals(unary, pairwise)
    best = forest.maximum(unary, pairwise)
    assert found.log_partition.sum() == pytest.approx(score(unary, edges, pairwise, best))
    np.testing.assert_array_equal(found.nodes, np.eye(3)[best])


def test_trees_have_their_least_nodes_as_roots_and_no_cycle_or_doubled_edge():
    forest = Forest(6, np.array([[5, 3], [3, 1], [4, 2]]))
    assert forest.roots.tolist() == [0, 1, 2]
    found = forest.marginals(np.zeros((6, 2)), np.zeros((3, 2, 2)))
    np.testing.assert_allclose(found.log_partition, np.log([2, 8, 4]))

    assert is_forest(3, np.array([[0, 1], [2, 1]]))
    assert is_forest(2, np.empty((0, 2), dtype=int))
    for edges in ([[0, 1], [1, 2], [2, 0]], [[0, 1], [0, 1]], [[0, 1], [1, 0]]):
        assert not is_forest(3, np.array(edges))


@pytest.mark.parametrize("size", (1.0, 1e12, 1e-12, 1e300, 1e-300))
@pytest.mark.parametrize("seed", SEEDS)
def test_minimum_cuts_and_expansions_are_the_best_where_labels_attract(seed, size):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    edges = random_graph(rng, n)
    unary, pairwise = size * rng.normal(size=(n, 2)), attractive(rng, edges, size)
    _, scores = all_scores(unary, edges, pairwise)
    for search in (maximum_cut, expanded):
        found = search(unary, edges, pairwise)
        assert score(unary, edges, pairwise, found) == pytest.approx(scores.max(), rel=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_minimum_cut_that_ties_has_the_fewest_ones(seed):
    rng = np.random.default_rng(seed)
    edges = random_graph(rng, 7)
    unary = rng.integers(-1, 2, size=(7, 2)).astype(float)
    pairwise = -rng.integers(2, size=len(edges))[:, None, None] * (1 - np.eye(2))
    every, scores = all_scores(unary, edges, pairwise)
    found = maximum_cut(unary, edges, pairwise)
    assert score(unary, edges, pairwise, found) == scores.max()
    best = np.array(every)[scores == scores.max()]
    np.testing.assert_array_equal(found, best.min(axis=0))


@pytest.mark.parametrize("seed", range(8))
def test_scores_of_any_sizes_in_one_graph_are_cut_exactly(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    edges = random_graph(rng, n)
    sizes = 10.0 ** rng.integers(-9, 10, size=n + len(edges))
    unary = sizes[:n, None] * rng.normal(size=(n, 2))
    pairwise = -(sizes[n:] * rng.random(len(edges)))[:, None, None] * (1 - np.eye(2))
    every, scores = all_scores(unary, edges, pairwise)
    found, best = maximum_cut(unary, edges, pairwise), every[int(scores.argmax())]
    differ = found != best  # the rest of the score is the same, and may be much larger
    apart, others = (y[edges[:, 0]] != y[edges[:, 1]] for y in (found, best))
    own = unary[differ, found[differ]] - unary[differ, best[differ]]
    terms = np.concatenate([own, pairwise[:, 0, 1] * (apart * 1.0 - others)])
    assert terms.sum() >= -1e-12 * np.abs(terms).sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", (2, 3))
@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxation_is_above_all_labellings_and_consistent(seed, k, kind):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    edges = random_graph(rng, n)
    unary, pairwise = scores_of(rng, n, edges, k, kind)
    found, by_highs = relaxed(unary, edges, pairwise), by_linear_program(unary, edges, pairwise)
    every, scores = all_scores(unary, edges, pairwise)
    size = max(1e-300, np.abs(unary).sum() + np.abs(pairwise).sum())

    def value(marginals):
        return (unary * marginals.nodes).sum() + (pairwise * marginals.edges).sum()

    assert value(found) >= scores.max() - 1e-7 * size
    assert value(found) == pytest.approx(value(by_highs), abs=1e-7 * size)
    for marginals in (found, by_highs):
        first, second = edges.T
        assert min(marginals.nodes.min(), marginals.edges.min(initial=0)) >= 0
        np.testing.assert_allclose(marginals.nodes.sum(axis=1), 1, atol=1e-7)
        np.testing.assert_allclose(marginals.edges.sum(axis=2), marginals.nodes[first], atol=1e-6)
        np.testing.assert_allclose(marginals.edges.sum(axis=1), marginals.nodes[second], atol=1e-6)
    if k == 2:
        whole, best = found.persistent, found.nodes.argmax(axis=1)
        agreeing = np.all(np.array(every)[:, whole] == best[whole], axis=1)
        assert scores[agreeing].max() == pytest.approx(scores.max(), abs=1e-7 * size)


def test_a_frustrated_triangle_has_no_persistent_node():
    edges = np.array([[0, 1], [1, 2], [0, 2]])
    pairwise = np.broadcast_to(1 - np.eye(2), (3, 2, 2))
    found = relaxed(np.zeros((3, 2)), edges, pairwise)
    assert not found.persistent.any()
    assert (pairwise * found.edges).sum() == 3  # a labelling scores 2 at most


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", (2, 3))
@pytest.mark.parametrize("seed", SEEDS)
def test_moves_never_lower_a_score_and_end_where_no_label_improves_it(seed, k, kind):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    edges = random_graph(rng, n)
    unary, pairwise = scores_of(rng, n, edges, k, kind)
    start = rng.integers(k, size=n)
    begun = score(unary, edges, pairwise, start)
    size = np.abs(unary).sum() + np.abs(pairwise).sum()
    for search in (expanded, locally_improved):
        found = search(unary, edges, pairwise, start)
        reached = score(unary, edges, pairwise, found)
        assert reached >= begun
        for i, label in product(range(n), range(k)):
            other = found.copy()
            other[i] = label
            assert score(unary, edges, pairwise, other) <= reached + 1e-11 * size


@pytest.mark.parametrize("seed", range(6))
def test_expansion_is_within_a_factor_for_potts_scores(seed):
    # Its loss of score, from the best of every node, is at most twice the least (Boykov et al.).
    rng = np.random.default_rng(seed)
    n, k = 6, 3
    edges = random_graph(rng, n)
    unary = rng.normal(size=(n, k))
    unary -= unary.max(axis=1, keepdims=True)
    pairwise = -rng.random(len(edges))[:, None, None] * (1 - np.eye(k))
    _, scores = all_scores(unary, edges, pairwise)
    assert score(unary, edges, pairwise, expanded(unary, edges, pairwise)) >= 2 * scores.max()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_labels_of_a_graph_do_not_depend_on_others(seed, kind):
    rng, k = np.random.default_rng(seed), 3
    sizes = rng.integers(2, 12, size=4)
    graphs = [random_graph(rng, n) for n in sizes]
    scores = [scores_of(rng, n, edges, k, kind) for n, edges in zip(sizes, graphs, strict=True)]
    shifted = [edges + n for edges, n in zip(graphs, np.cumsum(sizes) - sizes, strict=True)]
    unary, pairwise = map(np.concatenate, zip(*scores, strict=True))
    alone = [expanded(u, edges, p) for (u, p), edges in zip(scores, graphs, strict=True)]
    together = expanded(unary, np.concatenate(shifted), pairwise)
    np.testing.assert_array_equal(together, np.concatenate(alone))
