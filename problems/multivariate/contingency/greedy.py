"""Approximate separation oracle for losses of the k x k contingency table: local search."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.multivariate.contingency.losses import (
    ClusteringLoss,
    ErrorLoss,
    contingency_table,
)
from structsvm.problems.multivariate.contingency.search import prefix_sums

#: The search ends when a sweep over all pairs of clusters gains less than this, in units of the
#: loss.
TOLERANCE = 1e-4


def greedy_most_violated(labels: Indices, scores: Vector, loss: Any) -> Indices:
    """Return a labelling y' of large loss + sum_i scores[i, y'_i], for k clusters.

    For ErrorLoss, the labelling maximises the objective. For losses other than the error, the
    labelling comes from a local search, which undergenerates but is never worse than y. The search
    redistributes the rows of two clusters between them, for one pair of clusters after another,
    until no redistribution improves the objective. The search starts from three labellings: y, the
    labelling that is best for ErrorLoss, and the labelling that puts all rows into the cluster with
    the largest sum of scores. Of the local optima found from all initial labellings, the function
    returns the best. One sweep over all pairs of clusters takes O(k n log n) time.

    Parameters
    ----------
    labels : ndarray of int, of shape (n,)
        The labels y of at least 2 rows, from 0 to k - 1.
    scores : ndarray of shape (n, k)
    loss : ErrorLoss or ClusteringLoss

    Returns
    -------
    ndarray of int, of shape (n,)
    """
    most_mistaken = _most_mistaken(labels, scores)
    if isinstance(loss, ErrorLoss):
        return most_mistaken
    search = _CoordinateAscent(labels, scores, loss)
    together = np.full_like(labels, scores.sum(axis=0).argmax())
    ends = map(search.ascend, (labels, most_mistaken, together))
    # Copy the result, since the search may return the labels themselves.
    return max(ends, key=search.value).copy()


def _most_mistaken(labels: Indices, scores: Vector) -> Indices:
    """Return the labelling of largest error plus score, or y unless another labelling is better."""
    rows = np.arange(len(labels))
    values = scores + 1 / len(labels)
    # A row with another label adds 1 / n to the error; a row that keeps its label adds nothing.
    values[rows, labels] = scores[rows, labels]
    best = values.argmax(axis=1)
    return np.where(values[rows, best] > values[rows, labels], best, labels)


class _CoordinateAscent:
    """Coordinate ascent on loss plus score, two clusters at a time."""

    def __init__(self, labels: Indices, scores: Vector, loss: ClusteringLoss) -> None:
        n, self.n_clusters = scores.shape
        self.labels, self.scores, self.loss = labels, scores, loss
        self.phi = loss.phi(np.arange(n + 1), n)
        self.columns = self.phi[np.bincount(labels)].sum()

    def value(self, predicted: Indices) -> float:
        """Return the loss plus the sum of the scores."""
        scores = self.scores[np.arange(len(predicted)), predicted]
        return self.loss.of_table(self._table(predicted)) + float(scores.sum())

    def ascend(self, predicted: Indices) -> Indices:
        """Improve a labelling by sweeps over all pairs of clusters; return the local optimum."""
        value, before = self.value(predicted), -np.inf
        while value > before + TOLERANCE:
            before = value
            for pair in combinations(range(self.n_clusters), 2):
                divided = self._divided(predicted, *pair)
                if (improved := self.value(divided)) > value:
                    predicted, value = divided, improved
        return predicted

    def _divided(self, predicted: Indices, first: int, second: int) -> Indices:
        """Redistribute the rows of two clusters between the two clusters.

        At first, all rows are in the cluster ``second``. The rows move to the cluster ``first`` one
        after the other, in an order computed from a linear approximation of the loss. The objective
        is computed after each move, and the best division is returned.
        """
        table = self._table(predicted)
        slope = self.loss.slope(self.phi[table.sum(axis=1)].sum(), self.columns)
        rows, gains, growth = self._ranked(predicted, first, second)
        order = np.argsort(slope * growth - gains, kind="stable")
        sizes = np.arange(len(rows) + 1)
        # At first all rows are in the second cluster; the greedy order moves them to the first.
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
        """Sort the rows of two clusters by label, and rows of the same label by decreasing gain.

        The first returned array holds the sorted rows. The second returned array holds the gains:
        the increase of each row's score when the row moves to the cluster ``first``. The third
        returned array holds the increase of the sum of ``phi`` over the contingency table when a
        row moves.
        """
        rows = np.flatnonzero((predicted == first) | (predicted == second))
        gains = self.scores[rows, first] - self.scores[rows, second]
        order = np.lexsort((-gains, self.labels[rows]))
        rows, gains = rows[order], gains[order]
        counts = np.bincount(self.labels[rows])
        moved = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        left = np.repeat(counts, counts) - moved
        step = np.diff(self.phi)
        # Within a label the growth rises, since phi is convex, and the gains fall. So the greedy
        # order keeps the order within a label, for which the growth is computed.
        return rows, gains, step[moved] - step[left - 1]

    def _table(self, predicted: Indices) -> Indices:
        return contingency_table(self.labels, predicted, self.n_clusters)
