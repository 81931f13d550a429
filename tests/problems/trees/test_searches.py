"""The best tree and sums over trees, against all of them and networkx."""

import networkx
import numpy as np
import pytest
from tree_data import all_trees, drawn_scores, enumerated_sums, is_projective, is_tree, tree_scores

from structsvm.problems.trees import matrix_tree
from structsvm.problems.trees.arborescence import (
    are_trees,
    best_tree,
    best_trees,
    tree_max_marginals,
)
from structsvm.problems.trees.eisner import (
    best_projective_trees,
    projective_marginals,
    projective_max_marginals,
)
from structsvm.problems.trees.matrix_tree import tree_marginals

KINDS = [1.0, 1e-200, 1e200, "ties", "integers", "roots", "cycles"]

both = pytest.mark.parametrize("single_root", [False, True])


@both
@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_trees_are_told_from_other_choices_of_heads(m, single_root):
    heads = np.stack([h.ravel() for h in np.meshgrid(*[np.arange(m + 1)] * m)], axis=1)
    expected = [is_tree(h, single_root) for h in heads.tolist()]
    assert are_trees(heads, single_root).tolist() == expected


def trees_of(m, single_root, projective):
    trees = all_trees(m, single_root)
    return trees[[is_projective(heads) for heads in trees.tolist()]] if projective else trees


@both
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", [1, 3, 5])
def test_the_tree_is_the_best_of_all(m, kind, projective, single_root):
    rng = np.random.default_rng(m)
    trees = trees_of(m, single_root, projective)
    scores = np.array([drawn_scores(rng, m, kind) for _ in range(15)], dtype=float)
    before = scores.copy()
    found = (best_projective_trees if projective else best_trees)(scores, single_root)
    np.testing.assert_array_equal(scores, before)
    for heads, own in zip(found, scores, strict=True):
        assert is_tree(heads, single_root) and (is_projective(heads.tolist()) or not projective)
        best = tree_scores(own, trees).max()
        assert tree_scores(own, heads) == pytest.approx(best, rel=1e-12, abs=1e-300)


@both
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_best_with_each_arc_are_of_all_trees(m, kind, projective, single_root):
    rng = np.random.default_rng(m)
    trees = trees_of(m, single_root, projective)
    scores = np.array([drawn_scores(rng, m, kind) for _ in range(5)], dtype=float)
    found = (projective_max_marginals if projective else tree_max_marginals)(scores, single_root)
    for own, table in zip(scores, found, strict=True):
        best, totals = np.full(own.shape, -np.inf), tree_scores(own, trees)
        for heads, total in zip(trees, totals - totals.max(), strict=True):
            best[np.arange(m), heads] = np.maximum(best[np.arange(m), heads], total)
        np.testing.assert_allclose(table, best, rtol=0, atol=1e-12 * m * np.nanmax(np.abs(own)))


@both
@pytest.mark.parametrize("projective", [False, True])
def test_the_best_with_an_arc_is_the_tree_without_its_rivals(projective, single_root):
    scores = np.random.default_rng(0).normal(size=(1, 25, 26))
    best = best_projective_trees if projective else best_trees
    (table,) = (projective_max_marginals if projective else tree_max_marginals)(scores, single_root)
    top = tree_scores(scores[0], best(scores, single_root)[0])
    for word, head in [(0, 5), (3, 0), (12, 25), (24, 24)]:
        own = scores.copy()
        own[0, word, np.arange(26) != head] = -np.inf
        tree = best(own, single_root)[0]
        assert tree[word] == head
        assert tree_scores(scores[0], tree) - top == pytest.approx(table[word, head])


@both
def test_forbidden_arcs_are_left_out(single_root):
    rng = np.random.default_rng(0)
    trees = all_trees(4, single_root)
    for _ in range(30):
        scores = rng.normal(size=(4, 5))
        scores[rng.random((4, 5)) < 0.3] = -np.inf
        best = tree_scores(scores, trees).max()
        if np.isfinite(best):
            found = best_tree(scores, single_root)
            assert tree_scores(scores, found) == pytest.approx(best)


@pytest.mark.parametrize("m", [7, 12, 30])
def test_the_tree_is_that_of_networkx(m):
    rng = np.random.default_rng(m)
    for kind in (1.0, "roots", "cycles"):
        scores = drawn_scores(rng, m, kind)
        graph = networkx.DiGraph()
        for j in range(1, m + 1):
            graph.add_weighted_edges_from((i, j, scores[j - 1, i]) for i in range(m + 1) if i != j)
        tree = networkx.maximum_spanning_arborescence(graph)
        assert tree.size("weight") == pytest.approx(tree_scores(scores, best_tree(scores, False)))


@pytest.mark.parametrize("m", [12, 30])
def test_the_single_root_is_the_best_root(m):
    """With the root's arcs left to one word, networkx finds the best tree for each root."""
    rng = np.random.default_rng(m)
    scores = drawn_scores(rng, m, "roots" if m == 12 else "cycles")
    values = []
    for root in range(m):
        only = scores.copy()
        only[np.arange(m) != root, 0] = -np.inf
        values.append(tree_scores(scores, best_tree(only, False)))
    found = best_tree(scores, True)
    assert is_tree(found.tolist(), True)
    assert tree_scores(scores, found) == pytest.approx(max(values))


@pytest.mark.parametrize("m", [12, 300, pytest.param(1100, marks=pytest.mark.slow)])
def test_cycles_within_cycles_are_followed_however_deep(m):
    """Each word forms a cycle with the one node that all words before it have become."""
    words = np.arange(1, m + 1)
    scores = -np.maximum.outer(words, np.arange(m + 1)).astype(float)
    scores[:, 0] = -10 * m - words
    best = np.r_[0, np.ones(m - 1, dtype=int)]  # the first word heads all others
    found = best_tree(scores, False)
    assert are_trees(found[None], True)
    assert tree_scores(scores, found) == tree_scores(scores, best)


def test_numbers_that_are_no_numbers_do_not_loop_forever():
    for bad in (np.nan, np.inf, -np.inf):
        scores = np.random.default_rng(0).normal(size=(6, 7))
        scores[1:4, 2:] = bad
        assert best_tree(scores, True).shape == (6,)


@both
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("mu", [10.0, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize("kind", [1.0, "ties", "roots", "cycles"])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_sums_are_those_of_all_trees(m, kind, mu, projective, single_root):
    rng = np.random.default_rng(m)
    scores = np.array([drawn_scores(rng, m, kind) for _ in range(5)]) / mu
    trees = trees_of(m, single_root, projective)
    marginals_of = projective_marginals if projective else tree_marginals
    values, marginals = marginals_of(scores, single_root)
    for own, value, found in zip(scores, values, marginals, strict=True):
        total, expected = enumerated_sums(own, trees)
        # Both add up the same rounded scores.
        rounding = 1e-14 * m * (1 + np.abs(own).max())
        assert value == pytest.approx(total, rel=1e-13, abs=rounding)
        np.testing.assert_allclose(found, expected, atol=rounding)


def test_derivatives_may_overflow_where_weights_underflow():
    rows = [[630, 460, 30, 310, -890], [620, -510, -300, 70, 320]]
    rows += [[-350, -840, 460, 810, 130], [-780, -110, 40, 320, -230]]
    scores = np.array([rows], dtype=float)
    values, marginals = tree_marginals(scores, single_root=True)
    total, expected = enumerated_sums(scores[0], all_trees(4, True))
    assert values[0] == pytest.approx(total)
    np.testing.assert_allclose(marginals[0], expected, atol=1e-12)


@both
@pytest.mark.parametrize("scale", [0.1, 5.0, 40.0])
def test_logarithms_agree_with_weights(scale, single_root, monkeypatch):
    scores = scale * np.random.default_rng(0).normal(size=(30, 12, 13))
    values, marginals = tree_marginals(scores, single_root)
    monkeypatch.setattr(matrix_tree, "LOWEST", np.inf)
    assert tree_marginals(scores, single_root)[0] == pytest.approx(values, rel=1e-12)
    np.testing.assert_allclose(tree_marginals(scores, single_root)[1], marginals, atol=1e-12)


@both
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("mu", [1.0, 0.05, 1e-3])
def test_marginals_of_long_sentences_are_probabilities(mu, projective, single_root):
    rng, m = np.random.default_rng(0), 60 if projective else 100
    scores = np.array([drawn_scores(rng, m, kind) for kind in (1.0, "roots", "cycles")]) / mu
    marginals_of = projective_marginals if projective else tree_marginals
    values, marginals = marginals_of(scores, single_root)
    assert marginals.min() >= 0 and marginals.max() <= 1
    np.testing.assert_allclose(marginals.sum(axis=2), 1, atol=1e-9)
    if single_root:
        np.testing.assert_allclose(marginals[:, :, 0].sum(axis=1), 1, atol=1e-9)
    best = (best_projective_trees if projective else best_trees)(scores, single_root)
    for heads, own, value in zip(best, scores, values, strict=True):
        assert is_tree(heads.tolist(), single_root)
        assert is_projective(heads.tolist()) or not projective
        assert np.isfinite(value) and value >= tree_scores(own, heads) - 1e-13 * abs(value) - 1e-9


@both
def test_trees_without_scores_are_counted(single_root):
    for m in (1, 2, 5, 30):
        values, marginals = tree_marginals(np.zeros((1, m, m + 1)), single_root)
        # Cayley's formula, also for trees of the words alone, of which each may be the root.
        count = (m - 1) * np.log(m if single_root else m + 1)
        assert values[0] == pytest.approx(count, rel=1e-13, abs=1e-13)
        np.testing.assert_allclose(marginals[0, :, 0].sum() >= 1 - 1e-12, True)


def test_forbidden_arcs_have_no_probability():
    rng = np.random.default_rng(0)
    trees = all_trees(4, False)
    for _ in range(30):
        scores = rng.normal(size=(4, 5))
        scores[rng.random((4, 5)) < 0.2] = -np.inf
        if np.isfinite(tree_scores(scores, trees)).any():
            total, expected = enumerated_sums(scores, trees)
            values, marginals = tree_marginals(scores[None], False)
            assert values[0] == pytest.approx(total)
            np.testing.assert_allclose(marginals[0], expected, atol=1e-14)
