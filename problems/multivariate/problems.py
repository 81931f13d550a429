"""Problems for measures of the predicted labels and of the order of the rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import in_double, n_examples
from structsvm.data.matrices import (
    in_floats,
    one_array,
    require_matrix,
    row_scores,
    weighted_sizes,
    weighted_sum,
)
from structsvm.data.validation import require_option
from structsvm.problems.multivariate.contingency import measure_loss, most_violated
from structsvm.problems.multivariate.measures import LABELLING, Labelling, require_labels, rows_at
from structsvm.task.task import Task


class LabellingTask(Task):
    """A task whose X holds the rows of a :class:`LabellingProblem`, and Y their labels."""

    problem: LabellingProblem

    def __init__(self, problem: LabellingProblem, X: Any, Y: Any = None) -> None:
        super().__init__(problem, [in_floats(x) for x in X], Y)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        # The search compares the scores of all rows, even if they keep their label.
        rows = [
            weighted_sizes(x, (y != y_hat) / self.problem.n_mistakes_ + 1 / len(y))
            for x, y, y_hat in ((self.X[i], self.Y[i], outputs[i]) for i in places)
        ]
        return np.array(rows), np.ones(len(rows))


class LabellingProblem(Problem):
    r"""The problem of labelling all rows as one output, with the error or 1 - F1 as loss.

    There is one example, X = [rows] and Y = [labels]. The rows are a matrix of shape (n, d), dense
    or CSR. The labels are a boolean array of shape (n,) that is True for the positive rows. Every
    boolean array of shape (n,) is an output.

    Psi(x, y) is 1/(2m) sum_i +-x_i, where the sign is + for the rows that y labels positive. For
    'error', m is the number of rows; for 'f1', m is the number of positive rows. With the factor
    1/(2m) of Psi, the required margin of a row is about 1, as in a binary support vector machine. A
    row is predicted positive if its score is positive. The loss Delta is a function of the
    contingency table, in [0, 1]. If ``measure`` is 'error', the slack is the mean hinge loss.

    If the rows are float32, products with the rows are computed in float32, and the certificate
    holds up to the rounding errors of the products.

    Parameters
    ----------
    measure : {'f1', 'error'}, default='f1'
        The loss is 1 - F1, or the fraction of wrong labels.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005: sections 3.1
    and 4.1 and Algorithm 2. In contrast to Joachims, the class divides Psi by 2m.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import LabellingProblem
    >>> X, y = np.array([[2.0], [1.0], [-1.0], [-2.0]]), np.array([True, True, False, False])
    >>> svm = StructuredSVM(LabellingProblem("f1"), C=10.0).fit([X], [y])
    >>> svm.predict([X])[0].tolist()
    [True, True, False, False]
    """

    max_loss = 1.0

    def __init__(self, measure: Labelling = "f1") -> None:
        self.measure = measure

    def initialize(self, X: Any, Y: Any) -> None:
        require_option("measure", self.measure, LABELLING)
        if n_examples(X) != 1:
            raise ValueError(f"expected X = [rows], one matrix; got {n_examples(X)} inputs")
        require_matrix(X[0])
        require_labels(Y[0], X[0].shape[0])
        self.n_mistakes_ = len(Y[0]) if self.measure == "error" else int(np.count_nonzero(Y[0]))
        self.size_joint_feature = X[0].shape[1]

    def task(self, X: Any, Y: Any = None) -> LabellingTask:
        return LabellingTask(self, X, Y)

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return weighted_sum(x, np.where(y, 0.5, -0.5)) / self.n_mistakes_

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        # numpy refuses to subtract booleans without a dtype.
        return weighted_sum(x, np.subtract(y, y_hat, dtype=np.float64)) / self.n_mistakes_

    def loss(self, y: Any, y_hat: Any) -> float:
        # The entries a, b, c and d of the contingency table, with y_hat as the prediction.
        kinds = (y & y_hat, ~y & y_hat, y & ~y_hat, ~(y | y_hat))
        return float(measure_loss(self.measure)(*map(np.count_nonzero, kinds)))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        # Flipping a row changes its term of <w, Psi>, +-<w, x_i> / (2m), by twice its size.
        gains = row_scores(x, w) / self.n_mistakes_
        return most_violated(y, gains, measure_loss(self.measure))

    def decode(self, x: Any, w: Vector) -> Any:
        return row_scores(x, w) > 0

    def outputs(self, x: Any) -> Iterable[Any]:
        return (np.array(y) for y in product((False, True), repeat=x.shape[0]))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return eight points in the plane, so few that all labellings can be enumerated."""
        rows = np.random.default_rng(0).normal(size=(8, 2))
        return [rows], [rows[:, 0] > 0.3]


class RankingTask(Task):
    """A task whose X holds pairs (rows, labels), and whose Y holds arrays of zeros."""

    def __init__(self, problem: Problem, X: Any, Y: Any = None) -> None:
        # Use double precision: differences of rows leave few digits of single precision.
        super().__init__(problem, [(in_double(in_floats(rows)), labels) for rows, labels in X], Y)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        rows = [self._sizes(self.X[i], self.Y[i], outputs[i]) for i in places]
        return np.array(rows), np.ones(len(rows))

    def _sizes(self, x: Any, y: Any, y_hat: Any) -> Vector:
        # The search compares the scores of all rows, even if they stay in place.
        rows, labels = x
        mean = np.where(labels, 1 / np.count_nonzero(labels), 1 / np.count_nonzero(~labels))
        return weighted_sizes(rows, np.abs(y_hat - y) + mean)


class _RankingProblem(Problem):
    """The problem of ranking labelled rows; an output says how far each row is out of place.

    An input is a pair (rows, labels). The rows are a matrix of shape (n, d), dense or CSR. The
    labels are a boolean array of shape (n,) that is True for the positive rows. An output is an
    array of shape (n,) of sum 0. The entries of an output are > 0 for positive rows that are ranked
    too low, and < 0 for negative rows that are ranked too high. The true output is the array of
    zeros. The joint feature is minus the sum of all rows, each multiplied by its entry of the
    output. The loss Delta is half the sum of the absolute differences between the entries of two
    outputs.
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
        # The entries of positive rows sum to Delta, those of negative rows to -Delta.
        return float(np.abs(y_hat - y).sum() / 2)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self._most_out_of_place(x[1], row_scores(x[0], w), margin=1.0)

    def decode(self, x: Any, w: Vector) -> Any:
        return self._most_out_of_place(x[1], row_scores(x[0], w), margin=0.0)

    @abstractmethod
    def _most_out_of_place(self, labels: Any, scores: Vector, margin: float) -> Vector:
        """Return the y_hat that maximises margin * Delta(0, y_hat) - sum_i y_hat_i scores_i."""

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return three positive and four negative rows in the plane."""
        rows = np.random.default_rng(0).normal(size=(7, 2))
        return [(rows, np.arange(7) < 3)], [np.zeros(7)]


class RocAreaProblem(_RankingProblem):
    """The problem of maximising the ROC area, the fraction of correctly ordered pairs.

    Every input is a pair (rows, labels). The rows are a matrix of shape (n, d), dense or CSR, and
    the labels a boolean array of shape (n,), True for the positive rows. The true output is
    ``numpy.zeros(n)``. Several inputs are independent rankings that share w.

    A pair is one positive and one negative row. An output swaps a pair if the output ranks the
    negative row above the positive row. An output is an array of shape (n,). In an output, the
    entry of a row is the number of swapped pairs that contain the row, divided by the number of all
    pairs. The entries of an output for negative rows have a minus sign. The difference <w, Psi(x,
    y) - Psi(x, y_hat)> is the sum of the score differences of the pairs that y_hat swaps, divided
    by the number of all pairs. Delta is the fraction of swapped pairs. The slack is the mean over
    all pairs of the hinge loss max(0, 1 - score difference). The oracle sorts the rows, in O(n log
    n).

    A float32 matrix is converted to float64 for training.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005: section 4.3
    and Algorithm 3. In contrast to Joachims, the class divides Psi and Delta by the number of
    pairs.

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
        # A pair is swapped if margin + negative - positive > 0. Both searches leave out ties, so
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
    r"""The problem of precision or recall at k, and of the precision/recall break-even point.

    Every input is a pair (rows, labels). The rows are a matrix of shape (n, d), dense or CSR, and
    the labels a boolean array of shape (n,), True for the positive rows. The true output is
    ``numpy.zeros(n)``. Several inputs are independent rankings that share w.

    An output chooses k rows. If P rows are positive, at most min(k, P) of the chosen rows can be
    positive, and Delta is 1 minus the ratio of the number of chosen positive rows to min(k, P).
    Precision and recall at k are constant multiples of 1 - Delta. An output is a vector with an
    entry for each row. In an output, positive rows that are not chosen have equal entries, which
    sum to the loss Delta. In an output, chosen negative rows have equal entries, which sum to
    -Delta. The difference <w, Psi(x, y) - Psi(x, y_hat)> is Delta (p - q), where p is the mean
    score of the omitted positive rows, and q is the mean score of the chosen negative rows. A
    constant added to all scores does not change the difference between the mean scores. The slack
    is at least Delta for the k rows of highest score. The oracle sorts the rows to find the best
    number of positive rows to choose, in O(n log n) time.

    A float32 matrix is converted to float64 for training.

    Parameters
    ----------
    k : int, float or None, default=None
        A number of rows below n, or a fraction between 0 and 1 of all rows. If ``k`` is None, k is
        the number of positive rows, for the precision/recall break-even point.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005: sections 4.1
    and 4.2. If k is the number of positive rows, the problem equals Joachims' problem up to a
    constant factor. If k is not the number of positive rows, adding a constant to all scores can
    make the slack of Joachims' problem 0, although the ranking stays the same. :class:`TopKProblem`
    compares mean scores of rows for every k. Kar, Narasimhan & Jain, Surrogate Functions for
    Maximizing Precision at the Top, ICML 2015: the 'avg' surrogate also compares mean scores if k
    is at most the number of positive rows.

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
        # to include the negative rows of highest score.
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
        """Return the missed positives, chosen negatives and Delta for each number of mistakes."""
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
                    output[list(out)] = mistakes / missed
                    output[list(instead)] = -mistakes / intruding
                    yield output
