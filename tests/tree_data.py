"""All dependency trees of a few words, and their scores."""

from itertools import product

import numpy as np
from scipy.special import logsumexp


def all_trees(m, single_root):
    """The heads of all trees of m words, shape (n_trees, m)."""
    return np.array([h for h in product(range(m + 1), repeat=m) if is_tree(h, single_root)])


def is_tree(heads, single_root):
    for word in range(1, len(heads) + 1):
        passed = set()
        while word:
            if word in passed:
                return False
            passed.add(word)
            word = heads[word - 1]
    return not single_root or list(heads).count(0) == 1


def tree_scores(scores, trees):
    """The scores of trees, shape (n_trees,), from those of arcs, shape (m, m + 1)."""
    return scores[np.arange(len(scores)), trees].sum(axis=-1)


def enumerated_sums(scores, trees):
    """The log-partition function and the marginals of one sentence, by its trees."""
    of_trees = tree_scores(scores, trees)
    total, found = logsumexp(of_trees), np.zeros(scores.shape)
    for p, heads in zip(np.exp(of_trees - total), trees, strict=True):
        found[np.arange(len(heads)), heads] += p
    return total, found


def drawn_scores(rng, m, kind):
    """Scores of the arcs of m words: of some scale, with ties, with few roots, or with cycles."""
    scores = rng.normal(size=(m, m + 1))
    if kind == "ties":
        return np.round(scores)
    if kind == "integers":
        return rng.integers(-9, 9, size=(m, m + 1))
    if kind == "roots":
        return scores + 5 * np.eye(1, m + 1)
    if kind == "cycles":
        return scores + 8 * (rng.random((m, m + 1)) < 0.3) - 20 * np.eye(1, m + 1)
    return kind * scores


def is_projective(heads):
    """Whether no arcs cross, those from the root included."""
    arcs = [sorted(arc) for arc in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)
