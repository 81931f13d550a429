"""The problem of ranking the documents of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import numpy as np

from structsvm.contract.problem import ScoreTerms
from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import Spans
from structsvm.data.matrices import (
    in_floats,
    require_matrix,
    row_scores,
    stacked_matrices,
    weighted_sum,
)
from structsvm.problems.by_task import ByTask
from structsvm.problems.ranking.data import Misranking, Misrankings, Queries, checked_grades, votes
from structsvm.problems.ranking.measures import Gains, MeasureName, RankingMeasure, ranking_measure
from structsvm.problems.ranking.search import up_to
from structsvm.problems.ranking.splits import Scored
from structsvm.task.task import Task

#: Number of multiplications that take as long as the search takes for a document.
WORK_OF_A_DOCUMENT = 500


@dataclass(eq=False, repr=False)
class RankingProblem(ByTask):
    r"""The problem of ranking the documents of queries, for ROC area, NDCG and other measures.

    An input is a pair (rows, relevance). The rows are the features of m documents, a matrix of
    shape (m, d), dense or CSR, and the relevance holds their grades. The true output is
    ``Misranking.none(m)``.

    A *split* divides the documents of a query into relevant and irrelevant documents. For
    'average_precision' and 'precision_at_k', the documents of a query are split only once, into the
    grades 1 and 0. For 'ndcg', the documents of a query are split at each grade except the lowest.
    If documents are split at a grade, documents of at least the grade are relevant, and documents
    of lower grades are irrelevant. For 'roc_area', a split may omit documents. For any two
    documents of different grades, exactly one split for 'roc_area' makes one document relevant and
    the other irrelevant. For a split into relevant and irrelevant documents we define

    - :math:`\Psi(x, y) - \Psi(x, \hat y) = \frac1{PN} \sum (x_i - x_j)`, where P is the number of
      relevant documents, and N of irrelevant ones. The sum is over the wrongly ordered pairs: an
      irrelevant document j ranks above a relevant document i. The ``shifts`` of a
      :class:`Misranking` hold a number for each document: the number of wrongly ordered pairs with
      the document, divided by the number of all pairs of a relevant and an irrelevant document. The
      shifts of irrelevant documents are negative. The joint feature is :math:`\Psi(x, y) = -\sum_i
      \mathit{shifts}_i x_i`, where :math:`x_i` are the features of document i.
    - The loss :math:`\Delta` is 1 minus the measure for the split into relevant and irrelevant
      documents.

    If the documents of a query are split in several ways, the loss and the joint feature of the
    query are weighted sums over the splits. The loss of a ranking is 1 minus the measure of the
    ranking. If a query has several splits into relevant and irrelevant documents, an output may
    rank the documents differently for each split. The slack with one ranking for each split is at
    least the slack with one ranking for all splits. All searches are exact and take O(m log m), or
    O(m log m + k^2) for 'ndcg' with k < m.

    If all documents of a query have the same grade, the slack of the query is 0, because no pair
    can be wrongly ordered.

    Parameters
    ----------
    measure : {'roc_area', 'ndcg', 'average_precision', 'precision_at_k'}
        The default, 'roc_area', is the fraction of correctly ordered pairs of documents of
        different grades. 'ndcg' has the discount 1 / log2(position + 1).
    k : int, optional
        For 'ndcg' and 'precision_at_k': the measure counts only the first k documents. For 'ndcg',
        all documents count by default. For 'precision_at_k', k is by default the number of relevant
        documents.
    gains : {'exponential', 'linear'}, default='exponential'
        The gain of a grade g for 'ndcg': 2^g - 1 if 'exponential', or g if 'linear'.

    References
    ----------
    Yue, Finley, Radlinski & Joachims, A Support Vector Method for Optimizing Average Precision,
    SIGIR 2007, define a joint feature twice as large as Psi, and search for average precision in
    quadratic time. Chakrabarti, Khanna, Sawant & Bhattacharyya, Structured Learning for Non-Smooth
    Ranking Losses, KDD 2008: NDCG with the joint feature of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Misranking, RankingProblem
    >>> x = np.array([[0.0, 1.0], [3.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 0])
    >>> svm = StructuredSVM(RankingProblem("ndcg")).fit([x], [Misranking.none(3)])
    >>> svm.score([x], [Misranking.none(3)])
    1.0
    """

    max_loss = 1.0
    parallelism = "threads"

    measure: MeasureName = "roc_area"
    k: int | None = None
    gains: Gains = "exponential"

    def initialize(self, X: Any, Y: Any) -> None:
        if Y is None:
            raise ValueError("RankingProblem needs the outputs Y; they are None")
        queries, truth = self.queries(X), Misrankings.of(Y)
        same = np.array_equal(truth.layout.sizes, queries.layout.sizes)
        if not same or truth.shifts.any() or truth.losses.any():
            raise ValueError("the output of an input with m documents must be Misranking.none(m)")
        if not len(queries.splits):
            raise ValueError(
                "no query has documents of different relevance; there is nothing to learn"
            )
        longest = queries.splits.longest
        if self.measure == "precision_at_k" and self.k is not None and self.k >= longest:
            raise ValueError(
                f"k={self.k}, but no query of documents of different relevance has more than "
                f"{longest} documents, so that all rankings have the same precision; choose a "
                "smaller k, or None for as many as are relevant"
            )
        rows = queries.rows
        self.size_joint_feature = rows.shape[1]
        self.work = (2 * rows.size + WORK_OF_A_DOCUMENT * rows.shape[0]) / len(queries)

    def task(self, X: Any, Y: Any = None) -> RankingTask:
        return RankingTask(self, X, Y)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return -weighted_sum(x[0], y.shifts)

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        return ScoreTerms(range(len(y.shifts)), -y.shifts, x[0], w)

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(abs(y_hat.loss - y.loss))

    def outputs(self, x: Any) -> Iterator[Any]:
        task = self.task([x])
        orders = [np.array(order) for order in permutations(range(len(x[1])))]
        weights = np.diag(task.X.weights)  # each row keeps one split only
        found = [_distinct(task.ranked(order, own)[0] for order in orders) for own in weights]
        none = Misranking.none(len(x[1]))
        return _distinct(
            Misranking(sum((y.shifts for y in chosen), none.shifts), sum(y.loss for y in chosen))
            for chosen in product(*found)
        )

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return ten queries with four or five documents of three grades."""
        rng = np.random.default_rng(0)
        X = []
        for m in 4 + np.arange(10) % 2:
            relevance = rng.integers(0, 3, size=m)
            X.append((rng.normal(size=(m, 3)) + relevance[:, None] * [1.0, 0.5, 0.0], relevance))
        return X, [Misranking.none(len(relevance)) for _, relevance in X]

    # ------------------------------------------------------------------ containers

    def queries(self, X: Any) -> Queries:
        """Pack the inputs."""
        if isinstance(X, Queries):
            return X
        measure = ranking_measure(self.measure, self.k, self.gains)
        pairs = [_checked(X[i], f"X[{i}]", measure) for i in range(len(X))]
        sizes = np.array([len(grades) for _, grades in pairs], dtype=np.intp)
        return Queries(
            stacked_matrices([rows for rows, _ in pairs]),
            np.concatenate([grades for _, grades in pairs]),
            Spans(sizes),
            measure,
        )


def _checked(x: Any, name: str, measure: RankingMeasure) -> tuple[Any, Vector]:
    """Return the rows and the grades of an input; raise a ValueError if they are unusable."""
    if not (isinstance(x, tuple) and len(x) == 2):
        raise ValueError(f"{name} must be a pair (rows, relevance); got {x!r:.60}")
    require_matrix(x[0])
    if x[0].shape[0] == 0:
        raise ValueError(f"{name} has no documents")
    name = f"the relevance of {name}"
    return in_floats(x[0]), checked_grades(name, x[1], x[0].shape[0], measure)


def _distinct(rankings: Iterator[Misranking]) -> Iterator[Misranking]:
    """Remove duplicate rankings, which have equal ``shifts`` and equal losses."""
    return iter({(y.shifts.tobytes(), y.loss): y for y in rankings}.values())


class RankingTask(Task):
    """The task of ranking: searches and sums for many queries together."""

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
        return np.asarray(np.abs(Misrankings.of(outputs).losses - self.Y.losses))

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        shifts = Misrankings.of(outputs).shifts - self.Y.shifts
        return votes(shifts, self.X.layout)[places] @ self.X.rows

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        shifts = Misrankings.of(outputs).shifts - self.Y.shifts
        return weighted_sum(self.X.rows, shifts * np.repeat(weights, self.X.layout.sizes))

    def term_sizes(self, outputs: Any, places: Sequence[int]) -> tuple[Any, Vector]:
        # The search compares the scores of all documents, as if all pairs were in the wrong order.
        which = np.asarray(places, dtype=np.intp)
        some, found = self.part(which), Misrankings.of(outputs)[which]
        scored = some._scored(np.zeros(self.size))
        worst = some._misrankings(scored, scored.others.sizes[scored.relevant.owner])
        shifts = np.abs(worst.shifts) + np.abs(found.shifts)
        return votes(shifts, some.X.layout) @ abs(some.X.rows), np.ones(some.n)

    # ------------------------------------------------------------------ documents as parts

    def part_names(self, i: int) -> list[Any]:
        """Return one range, which numbers the documents of input i."""
        return [range(self.X.layout.sizes[i])]

    def part_places(self, outputs: Any) -> list[Indices]:
        """Return the documents above the lowest grade of their query; ``outputs`` is not used."""
        grades = (self.X.relevance[self.X.layout.rows(i)] for i in range(self.n))
        return [np.flatnonzero(own > own.min()) for own in grades]

    def max_marginals(self, w: Vector) -> list[Vector]:
        """Return the scores of the documents."""
        scores = row_scores(self.X.rows, w)
        return [scores[self.X.layout.rows(i)][None] for i in range(self.n)]

    # ------------------------------------------------------------------ rankings

    def ranked(self, scores: Vector, weights: Vector) -> Misrankings:
        """Rank documents by ``scores``; ``weights`` replaces ``Queries.weights``."""
        scored = Scored(self.X.splits, scores)
        return self._misrankings(scored, scored.swapped(), weights)

    def _scored(self, w: Vector) -> Scored:
        return Scored(self.X.splits, row_scores(self.X.rows, w))

    def _misrankings(self, scored: Scored, above: Indices, weights: Any = None) -> Misrankings:
        """Convert the numbers of irrelevant documents above each relevant document to outputs."""
        queries, splits, relevant, others = self.X, self.X.splits, scored.relevant, scored.others
        weights = queries.weights if weights is None else weights
        n, pair = len(queries.relevance), weights / splits.n_pairs
        below = relevant.sizes[others.owner] - up_to(above + 1, relevant, others)
        shifts: Any = np.bincount(relevant.documents, above * pair[relevant.owner], n)
        shifts -= np.bincount(others.documents, below * pair[others.owner], n)
        of_splits = weights * queries.measure.losses(splits, above)
        losses: Any = np.bincount(splits.query, of_splits, self.n)
        return Misrankings(shifts, losses, queries.layout)
