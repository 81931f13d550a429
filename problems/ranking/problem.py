"""Rankings of the documents of queries as a structured problem."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.matrices import (
    in_floats,
    require_matrix,
    stacked_matrices,
    weighted_sum,
)
from structsvm.problems.by_task import ByTask
from structsvm.problems.ranking.checks import checked_grades
from structsvm.problems.ranking.measures import Gains, MeasureName, RankingMeasure, ranking_measure
from structsvm.problems.ranking.queries import Misranking, Misrankings, Queries, QueryLayout
from structsvm.problems.ranking.task import RankingTask

#: Multiplications that take as long as the search for a document.
WORK_OF_A_DOCUMENT = 500


class RankingProblem(ByTask):
    r"""Rankings of the documents of queries, by pairs in order, NDCG and other measures.

    An input is a pair (rows, relevance): the features of m documents, a matrix of shape (m, d),
    dense or CSR, and their grades. Its output is ``Misranking.none(m)``.

    A *split* divides documents into relevant and other ones. For 'average_precision' and
    'precision_at_k', whose grades are 0 and 1, a query has one. For 'ndcg' there is a split for
    each grade but the lowest: documents of this and higher grades are relevant, documents of lower
    grades are the others. For 'roc_area' each pair of documents of different grades is divided by
    exactly one split.
    With P relevant documents and N others

    - :math:`\Psi(x, y) - \Psi(x, \hat y) = \frac1{PN} \sum (x_i - x_j)`, where the sum is over the
      pairs of a relevant document i and another j above it; in a :class:`Misranking` the ``shifts``
      count them, positive for relevant documents and negative for others, and
      :math:`\Psi(x, y) = -\sum_i \mathit{shifts}_i x_i`.
    - :math:`\Delta` is 1 - the measure of the split.

    The loss of a query with several splits is a weighted sum of theirs, and so is its joint
    feature; the weights make it 1 - the measure of the query. An output may rank the
    documents differently for each split, so that the slack is an upper bound on the slack of a
    single ranking; with one split both are the same. All searches are exact and take
    O(m log m); with 'ndcg', where k < m, O(m log m + k^2).

    A query whose documents all have the same relevance has no split, and its slack is 0.

    Parameters
    ----------
    measure : {'roc_area', 'ndcg', 'average_precision', 'precision_at_k'}
        Default: 'roc_area', the fraction of pairs of documents of different grades that are in the
        right order. 'ndcg' has the discount 1 / log2(position + 1).
    k : int, optional
        The number of documents at the top that count, for 'ndcg' and 'precision_at_k'. Default: all
        for 'ndcg'; for 'precision_at_k' as many as are relevant.
    gains : {'exponential', 'linear'}, default='exponential'
        For 'ndcg': the gain of a grade g is 2^g - 1, or g.

    References
    ----------
    Yue, Finley, Radlinski & Joachims, A Support Vector Method for Optimizing Average Precision,
    SIGIR 2007: the joint feature, which we halve, and the search for average precision, which is
    quadratic there. Chakrabarti, Khanna, Sawant & Bhattacharyya, Structured Learning for Non-Smooth
    Ranking Losses, KDD 2008: NDCG with this joint feature.

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

    def __init__(
        self,
        measure: MeasureName = "roc_area",
        k: int | None = None,
        gains: Gains = "exponential",
    ) -> None:
        self.measure = measure
        self.k = k
        self.gains = gains

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
        products = rows.nnz if sparse.issparse(rows) else rows.size
        self.work = (2 * products + WORK_OF_A_DOCUMENT * rows.shape[0]) / len(queries)

    def task(self, X: Any, Y: Any = None) -> RankingTask:
        return RankingTask(self, X, Y)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return -weighted_sum(x[0], y.shifts)

    def loss(self, y: Any, y_hat: Any) -> float:
        return abs(y_hat.loss - y.loss)

    def outputs(self, x: Any) -> Iterator[Any]:
        queries = self.queries([x])
        found = [list(_rankings(queries, s)) for s in range(len(queries.splits))]
        distinct = {}  # several rankings may have the same shifts and loss
        for chosen in product(*found):
            shifts = sum((y.shifts for y in chosen), np.zeros(len(queries.relevance)))
            y = Misranking(shifts, sum(y.loss for y in chosen))
            distinct[y.shifts.tobytes(), y.loss] = y
        return iter(distinct.values())

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Ten queries with four or five documents of three grades."""
        rng = np.random.default_rng(0)
        X = []
        for m in 4 + np.arange(10) % 2:
            relevance = rng.integers(0, 3, size=m)
            X.append((rng.normal(size=(m, 3)) + relevance[:, None] * [1.0, 0.5, 0.0], relevance))
        return X, [Misranking.none(len(relevance)) for _, relevance in X]

    # ------------------------------------------------------------------ containers

    def queries(self, X: Any) -> Queries:
        """The inputs packed."""
        if isinstance(X, Queries):
            return X
        measure = ranking_measure(self.measure, self.k, self.gains)
        pairs = [_checked(X[i], f"X[{i}]", measure) for i in range(len(X))]
        sizes = np.array([len(grades) for _, grades in pairs], dtype=np.intp)
        return Queries(
            stacked_matrices([rows for rows, _ in pairs]),
            np.concatenate([grades for _, grades in pairs]),
            QueryLayout(sizes),
            measure,
        )


def _checked(x: Any, name: str, measure: RankingMeasure) -> tuple[Any, Vector]:
    """The rows and the grades of an input; a ValueError where they are unusable."""
    if not (isinstance(x, tuple) and len(x) == 2):
        raise ValueError(f"{name} must be a pair (rows, relevance); got {x!r:.60}")
    require_matrix(x[0])
    if x[0].shape[0] == 0:
        raise ValueError(f"{name} has no documents")
    name = f"the relevance of {name}"
    return in_floats(x[0]), checked_grades(name, x[1], x[0].shape[0], measure)


def _rankings(queries: Queries, s: int) -> Iterator[Misranking]:
    """The rankings of one split, each once, with its share in shifts and loss."""
    splits, seen = queries.splits, set()
    relevant, others = (part.rows[part.split == s] for part in (splits.relevant, splits.others))
    sizes = np.array([len(relevant) + len(others)])
    alone = queries.measure.splits(np.where(np.arange(sizes[0]) < len(relevant), 1.0, 0.0), sizes)
    for position in map(np.array, permutations(range(sizes[0]))):
        wrong = position[: len(relevant), None] > position[len(relevant) :]
        if wrong.tobytes() in seen:  # the same but for documents of equal relevance
            continue
        seen.add(wrong.tobytes())
        shifts = np.zeros(len(queries.relevance))
        shifts[relevant], shifts[others] = wrong.sum(axis=1), -wrong.sum(axis=0)
        loss = queries.measure.losses(alone, np.sort(wrong.sum(axis=1)))[0]
        weight = queries.weights[s]
        yield Misranking(weight / splits.n_pairs[s] * shifts, weight * loss)
