"""Measures of the order of the rows: the ROC area, and precision and recall at k."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.matrices import one_array, require_matrix, row_scores, weighted_sum
from structsvm.problems.multivariate.measures import rows_at
from structsvm.problems.multivariate.rows import require_labels
from structsvm.problems.multivariate.task import RankingTask


class _RankingProblem(Problem):
    """A ranking of labelled rows, with an output that says how far each row is out of place.

    An input is a pair of rows, a matrix of shape (n, d), dense or CSR, and labels, a boolean array
    of shape (n,) that is True for the positive rows. An output is an array of shape (n,) with sum
    0: numbers >= 0 for positive rows that are ranked too low, and <= 0 for negative rows that are
    ranked too high. The truth is the array of zeros, Psi(x, y) = -sum_i y_i x_i, and Delta is half
    the sum of abs(y_hat - y).
    """

    max_loss = 1.0
    oracle_cost = "expensive"
    block_size = 1

    def initialize(self, X: Any, Y: Any) -> None:
        for x, y in zip(X, Y, strict=True):
            if not (isinstance(x, tuple) and len(x) == 2):
                raise ValueError(f"an input must be a pair (rows, labels); got {x!r:.60}")
            rows, labels = x
            require_matrix(rows)
            require_labels(labels, rows.shape[0])
            if one_array("an output", y).shape != labels.shape or np.any(y):
                raise ValueError(
                    f"the output of every training input must be numpy.zeros({len(labels)}), for "
                    f"no row is out of place; got {y!r:.60}"
                )
        self.size_joint_feature = X[0][0].shape[1]

    def task(self, X: Any, Y: Any = None) -> RankingTask:
        return RankingTask(self, X, Y)

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return -weighted_sum(x[0], y)

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        return weighted_sum(x[0], y_hat - y)

    def loss(self, y: Any, y_hat: Any) -> float:
        # The numbers add up to Delta over the positive rows, and to -Delta over the negative rows.
        return float(np.abs(y_hat - y).sum() / 2)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self._most_out_of_place(x[1], row_scores(x[0], w), margin=1.0)

    def decode(self, x: Any, w: Vector) -> Any:
        return self._most_out_of_place(x[1], row_scores(x[0], w), margin=0.0)

    @abstractmethod
    def _most_out_of_place(self, labels: Any, scores: Vector, margin: float) -> Vector:
        """The output y_hat that maximises margin * Delta(0, y_hat) - sum_i y_hat_i scores_i."""

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Three positive and four negative rows in the plane."""
        rows = np.random.default_rng(0).normal(size=(7, 2))
        return [(rows, np.arange(7) < 3)], [np.zeros(7)]


class RocAreaProblem(_RankingProblem):
    """The area under the ROC curve: the fraction of pairs in the right order.

    Every input is a pair (rows, labels): a matrix of shape (n, d), dense or CSR, and a boolean
    array of shape (n,), True for the positive rows. Its output is ``numpy.zeros(n)``. Several
    inputs are several independent rankings with one w.

    A pair is one positive and one negative row. An output is, for every row, the number of its
    pairs that are swapped over the number of all pairs, with a minus sign for negative rows. Then
    <w, Psi(x, y) - Psi(x, y_hat)> is the sum of the score differences of the swapped pairs over the
    number of pairs, Delta the fraction of swapped pairs, and the slack the mean over all pairs of
    the hinge loss max(0, 1 - score difference). The oracle sorts; it takes O(n log n).

    A float32 matrix is converted to float64 for training.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005: section 4.3
    and Algorithm 3. We divide Psi and Delta by the number of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import RocAreaProblem
    >>> X, y = np.array([[3.0], [1.0], [0.0]]), np.array([True, False, False])
    >>> svm = StructuredSVM(RocAreaProblem(), C=10.0).fit([(X, y)], [np.zeros(3)])
    >>> svm.score([(X, y)], [np.zeros(3)])
    1.0
    """

    def _most_out_of_place(self, labels: Any, scores: Vector, margin: float) -> Vector:
        # A pair is swapped where margin + negative - positive > 0. Both searches leave out ties, so
        # that their counts of swapped pairs agree.
        positive, negative = scores[labels] - margin, scores[~labels]
        counts = np.empty(len(labels))
        counts[labels] = len(negative) - np.searchsorted(np.sort(negative), positive, side="right")
        counts[~labels] = -np.searchsorted(np.sort(positive), negative, side="left")
        return counts / (len(positive) * len(negative))

    def outputs(self, x: Any) -> Iterator[Any]:
        labels = x[1]
        shape = int(np.count_nonzero(labels)), int(np.count_nonzero(~labels))
        seen = set()
        for pairs in product((0, 1), repeat=shape[0] * shape[1]):
            swapped = np.reshape(pairs, shape)
            output = np.empty(len(labels))
            output[labels], output[~labels] = swapped.sum(axis=1), -swapped.sum(axis=0)
            if output.tobytes() not in seen:  # different swaps can have the same counts
                seen.add(output.tobytes())
                yield output / len(pairs)


class TopKProblem(_RankingProblem):
    r"""The first k rows: precision at k, recall at k, and the precision/recall break-even point.

    Every input is a pair (rows, labels): a matrix of shape (n, d), dense or CSR, and a boolean
    array of shape (n,), True for the positive rows. Its output is ``numpy.zeros(n)``. Several
    inputs are several independent rankings with one w.

    With P positive rows at most m = min(k, P) of the first k can be positive. A choice of k rows
    with only a positive ones misses e = m - a and costs Delta = e / m; precision at k and recall
    at k are 1 - Delta times a constant. The choice leaves out P - a positive rows and contains
    k - a negative ones; as an output, each of the former is e / (m (P - a)) and each of the latter
    -e / (m (k - a)). So <w, Psi(x, y) - Psi(x, y_hat)> is Delta times the difference between the
    mean scores of the two. It does not change when a constant is added to all scores, and the slack
    is at least the Delta of the k rows of highest score. The oracle sorts the rows to find the best
    a; it takes O(n log n).

    A float32 matrix is converted to float64 for training.

    Parameters
    ----------
    k : int, float or None, default=None
        A number of rows below n; or a fraction of the rows, in (0, 1); or None for P, which gives
        the break-even point.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005: sections
    4.1 and 4.2; for k = P this is the same, divided by P. For other k that paper compares sums of
    scores with unequal numbers of terms, so that a constant added to the scores can reduce the
    slack to nothing. Here means are compared, as in the 'avg' surrogate of Kar, Narasimhan &
    Jain, Surrogate Functions for Maximizing Precision at the Top, ICML 2015, for k <= P; we extend
    it to k > P.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import TopKProblem
    >>> X, y = np.array([[3.0], [1.0], [0.0]]), np.array([True, False, False])
    >>> svm = StructuredSVM(TopKProblem(k=1), C=10.0).fit([(X, y)], [np.zeros(3)])
    >>> svm.score([(X, y)], [np.zeros(3)])
    1.0
    """

    def __init__(self, k: Any = None) -> None:
        self.k = k

    def initialize(self, X: Any, Y: Any) -> None:
        super().initialize(X, Y)
        for _, labels in X:
            too_many = isinstance(self.k, (int, np.integer)) and self.k >= len(labels)
            if too_many or rows_at(self.k, labels) == len(labels):
                raise ValueError(
                    f"k must be below the number of rows, {len(labels)}, because the first k rows "
                    f"contain no mistake if they are all rows; got {self.k!r}"
                )

    def _most_out_of_place(self, labels: Any, scores: Vector, margin: float) -> Vector:
        output = np.zeros(len(labels))
        missed, intruding, mistakes = self._choices(labels)
        positive, negative = np.flatnonzero(labels), np.flatnonzero(~labels)
        positive = positive[np.argsort(scores[positive])]
        negative = negative[np.argsort(-scores[negative])]
        # For each number of mistakes it is best to leave out the positive rows of lowest score and
        # to take the negative rows of highest score.
        lowest = np.cumsum(scores[positive])[missed - 1] / missed
        highest = np.cumsum(scores[negative])[intruding - 1] / intruding
        values = mistakes * (margin + highest - lowest)
        best = int(values.argmax())
        # The truth, with no row out of place, has the value 0.
        if values[best] > 0:
            output[positive[: missed[best]]] = mistakes[best] / missed[best]
            output[negative[: intruding[best]]] = -mistakes[best] / intruding[best]
        return output

    def _choices(self, labels: Any) -> tuple[Any, Any, Vector]:
        """For every a < m: the positive rows left out, the negative rows among the k, and Delta."""
        k, positive = rows_at(self.k, labels), int(np.count_nonzero(labels))
        most = min(k, positive)
        # If k exceeds the number of negative rows, some of the first k must be positive.
        found = np.arange(max(0, k - (len(labels) - positive)), most)
        return positive - found, k - found, (most - found) / most

    def outputs(self, x: Any) -> Iterator[Any]:
        labels = x[1]
        yield np.zeros(len(labels))
        positive, negative = np.flatnonzero(labels), np.flatnonzero(~labels)
        for missed, intruding, mistakes in zip(*self._choices(labels), strict=True):
            for out in combinations(positive, missed):
                for instead in combinations(negative, intruding):
                    output = np.zeros(len(labels))
                    output[list(out)], output[list(instead)] = (
                        mistakes / missed,
                        -mistakes / intruding,
                    )
                    yield output
