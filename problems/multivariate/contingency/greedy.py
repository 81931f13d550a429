"""A labelling of large loss plus score, for losses of the k x k contingency table."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from structsvm.problem import Indices, Vector
from structsvm.problems.multivariate.contingency.losses import (
    ClusteringLoss,
    ErrorLoss,
    contingency_table,
)
from structsvm.problems.multivariate.contingency.search import prefix_sums

#: A sweep over all pairs of clusters that gains no more than this is the last.
TOLERANCE = 1e-4


def greedy_most_violated(labels: Indices, scores: Vector, loss: Any) -> Indices:
    """A labelling y' of large loss + sum_i scores[i, y'_i], for k clusters.

    For the error it is the largest. For the others a local search: it undergenerates, but is never
    worse than y. Two clusters at a time, their rows are divided between them anew, until no pair of
    clusters gains. It starts at y, at the answer for the error, and with all rows in the cluster of
    the largest sum of scores, and returns the best of the three ends. One sweep over all pairs is
    O(k n log n).

    Parameters
    ----------
    labels : ndarray of int, of shape (n,)
        y, in 0..k - 1; n >= 2.
    scores : ndarray of shape (n, k)
    loss : ErrorLoss or ClusteringLoss
        From ``table_loss``, by a name.

    Returns
    -------
    ndarray of int, of shape (n,)

    Raises
    ------
    ValueError
        The loss is of (a, b, c, d) alone.
    """
    if not isinstance(loss, (ErrorLoss, ClusteringLoss)):
        raise ValueError(
            "the loss must be that of table_loss for 'nmi', 'rand', 'f' or 'error'; got "
            f"{loss!r}, which is defined for two clusters only"
        )
    most_mistaken = _most_mistaken(labels, scores)
    if isinstance(loss, ErrorLoss):
        return most_mistaken
    search = _Search(labels, scores, loss)
    together = np.full_like(labels, scores.sum(axis=0).argmax())
    ends = map(search.ascend, (labels, most_mistaken, together))
    return max(ends, key=search.value).copy()


def _most_mistaken(labels: Indices, scores: Vector) -> Indices:
    """The labelling of largest error plus score, y itself unless another is better."""
    rows = np.arange(len(labels))
    values = scores + 1 / len(labels)
    values[rows, labels] = scores[rows, labels]
    best = values.argmax(axis=1)
    return np.where(values[rows, best] > values[rows, labels], best, labels)


class _Search:
    """The ascent from a labelling, two clusters at a time."""

    def __init__(self, labels: Indices, scores: Vector, loss: ClusteringLoss) -> None:
        n, self.n_clusters = scores.shape
        self.labels, self.scores, self.loss = labels, scores, loss
        self.phi = loss.phi(np.arange(n + 1), n)
        self.columns = self.phi[np.bincount(labels)].sum()

    def value(self, predicted: Indices) -> float:
        """The loss plus the scores."""
        scores = self.scores[np.arange(len(predicted)), predicted]
        return self.loss.of_table(self._table(predicted)) + float(scores.sum())

    def ascend(self, predicted: Indices) -> Indices:
        """The labelling that sweeps over all pairs of clusters end at."""
        value, before = self.value(predicted), -np.inf
        while value > before + TOLERANCE:
            before = value
            for pair in combinations(range(self.n_clusters), 2):
                divided = self._divided(predicted, *pair)
                if (improved := self.value(divided)) > value:
                    predicted, value = divided, improved
        return predicted

    def _divided(self, predicted: Indices, first: int, second: int) -> Indices:
        """The rows of two clusters divided between them anew.

        The sum over the cells adds up functions of how many rows of each label the first cluster
        gets, all convex. So if the slope of the loss in it stayed what it is now, the best division
        for any size of the first cluster would be that which takes, one by one, the row that adds
        most to the objective. All sizes of this division are compared, with the loss itself.
        """
        table = self._table(predicted)
        slope = self.loss.slope(self.phi[table.sum(axis=1)].sum(), self.columns)
        rows, gains, growth = self._ranked(predicted, first, second)
        order = np.argsort(slope * growth - gains, kind="stable")
        sizes = np.arange(len(rows) + 1)
        table[second] += table[first]
        cells = self.phi[np.delete(table, first, axis=0)].sum() + prefix_sums(growth[order])
        others = self.phi[np.delete(table, (first, second), axis=0).sum(axis=1)].sum()
        sums = cells, others + self.phi[sizes] + self.phi[sizes[::-1]], self.columns
        values = self.loss.of_sums(*sums) + prefix_sums(gains[order])
        divided = predicted.copy()
        divided[rows] = second
        divided[rows[order[: values.argmax()]]] = first
        return divided

    def _ranked(
        self, predicted: Indices, first: int, second: int
    ) -> tuple[Indices, Vector, Vector]:
        """The rows of two clusters by label, those first that gain most from the first cluster.

        With what they gain, and what the sum over the cells grows by when one after the other they
        move from the second cluster to the first.
        """
        rows = np.flatnonzero((predicted == first) | (predicted == second))
        gains = self.scores[rows, first] - self.scores[rows, second]
        order = np.lexsort((-gains, self.labels[rows]))
        rows, gains = rows[order], gains[order]
        counts = np.bincount(self.labels[rows])
        moved = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        left = np.repeat(counts, counts) - moved
        step = np.diff(self.phi)
        return rows, gains, step[moved] - step[left - 1]

    def _table(self, predicted: Indices) -> Indices:
        return contingency_table(self.labels, predicted, self.n_clusters)
