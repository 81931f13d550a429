"""Best trees, and sums over trees, for sentences of any lengths at once."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.trees.arborescence import best_trees
from structsvm.problems.trees.arcs import ArcLayout
from structsvm.problems.trees.eisner import best_projective_trees, projective_marginals
from structsvm.problems.trees.matrix_tree import tree_marginals


def best_heads(
    scores: Vector, layout: ArcLayout, single_root: bool, projective: bool = False
) -> Indices:
    """The heads of all words in the trees of highest score; ``scores`` has a number per arc."""
    heads = np.empty(layout.n_words, dtype=np.intp)
    best = best_projective_trees if projective else best_trees
    for group in layout.by_length:
        words = layout.words.rows_of(group.sentences)
        heads[words] = best(group.array(scores), single_root).ravel()
    return heads


def arc_marginals(
    scores: Vector, layout: ArcLayout, single_root: bool, projective: bool = False
) -> tuple[Vector, Vector]:
    """The log-partition function of each sentence, and the probabilities of all arcs."""
    marginals_of = projective_marginals if projective else tree_marginals
    log_partition, p = np.empty(len(layout.lengths)), np.empty(layout.n_arcs)
    for group in layout.by_length if projective else layout.by_size:
        array = group.array(scores)
        # Words beyond the last have one head, the first word: that changes no sum.
        array[np.arange(array.shape[1]) >= layout.lengths[group.sentences][:, None], 1] = 0
        log_partition[group.sentences], marginals = marginals_of(array, single_root)
        p[group.arcs] = marginals[group.inside]
    return log_partition, p
