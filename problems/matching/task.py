"""Matchings of many inputs: scores of all pairs at once, and a search in each input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from structsvm.data.arrays import Vector
from structsvm.data.matrices import weights_for
from structsvm.data.ragged import Ragged
from structsvm.problems.matching.bipartite import UNMATCHED, packed_columns
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.matching.problem import Assignment


class AssignmentTask(Task):
    """Inputs as :class:`structsvm.problems.matching.bipartite.PairRows`, columns as Ragged."""

    problem: Assignment

    def __init__(self, problem: Assignment, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.pairs(X))
        self.Y = None if Y is None else problem.matchings(Y, self.X.shapes)

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.matchings(labels, self.X.shapes))

    def search(self, w: Vector) -> Any:
        pairs, y = self.X, self.Y.values
        gains, alone = self._gains(w), y == UNMATCHED
        # A row loses 1 in every column but its true one, so in all if its true state is unmatched.
        gains[(pairs.first + y)[~alone]] -= 1
        if alone.any():
            gains += np.repeat(alone, pairs.shapes[pairs.owner, 1])
        return self._matched(gains)

    def decode(self, w: Vector) -> list[Any]:
        found = self._matched(self._gains(w))
        return [found[i] for i in range(self.n)]

    def losses(self, outputs: Any) -> Vector:
        wrong = self.Y.values != packed_columns(outputs).values
        return np.add.reduceat(wrong, self.Y.starts[:-1], dtype=np.float64) / self.Y.sizes

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        votes = self.X.votes(self.Y.values, packed_columns(outputs).values)
        return self.problem.scaled(votes[places] @ self.X.rows.values)

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        votes = self.X.votes(self.Y.values, packed_columns(outputs).values, weights)
        found = self.problem.scaled(votes @ self.X.rows.values)
        found = found.toarray() if sparse.issparse(found) else found
        return np.asarray(found.astype(np.float64).reshape(-1))

    def _gains(self, w: Vector) -> Vector:
        """The scores of all pairs, times m."""
        rows = self.X.rows.values
        gains = rows @ weights_for(rows, self.problem.weights(w))
        return np.asarray(gains.astype(np.float64, copy=False))

    def _matched(self, gains: Vector) -> Ragged:
        """The matchings of the largest sum of gains."""
        pairs, unmatched = self.X, self.problem.unmatched
        # Pairs of no gain are taken apart below, so that for the search they gain nothing.
        best = np.maximum(gains, 0) if unmatched else gains
        starts, columns = pairs.rows.starts.tolist(), []
        for start, end, (m, n) in zip(starts, starts[1:], pairs.shapes.tolist(), strict=False):
            rows, found = linear_sum_assignment(best[start:end].reshape(m, n), maximize=True)
            if m > n:  # else the rows are 0, 1, 2 ...
                partners = np.full(m, UNMATCHED)
                partners[rows] = found
                found = partners
            columns.append(found)
        y = np.concatenate(columns)
        if unmatched:
            matched = np.flatnonzero(y != UNMATCHED)
            y[matched[gains[pairs.first[matched] + y[matched]] <= 0]] = UNMATCHED
        return Ragged(y, pairs.shapes[:, 0])
