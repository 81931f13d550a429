"""Maximum spanning arborescences against all trees, and against networkx."""

import networkx
import numpy as np
import pytest
from tree_data import all_trees, drawn_scores, is_tree, tree_scores

from structsvm.problems.trees.arborescence import are_trees, best_tree, best_trees

KINDS = [1.0, 1e-200, 1e200, "ties", "integers", "roots", "cycles"]

both = pytest.mark.parametrize("single_root", [False, True])


@both
@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_trees_are_told_from_other_choices_of_heads(m, single_root):
    heads = np.stack([h.ravel() for h in np.meshgrid(*[np.arange(m + 1)] * m)], axis=1)
    expected = [is_tree(h, single_root) for h in heads.tolist()]
    assert are_trees(heads, single_root).tolist() == expected


@both
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", [1, 3, 5])
def test_the_tree_is_the_best_of_all(m, kind, single_root):
    rng = np.random.default_rng(m)
    trees = all_trees(m, single_root)
    scores = np.array([drawn_scores(rng, m, kind) for _ in range(20)])
    before = scores.copy()
    found = best_trees(scores, single_root)
    np.testing.assert_array_equal(scores, before)
    for heads, own in zip(found, scores, strict=True):
        assert is_tree(heads, single_root)
        best = tree_scores(own, trees).max()
        assert tree_scores(own, heads) == pytest.approx(best, rel=1e-12, abs=1e-300)


@both
def test_own_columns_are_ignored(single_root):
    scores = np.random.default_rng(0).normal(size=(9, 4, 5))
    others = scores.copy()
    others[:, np.arange(4), np.arange(1, 5)] = 1e3
    found = best_trees(scores, single_root)
    np.testing.assert_array_equal(best_trees(others, single_root), found)


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
