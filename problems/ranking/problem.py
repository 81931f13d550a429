"""Rankings of the documents of queries as a structured problem."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import (
    in_floats,
    require_matrix,
    row_scores,
    stacked_matrices,
    weighted_sizes,
    weighted_sum,
)
from structsvm.problems.ranking.checks import checked_grades
from structsvm.problems.ranking.measures import Gains, MeasureName, RankingMeasure, ranking_measure
from structsvm.problems.ranking.queries import Misranking, Misrankings, Queries, QueryLayout
from structsvm.problems.ranking.scored import Scored
from structsvm.problems.ranking.search import up_to

#: Multiplications that take as long as the search for a document.
WORK_OF_A_DOCUMENT = 500


class RankingProblem(Problem):
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
        queries, truth = self.prepare(X, Y)
        if truth is None:
            raise ValueError("RankingProblem needs the outputs Y; they are None")
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

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        return self._queries(X), None if Y is None else Misrankings.of(Y)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return -weighted_sum(x[0], y.shifts)

    def loss(self, y: Any, y_hat: Any) -> float:
        return abs(y_hat.loss - y.loss)

    def term_sizes(self, x: Any, y: Any, y_hat: Any) -> tuple[Vector, float]:
        # The search compares the scores of all documents: as if all pairs were in the wrong order.
        queries = self._queries([x])
        scored = _scored(queries, np.zeros(self.size_joint_feature))
        worst = _misrankings(queries, scored, scored.others.sizes[scored.relevant.split])
        shifts = np.abs(worst.shifts) + np.abs(y_hat.shifts)
        return weighted_sizes(queries.rows, shifts), 1.0

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle([x], [y], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode([x], w)[0]

    def outputs(self, x: Any) -> Iterator[Any]:
        queries = self._queries([x])
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

    # ------------------------------------------------------------------ all examples at once

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Any:
        queries = self._queries(X)
        scored = _scored(queries, w)
        return _misrankings(queries, scored, queries.measure.search(scored))

    def batch_decode(self, X: Any, w: Vector) -> Any:
        queries = self._queries(X)
        scored = _scored(queries, w)
        return _misrankings(queries, scored, scored.swapped())

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        return np.abs(Misrankings.of(Y_hat).losses - Misrankings.of(Y).losses)

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        queries = self._queries(X)
        shifts = Misrankings.of(Y_hat).shifts - Misrankings.of(Y).shifts
        return queries.layout.votes(shifts) @ queries.rows

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        queries = self._queries(X)
        shifts = Misrankings.of(Y_hat).shifts - Misrankings.of(Y).shifts
        return weighted_sum(queries.rows, shifts * np.repeat(weights, queries.layout.sizes))

    # ------------------------------------------------------------------ inside

    def _queries(self, X: Any) -> Queries:
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


def _scored(queries: Queries, w: Vector) -> Scored:
    return Scored(queries.splits, row_scores(queries.rows, w), queries.layout.sizes)


def _misrankings(queries: Queries, scored: Scored, above: Indices) -> Misrankings:
    """The outputs of rankings, given the others above each relevant document."""
    splits, relevant, others = queries.splits, scored.relevant, scored.others
    n, pair = len(queries.relevance), queries.weights / splits.n_pairs
    below = relevant.sizes[others.split] - up_to(above + 1, relevant, others)
    shifts = np.bincount(relevant.rows, above * pair[relevant.split], n)
    shifts -= np.bincount(others.rows, below * pair[others.split], n)
    losses = queries.weights * queries.measure.losses(splits, above)
    return Misrankings(shifts, np.bincount(splits.query, losses, len(queries)), queries.layout)


def _rankings(queries: Queries, s: int) -> Iterator[Misranking]:
    """The rankings of one split, each once, with its share in shifts and loss."""
    splits, seen = queries.splits, set()
    relevant, others = (part.rows[part.split == s] for part in (splits.relevant, splits.others))
    sizes = np.array([len(relevant) + len(others)])
    alone = queries.measure.splits(1.0 * (np.arange(sizes[0]) < len(relevant)), sizes)
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
