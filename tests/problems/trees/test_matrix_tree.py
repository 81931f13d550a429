"""Log-partition functions and marginals against sums over all trees."""

import numpy as np
import pytest
from tree_data import all_trees, drawn_scores, enumerated_sums, tree_scores

from structsvm.problems.trees import matrix_tree
from structsvm.problems.trees.matrix_tree import tree_marginals

both = pytest.mark.parametrize("single_root", [False, True])


@both
@pytest.mark.parametrize("mu", [10.0, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize("kind", [1.0, "ties", "roots", "cycles"])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_sums_are_those_of_all_trees(m, kind, mu, single_root):
    rng = np.random.default_rng(m)
    scores = np.array([drawn_scores(rng, m, kind) for _ in range(5)]) / mu
    trees = all_trees(m, single_root)
    values, marginals = tree_marginals(scores, single_root)
    for own, value, found in zip(scores, values, marginals, strict=True):
        total, expected = enumerated_sums(own, trees)
        # Both add up the same rounded scores.
        rounding = 1e-14 * m * (1 + np.abs(own).max())
        assert value == pytest.approx(total, rel=1e-14, abs=rounding)
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
@pytest.mark.parametrize("mu", [1.0, 0.05, 1e-3])
def test_marginals_of_long_sentences_are_probabilities(mu, single_root):
    rng = np.random.default_rng(0)
    for m in (40, 100):
        scores = np.array([drawn_scores(rng, m, kind) for kind in (1.0, "roots", "cycles")]) / mu
        values, marginals = tree_marginals(scores, single_root)
        assert np.isfinite(values).all()
        assert marginals.min() >= 0 and marginals.max() <= 1
        np.testing.assert_allclose(marginals.sum(axis=2), 1, atol=1e-9)
        if single_root:
            np.testing.assert_allclose(marginals[:, :, 0].sum(axis=1), 1, atol=1e-9)


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


@both
def test_marginals_are_the_gradient(single_root):
    rng = np.random.default_rng(0)
    scores, direction = rng.normal(size=(2, 1, 20, 21))
    step = 1e-5
    ends = [tree_marginals(scores + s * direction, single_root)[0][0] for s in (-step, step)]
    _, marginals = tree_marginals(scores, single_root)
    direction[0, np.arange(20), np.arange(1, 21)] = 0
    assert (ends[1] - ends[0]) / (2 * step) == pytest.approx(float(np.vdot(marginals, direction)))
