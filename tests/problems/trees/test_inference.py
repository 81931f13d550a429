"""Trees of sentences of different lengths at once, against one at a time."""

import numpy as np
import pytest

from structsvm.problems.trees.arborescence import best_tree
from structsvm.problems.trees.data import ArcLayout
from structsvm.problems.trees.matrix_tree import tree_marginals
from structsvm.problems.trees.problem import arc_marginals, best_heads


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_sentences_at_once_are_those_one_by_one(scale, single_root):
    layout = ArcLayout(np.array([1, 17, 2, 33, 18, 1, 35, 2, 9]))
    scores = scale * np.random.default_rng(0).normal(size=layout.n_arcs)
    heads = best_heads(scores, layout, single_root)
    values, p = arc_marginals(scores, layout, single_root)
    for i, m in enumerate(layout.sizes.tolist()):
        own = scores[layout.arcs.rows(i)].reshape(1, m, m + 1)
        assert heads[layout.rows(i)].tolist() == best_tree(own[0], single_root).tolist()
        value, marginals = tree_marginals(own, single_root)
        assert values[i] == pytest.approx(value[0], rel=1e-13)
        np.testing.assert_allclose(p[layout.arcs.rows(i)], marginals.ravel(), atol=1e-12)
