"""Small label sets, and what their oracles are compared with."""

from itertools import product

import numpy as np


def all_sets(n_labels):
    return np.array(list(product((0, 1), repeat=n_labels)))


def scores_of(sets, unary, edges, pairs):
    """The scores of label sets for each row of unary, shape (n, len(sets))."""
    both = np.array([sets[:, a] & sets[:, b] for a, b in edges]).reshape(-1, len(sets))
    return unary @ sets.T + pairs @ both


def f1_loss(y, z):
    """1 - F1, from its definition by precision and recall."""
    if not y.any() and not z.any():
        return 0.0
    common = (y & z).sum()
    if not common:
        return 1.0
    precision, recall = common / z.sum(), common / y.sum()
    return 1 - 2 * precision * recall / (precision + recall)
