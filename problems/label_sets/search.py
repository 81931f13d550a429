"""Inference over label sets of all examples: by enumeration, on forests, and by cuts.

``unary`` of shape (n, n_labels) holds the score of each label. ``pairs`` of shape (m,) holds the
score of each edge, which counts if both labels are in the set. On a forest, dynamic programming
starts at the leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.graphs.inference.cut import disagreements
from structsvm.problems.graphs.inference.moves import locally_improved
from structsvm.problems.graphs.inference.relaxation import relaxed, roof_dual
from structsvm.problems.label_sets.data import f1_loss_of_counts

#: Largest number of scores in a block, few enough to fit in a processor's cache.
CACHED = 1 << 17
#: Logarithm of the smallest ratio of two probabilities: the exp of lower scores takes longer.
LOWEST = -80.0
#: Number of multiplications that take as long as the flow of an example, per label or edge.
FLOW = 1000.0


class LabelSetMarginals(NamedTuple):
    """Marginals of the label sets of n examples, with probabilities p(y) = exp(score(y)) / Z.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        log Z for each example.
    labels : ndarray of shape (n, n_labels)
        The probability of each label.
    pairs : ndarray of shape (m,)
        The probability that a set has both labels of an edge, summed over the examples with their
        weights.
    loss : float
        The weighted sum of the expected F1 losses; 0 if the scores contain no F1 loss.
    """

    log_partition: Vector
    labels: Vector
    pairs: Vector
    loss: float = 0.0


class Enumeration:
    """Maxima and sums over all 2^n_labels label sets, in the precision of the scores.

    If ``truth`` holds the true label sets, the F1 losses of all sets are added to the scores.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Pairs of labels.
    n_labels : int
        Number of labels.
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self._edges, self.work = edges, float(n_labels * 2**n_labels)
        self._sets = all_label_sets(n_labels).astype(np.float64)
        self._sizes = self._sets.sum(axis=1)

    def best(self, unary: Vector, pairs: Vector, truth: Any = None) -> Any:
        """Return the label set of highest score for each row of ``unary``, shape (n, n_labels)."""
        sets, of_pairs = self._in_precision_of(unary, pairs)
        places = np.empty(len(unary), dtype=np.intp)
        for rows in self._blocks(len(unary)):
            scores = unary[rows] @ sets.T + of_pairs
            if truth is not None:
                scores += self._losses(truth[rows])
            places[rows] = scores.argmax(axis=1)
        return self._sets[places].astype(np.int8)

    def gains(self, unary: Vector, pairs: Vector) -> Vector:
        """Return how much each label raises the best score, shape (n, n_labels).

        The gain of a label is the best score of a set with the label, minus the best score of a set
        without the label.
        """
        sets, of_pairs = self._in_precision_of(unary, pairs)
        gains = np.empty_like(unary)
        for rows in self._blocks(len(unary)):
            best = unary[rows] @ sets.T + of_pairs
            for label in reversed(range(unary.shape[1])):
                # All later labels have been maximised over, so this label changes slowest.
                halves = best.reshape(len(best), 2, -1)
                without, present = halves.max(axis=2).T
                gains[rows, label], best = present - without, halves.max(axis=1)
        return gains

    def soft(
        self,
        unary: Vector,
        pairs: Vector,
        weights: Vector,
        truth: Any = None,
        loss_scale: float = 1.0,
    ) -> LabelSetMarginals:
        """Return marginals for probabilities proportional to exp(score + loss_scale * loss)."""
        sets, of_pairs = self._in_precision_of(unary, pairs)
        frequency = np.zeros(len(sets))
        log_partition, labels, loss = np.empty(len(unary)), np.empty(unary.shape), 0.0
        for rows in self._blocks(len(unary)):
            scores = unary[rows] @ sets.T + of_pairs
            if truth is not None:
                losses = self._losses(truth[rows])
                scores += loss_scale * losses
            largest = scores.max(axis=1, keepdims=True)
            scores -= largest
            np.maximum(scores, LOWEST, out=scores)
            p = np.exp(scores, out=scores)
            total = p.sum(axis=1, keepdims=True)
            log_partition[rows] = (np.log(total) + largest)[:, 0]
            labels[rows] = p @ sets / total
            share = weights[rows] / total[:, 0]
            frequency += share.astype(p.dtype) @ p
            if truth is not None:
                loss += float(share @ np.sum(p * losses, axis=1))
        moments = self._sets.T @ (frequency[:, None] * self._sets)
        a, b = self._edges.T
        return LabelSetMarginals(log_partition, labels, moments[a, b], loss)

    def _in_precision_of(self, unary: Vector, pairs: Vector) -> tuple[Any, Any]:
        """Return all label sets and the scores of their edges, in the dtype of ``unary``."""
        n_labels = self._sets.shape[1]
        weights = np.zeros((n_labels, n_labels))
        weights[tuple(self._edges.T)] = pairs
        of_pairs = np.einsum("sl,sl->s", self._sets @ weights, self._sets)
        return self._sets.astype(unary.dtype, copy=False), of_pairs.astype(unary.dtype, copy=False)

    def _losses(self, truth: Any) -> Vector:
        """Return the F1 loss of all label sets for each row of ``truth``."""
        common = truth.astype(np.float64) @ self._sets.T
        return f1_loss_of_counts(common, self._sizes + truth.sum(axis=1, keepdims=True))

    def _blocks(self, n: int) -> Iterator[slice]:
        step = max(1, CACHED // len(self._sets))
        return (slice(start, start + step) for start in range(0, n, step))


def all_label_sets(n_labels: int) -> Any:
    """Return all label sets, shape (2^n_labels, n_labels); the first label changes fastest."""
    return (np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1).astype(np.int8)


class LabelForest:
    """Max-product and sum-product on a forest over labels.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Pairs of labels that form no cycle; the labels need not be connected.
    n_labels : int
        Number of labels.
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self.work = float(n_labels)
        neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n_labels)]
        for number, (a, b) in enumerate(edges.tolist()):
            neighbours[a].append((b, number))
            neighbours[b].append((a, number))
        #: Each label with its parent and the index of the edge between them; parents come first.
        self._order: list[tuple[int, int | None, int]] = []
        reached = set()
        for root in range(n_labels):
            tree: list[tuple[int, int | None, int]] = [] if root in reached else [(root, None, -1)]
            for label, parent, _ in tree:  # the list grows in the loop
                reached.add(label)
                tree += [(other, label, e) for other, e in neighbours[label] if other != parent]
            self._order += tree

    def best(self, unary: Vector, pairs: Vector) -> Any:
        """Return the label set of highest score for each row of ``unary``, shape (n, n_labels)."""
        scores = self._collected(unary, pairs, _positive)
        found = np.zeros(unary.shape, dtype=np.int8)
        for label, parent, edge in self._order:
            score = scores[label]
            if parent is not None:
                score = score + pairs[edge] * found[:, parent]
            found[:, label] = score > 0
        return found

    def gains(self, unary: Vector, pairs: Vector) -> Vector:
        """Return the gain of each label, shape (n, n_labels).

        The gain of a label is the best score of a set with the label, minus the best score of a set
        without the label.
        """
        below = self._collected(unary, pairs, _positive)
        gains = below.copy()
        for label, parent, edge in self._order:
            if parent is not None:
                own = below[label]
                others = gains[parent] - (_positive(own + pairs[edge]) - _positive(own))
                gains[label] += _positive(others + pairs[edge]) - _positive(others)
        return gains.T

    def soft(self, unary: Vector, pairs: Vector, weights: Vector) -> LabelSetMarginals:
        """Return marginals for probabilities of label sets proportional to exp(score)."""
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
        """Return the score with each label minus the score without it, (n_labels, n).

        The scores include all labels below the label in the tree. For the difference s of the
        scores with and without a label, ``total(s)`` is max(0, s) or log(1 + exp(s)).
        """
        scores = np.array(unary.T, dtype=np.float64, order="C")
        for label, parent, edge in reversed(self._order):
            if parent is not None:
                scores[parent] += total(scores[label] + pairs[edge]) - total(scores[label])
        return scores


def _positive(scores: Vector) -> Vector:
    return np.maximum(scores, 0)


def _softplus(scores: Vector) -> Vector:
    return np.logaddexp(0, scores)


class Cut:
    """Search for label sets of highest score by minimum cuts; no edge may have a negative score.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Pairs of labels.
    n_labels : int
        Number of labels.
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self._edges, self.work = edges, float(n_labels + len(edges)) * FLOW

    def best(self, unary: Vector, pairs: Vector) -> Any:
        """Return the label set of highest score for each row of ``unary``, shape (n, n_labels)."""
        nodes, joined, tables = union(unary, self._edges, pairs)
        linear, capacities = disagreements(nodes, joined, tables)
        part = np.repeat(np.arange(len(unary)), unary.shape[1])
        found = roof_dual(linear, joined, np.maximum(capacities, 0), part)
        return found.reshape(unary.shape).astype(np.int8)


class LinearRelaxation:
    """Search for label sets, and the edges within them, by the linear relaxation.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Pairs of labels.
    n_labels : int
        Number of labels.
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self._edges, self.work = edges, float(n_labels + len(edges)) * FLOW

    def best(self, unary: Vector, pairs: Vector) -> Vector:
        """Return the value 0, 1/2 or 1 of each label and edge, shape (n, n_labels + m)."""
        found = relaxed(*union(unary, self._edges, pairs))
        labels, both = found.nodes[:, 1], found.edges[:, 1, 1]
        return np.hstack([labels.reshape(unary.shape), both.reshape(len(unary), -1)])

    def rounded(self, unary: Vector, pairs: Vector) -> Any:
        """Round the relaxation, and change single labels until no change raises the score."""
        start = self.best(unary, pairs)[:, : unary.shape[1]] > 0.5
        graph = union(unary, self._edges, pairs)
        found = locally_improved(*graph, start.ravel().astype(np.intp))
        return found.reshape(unary.shape).astype(np.int8)


def union(unary: Vector, edges: Indices, pairs: Vector) -> tuple[Vector, Indices, Vector]:
    """Join the graphs of all examples; return node scores, edges and edge scores."""
    n, n_labels = unary.shape
    nodes = np.zeros((n * n_labels, 2))
    nodes[:, 1] = unary.ravel()
    joined = edges + n_labels * np.arange(n)[:, None, None]
    tables = np.zeros((n, len(edges), 2, 2))
    tables[:, :, 1, 1] = pairs
    return nodes, joined.reshape(-1, 2), tables.reshape(-1, 2, 2)
