"""Inference over label sets against the scores of all of them."""

import numpy as np
import pytest
from label_set_data import all_sets, f1_loss, scores_of
from scipy.special import logsumexp

from structsvm.problems.label_sets.f1 import IndependentF1
from structsvm.problems.label_sets.search import (
    Cut,
    Enumeration,
    LabelForest,
    LinearRelaxation,
)

FORESTS = {
    "none": (5, []),
    "single label": (1, []),
    "path": (4, [(0, 1), (1, 2), (2, 3)]),
    "star": (4, [(0, 3), (1, 3), (2, 3)]),
    "two trees": (5, [(4, 0), (0, 2), (1, 3)]),
    "a label alone": (3, [(0, 2)]),
}
GRAPHS = {
    **FORESTS,
    "cycle": (4, [(0, 1), (1, 2), (2, 3), (0, 3)]),
    "all pairs": (4, [(a, b) for b in range(4) for a in range(b)]),
}
#: Scores of all kinds: real, with ties, all 0, of extreme sizes.
KINDS = {
    "real": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: rng.integers(-1, 2, size=shape).astype(float),
    "zero": lambda rng, shape: np.zeros(shape),
    "huge": lambda rng, shape: 1e8 * rng.normal(size=shape),
    "tiny": lambda rng, shape: 1e-12 * rng.normal(size=shape),
}


def made(graph, kind, seed, n=7):
    n_labels, edges = graph
    rng = np.random.default_rng(seed)
    unary, pairs = (KINDS[kind](rng, shape) for shape in ((n, n_labels), len(edges)))
    return np.array(edges, dtype=np.intp).reshape(-1, 2), unary, pairs


def rng_weights(n):
    return np.random.default_rng(n).random(n)


def own_scores(found, unary, edges, pairs):
    return np.array([
        scores_of(y[None].astype(int), u[None], edges, pairs)[0, 0]
        for y, u in zip(found, unary, strict=True)
    ])  # fmt: skip


def require_best(found, scores, own):
    size = np.abs(scores).max(axis=1)
    assert np.all(own >= scores.max(axis=1) - 1e-7 * size)
    assert set(np.unique(found)) <= {0, 1}


each_kind = pytest.mark.parametrize("kind", KINDS)
each_seed = pytest.mark.parametrize("seed", range(2))


@each_seed
@each_kind
@pytest.mark.parametrize("graph", GRAPHS)
def test_searches_and_distributions_are_those_of_all_sets(graph, kind, seed):
    n_labels, _ = GRAPHS[graph]
    edges, unary, pairs = made(GRAPHS[graph], kind, seed)
    sets, weights = all_sets(n_labels), rng_weights(len(unary))
    attractive = scores_of(sets, unary, edges, np.abs(pairs))
    found = Cut(edges, n_labels).best(unary, np.abs(pairs))
    require_best(found, attractive, own_scores(found, unary, edges, np.abs(pairs)))
    scores = scores_of(sets, unary, edges, pairs)
    log_partition = logsumexp(scores, axis=1)
    p = np.exp(scores - log_partition[:, None])
    both = np.array([sets[:, a] & sets[:, b] for a, b in edges]).reshape(-1, len(sets))
    for kind_of_search in (Enumeration, *([LabelForest] if graph in FORESTS else [])):
        search = kind_of_search(edges, n_labels)
        found = search.best(unary, pairs)
        require_best(found, scores, own_scores(found, unary, edges, pairs))
        soft = search.soft(unary, pairs, weights)
        np.testing.assert_allclose(soft.log_partition, log_partition, rtol=1e-12, atol=1e-12)
        # Probabilities of scores of size s are known up to s times the rounding of a number.
        error = 1e-12 + 1e-15 * np.abs(scores).max()
        np.testing.assert_allclose(soft.labels, p @ sets, atol=error)
        np.testing.assert_allclose(soft.pairs, both @ (weights @ p), atol=10 * error)


@each_seed
@each_kind
@pytest.mark.parametrize("graph", ["none", "single label", "path", "all pairs"])
def test_f1_is_augmented_over_all_sets(graph, kind, seed):
    n_labels, _ = GRAPHS[graph]
    edges, unary, pairs = made(GRAPHS[graph], kind, seed)
    truth = np.random.default_rng(seed).integers(2, size=unary.shape)
    truth[0], truth[1] = 0, 1
    sets = all_sets(n_labels)
    losses = np.array([[f1_loss(y, z) for z in sets] for y in truth])
    plain = scores_of(sets, unary, edges, pairs)
    for search in (Enumeration, *([IndependentF1] if not len(edges) else [])):
        oracle = search(edges, n_labels)
        found, decoded = oracle.best(unary, pairs, truth), oracle.best(unary, pairs)
        own = own_scores(found, unary, edges, pairs)
        own += [f1_loss(y, z) for y, z in zip(truth, found, strict=True)]
        require_best(found, plain + losses, own)
        require_best(decoded, plain, own_scores(decoded, unary, edges, pairs))
        scores = plain + 3 * losses
        log_partition = logsumexp(scores, axis=1)
        p = np.exp(scores - log_partition[:, None])
        weights = rng_weights(len(unary))
        soft = oracle.soft(unary, pairs, weights, truth, 3.0)
        error = 1e-12 + 1e-15 * np.abs(scores).max()
        np.testing.assert_allclose(soft.log_partition, log_partition, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(soft.labels, p @ sets, atol=error)
        assert soft.loss == pytest.approx(weights @ (p * losses).sum(axis=1), abs=10 * error)


@each_seed
@each_kind
@pytest.mark.parametrize("graph", GRAPHS)
def test_the_relaxation_is_at_least_the_best_set(graph, kind, seed):
    n_labels, _ = GRAPHS[graph]
    edges, unary, pairs = made(GRAPHS[graph], kind, seed)
    search = LinearRelaxation(edges, n_labels)
    found = search.best(unary, pairs)
    labels, both = np.split(found, [n_labels], axis=1)
    assert set(np.unique(found)) <= {0, 0.5, 1}
    first, second = (labels[:, ends] for ends in edges.T)
    assert np.all(both <= np.minimum(first, second))
    assert np.all(both >= np.maximum(first + second - 1, 0))
    value = (unary * labels).sum(axis=1) + both @ pairs
    scores = scores_of(all_sets(n_labels), unary, edges, pairs)
    size = np.abs(scores).max(axis=1)
    assert np.all(value >= scores.max(axis=1) - 1e-7 * size)
    whole = np.all(labels != 0.5, axis=1)
    assert np.allclose(value[whole], scores.max(axis=1)[whole], atol=1e-7 * (1 + size.max()))
    rounded = search.rounded(unary, pairs)
    own = own_scores(rounded, unary, edges, pairs)
    assert np.all(own[whole] >= scores.max(axis=1)[whole] - 1e-7 * size[whole])


def test_frustrated_labels_are_halves():
    # Each two of three labels exclude each other by less than they are worth alone.
    edges = np.array([(0, 1), (0, 2), (1, 2)])
    unary, pairs = np.ones((1, 3)), -1.5 * np.ones(3)
    search = LinearRelaxation(edges, 3)
    np.testing.assert_array_equal(search.best(unary, pairs), [[0.5, 0.5, 0.5, 0, 0, 0]])
    assert search.rounded(unary, pairs).sum() == 1


def test_many_labels_are_searched():
    rng = np.random.default_rng(0)
    n_labels = 200
    edges = np.array([(label // 2, label) for label in range(1, n_labels)])
    unary, pairs = rng.normal(size=(50, n_labels)), rng.normal(size=n_labels - 1)
    forest = LabelForest(edges, n_labels)
    found = forest.best(unary, pairs)
    relaxed = LinearRelaxation(edges, n_labels).best(unary, pairs)  # exact on trees
    np.testing.assert_array_equal(found, relaxed[:, :n_labels])
    # The sum of all probabilities' logarithms, at a low temperature, is the largest score.
    value = forest.soft(unary * 1e4, pairs * 1e4, np.ones(50)).log_partition / 1e4
    a, b = edges.T
    np.testing.assert_allclose(
        value, (unary * found).sum(axis=1) + (found[:, a] * found[:, b]) @ pairs, rtol=1e-3
    )
