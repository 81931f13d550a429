"""Rankings of the documents of many queries: searches and sums for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import row_scores, weighted_sum
from structsvm.problems.ranking.queries import Misrankings
from structsvm.problems.ranking.scored import Scored
from structsvm.problems.ranking.search import up_to
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.ranking.problem import RankingProblem


class RankingTask(Task):
    """Queries as :class:`structsvm.problems.ranking.queries.Queries`, and their rankings."""

    def __init__(self, problem: RankingProblem, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.queries(X), None if Y is None else Misrankings.of(Y))

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(Misrankings.of(labels))

    def search(self, w: Vector) -> Any:
        scored = self._scored(w)
        return self._misrankings(scored, self.X.measure.search(scored))

    def decode(self, w: Vector) -> Any:
        scored = self._scored(w)
        return self._misrankings(scored, scored.swapped())

    def losses(self, outputs: Any) -> Vector:
        return np.abs(Misrankings.of(outputs).losses - self.Y.losses)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        shifts = Misrankings.of(outputs).shifts - self.Y.shifts
        return self.X.layout.votes(shifts)[places] @ self.X.rows

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        shifts = Misrankings.of(outputs).shifts - self.Y.shifts
        return weighted_sum(self.X.rows, shifts * np.repeat(weights, self.X.layout.sizes))

    def term_sizes(self, outputs: Any, places: Sequence[int]) -> tuple[Any, Vector]:
        # The search compares the scores of all documents: as if all pairs were in the wrong order.
        which = np.asarray(places, dtype=np.intp)
        some, found = self.part(which), Misrankings.of(outputs)[which]
        scored = some._scored(np.zeros(self.size))
        worst = some._misrankings(scored, scored.others.sizes[scored.relevant.split])
        shifts = np.abs(worst.shifts) + np.abs(found.shifts)
        return some.X.layout.votes(shifts) @ abs(some.X.rows), np.ones(some.n)

    def _scored(self, w: Vector) -> Scored:
        return Scored(self.X.splits, row_scores(self.X.rows, w), self.X.layout.sizes)

    def _misrankings(self, scored: Scored, above: Indices) -> Misrankings:
        """The outputs of rankings, given the others above each relevant document."""
        queries, splits = self.X, self.X.splits
        relevant, others = scored.relevant, scored.others
        n, pair = len(queries.relevance), queries.weights / splits.n_pairs
        below = relevant.sizes[others.split] - up_to(above + 1, relevant, others)
        shifts: Any = np.bincount(relevant.rows, above * pair[relevant.split], n)
        shifts -= np.bincount(others.rows, below * pair[others.split], n)
        of_splits = queries.weights * queries.measure.losses(splits, above)
        losses: Any = np.bincount(splits.query, of_splits, self.n)
        return Misrankings(shifts, losses, queries.layout)
