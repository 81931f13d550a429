"""Projective trees: the best one and sums, against all of them."""

import numpy as np
import pytest
from tree_data import all_trees, drawn_scores, enumerated_sums, is_projective, is_tree, tree_scores

from structsvm.problems.trees.eisner import best_projective_trees, projective_marginals

both = pytest.mark.parametrize("single_root", [False, True])


def projective_trees(m, single_root):
    trees = all_trees(m, single_root)
    return trees[[is_projective(heads) for heads in trees.tolist()]]


@both
@pytest.mark.parametrize("kind", [1.0, 1e200, "ties", "roots", "cycles"])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_tree_is_the_best_of_all(m, kind, single_root):
    rng = np.random.default_rng(m)
    trees = projective_trees(m, single_root)
    scores = np.array([drawn_scores(rng, m, kind) for _ in range(15)], dtype=float)
    for heads, own in zip(best_projective_trees(scores, single_root), scores, strict=True):
        assert is_tree(heads.tolist(), single_root) and is_projective(heads.tolist())
        assert tree_scores(own, heads) == pytest.approx(tree_scores(own, trees).max(), rel=1e-12)


@both
@pytest.mark.parametrize("mu", [10.0, 0.05, 1e-6])
@pytest.mark.parametrize("kind", [1.0, "ties", "roots", "cycles"])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_sums_are_those_of_all_trees(m, kind, mu, single_root):
    rng = np.random.default_rng(m)
    scores = np.array([drawn_scores(rng, m, kind) for _ in range(5)]) / mu
    trees = projective_trees(m, single_root)
    values, marginals = projective_marginals(scores, single_root)
    for own, value, found in zip(scores, values, marginals, strict=True):
        total, expected = enumerated_sums(own, trees)
        rounding = 1e-14 * m * (1 + np.abs(own).max())
        assert value == pytest.approx(total, rel=1e-13, abs=rounding)
        np.testing.assert_allclose(found, expected, atol=rounding)


@both
def test_long_sentences(single_root):
    scores = np.random.default_rng(0).normal(size=(2, 60, 61)) / 0.01
    values, marginals = projective_marginals(scores, single_root)
    np.testing.assert_allclose(marginals.sum(axis=2), 1, atol=1e-9)
    assert marginals.min() >= 0 and marginals.max() <= 1
    for heads, own, value in zip(
        best_projective_trees(scores, single_root), scores, values, strict=True
    ):
        assert is_tree(heads.tolist(), single_root) and is_projective(heads.tolist())
        assert value >= tree_scores(own, heads) - 1e-9
