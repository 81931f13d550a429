"""Exact inference by the scores of all label sets, for few labels and any graph over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.label_sets.losses import f1_loss_of_counts

#: Scores that are held at once, few enough to fit in a processor's cache.
CACHED = 1 << 17
#: Log of the smallest ratio of two probabilities: the exp of lower scores takes longer.
LOWEST = -80.0


class LabelSetMarginals(NamedTuple):
    """The distribution of the label sets of n examples, p(y) = exp(score(y)) / Z.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        log Z.
    labels : ndarray of shape (n, n_labels)
        The probability of each label.
    pairs : ndarray of shape (m,)
        The probability that both labels of an edge are there, summed with the examples' weights.
    loss : float
        The weighted sum of the expected F1 losses; 0 if the scores contain no loss.
    """

    log_partition: Vector
    labels: Vector
    pairs: Vector
    loss: float = 0.0


class Enumeration:
    """The largest score and the sum over all 2^n_labels label sets, in the precision of the scores.

    ``truth``, where it is given, stands for label sets whose F1 losses are added to the scores.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
    n_labels : int
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self._edges, self.work = edges, float(n_labels * 2**n_labels)
        self._sets = all_label_sets(n_labels).astype(np.float64)
        self._sizes = self._sets.sum(axis=1)

    def best(self, unary: Vector, pairs: Vector, truth: Any = None) -> Any:
        """The label set of highest score for each row of ``unary``, shape (n, n_labels)."""
        sets, of_pairs = self._in_precision_of(unary, pairs)
        places = np.empty(len(unary), dtype=np.intp)
        for rows in self._blocks(len(unary)):
            scores = unary[rows] @ sets.T + of_pairs
            if truth is not None:
                scores += self._losses(truth[rows])
            places[rows] = scores.argmax(axis=1)
        return self._sets[places].astype(np.int8)

    def soft(
        self,
        unary: Vector,
        pairs: Vector,
        weights: Vector,
        truth: Any = None,
        loss_scale: float = 1.0,
    ) -> LabelSetMarginals:
        """The distribution with these scores, to which ``loss_scale`` times the loss is added."""
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
        """The label sets, and the scores of the edges within them, in the dtype of ``unary``."""
        n_labels = self._sets.shape[1]
        weights = np.zeros((n_labels, n_labels))
        weights[tuple(self._edges.T)] = pairs
        of_pairs = np.einsum("sl,sl->s", self._sets @ weights, self._sets)
        return self._sets.astype(unary.dtype, copy=False), of_pairs.astype(unary.dtype, copy=False)

    def _losses(self, truth: Any) -> Vector:
        """The F1 loss of all label sets for each row."""
        common = truth.astype(np.float64) @ self._sets.T
        return f1_loss_of_counts(common, self._sizes + truth.sum(axis=1, keepdims=True))

    def _blocks(self, n: int) -> Iterator[slice]:
        step = max(1, CACHED // len(self._sets))
        return (slice(start, start + step) for start in range(0, n, step))


def all_label_sets(n_labels: int) -> Any:
    """All label sets, shape (2^n_labels, n_labels); the first label changes fastest."""
    return (np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1).astype(np.int8)
