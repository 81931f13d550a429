"""Exact inference where the graph over the labels is a forest, for all examples at once.

A label set scores sum_l unary[l] over its labels, and the weight of each edge with both labels in
the set. Leaves are eliminated first: what a label adds to the score of its parent's presence is
the difference of two maxima, or of two log-sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.label_sets.enumeration import LabelSetMarginals


class LabelForest:
    """Max-product and sum-product on a forest over labels.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Pairs of labels, without a cycle; the labels need not be connected.
    n_labels : int
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self.work = float(n_labels)
        neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n_labels)]
        for number, (a, b) in enumerate(edges.tolist()):
            neighbours[a].append((b, number))
            neighbours[b].append((a, number))
        #: Labels before those below them, each with its parent and the number of their edge.
        self._order: list[tuple[int, int | None, int]] = []
        reached = set()
        for root in range(n_labels):
            tree: list[tuple[int, int | None, int]] = [] if root in reached else [(root, None, -1)]
            for label, parent, _ in tree:  # which grows
                reached.add(label)
                tree += [(other, label, e) for other, e in neighbours[label] if other != parent]
            self._order += tree

    def best(self, unary: Vector, pairs: Vector) -> Any:
        """The label set of highest score for each row of ``unary``, shape (n, n_labels)."""
        scores = self._collected(unary, pairs, lambda s: np.maximum(s, 0))
        found = np.zeros(unary.shape, dtype=np.int8)
        for label, parent, edge in self._order:
            score = scores[label]
            if parent is not None:
                score = score + pairs[edge] * found[:, parent]
            found[:, label] = score > 0
        return found

    def soft(self, unary: Vector, pairs: Vector, weights: Vector) -> LabelSetMarginals:
        """The distribution with these scores, for examples with these weights."""
        scores = self._collected(unary, pairs, _softplus)
        labels, both = np.empty(unary.shape), np.empty(len(pairs))
        for label, parent, edge in self._order:
            alone = expit(scores[label])
            if parent is None:
                labels[:, label] = alone
                continue
            together = labels[:, parent] * expit(scores[label] + pairs[edge])
            labels[:, label] = together + (1 - labels[:, parent]) * alone
            both[edge] = weights @ together
        return LabelSetMarginals(_softplus(scores).sum(axis=0), labels, both)

    def _collected(self, unary: Vector, pairs: Vector, total: Callable[[Vector], Vector]) -> Vector:
        """The score of each label's presence, with all below it, minus the score of its absence.

        Shape (n_labels, n). ``total`` is the score of both states of a label with this difference.
        """
        scores = np.array(unary.T, dtype=np.float64, order="C")
        for label, parent, edge in reversed(self._order):
            if parent is not None:
                scores[parent] += total(scores[label] + pairs[edge]) - total(scores[label])
        return scores


def _softplus(scores: Vector) -> Vector:
    return np.logaddexp(0, scores)
