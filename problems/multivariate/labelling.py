"""Measures of the predicted labels, the error and F1, with the labels of all rows as one output."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples
from structsvm.data.matrices import require_matrix, row_scores, weighted_sum
from structsvm.data.validation import require_option
from structsvm.problems.multivariate.contingency import measure_loss, most_violated
from structsvm.problems.multivariate.measures import LABELLING, Labelling
from structsvm.problems.multivariate.rows import require_labels
from structsvm.problems.multivariate.task import LabellingTask


class LabellingProblem(Problem):
    r"""The labels of all rows as one output, with the error or 1 - F1 as loss.

    There is one example, X = [rows] and Y = [labels]: a matrix of shape (n, d), dense or CSR, and a
    boolean array of shape (n,) that is True for the positive rows. Any such array is an output.

    - Psi(x, y) = 1/(2m) sum_i +-x_i, plus for the rows that y calls positive; decoding is by the
      sign of the score.
    - Delta is a function of the contingency table, in [0, 1].
    - m is n for the error and the number of positive rows for F1, so that a single mistake, which
      costs about 1/m, requires a margin of about 1. With the error the slack is the mean hinge
      loss.

    With a float32 matrix the products are in float32, and the certificate holds to their rounding.

    Parameters
    ----------
    measure : {'f1', 'error'}, default='f1'
        The loss is 1 - F1, or the fraction of wrong labels.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005: sections
    3.1 and 4.1 and Algorithm 2. We divide Psi by 2m.

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
        # a, b, c and d of the contingency table, with y_hat as the prediction.
        kinds = (y & y_hat, ~y & y_hat, y & ~y_hat, ~(y | y_hat))
        return float(measure_loss(self.measure)(*map(np.count_nonzero, kinds)))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        # Flipping a row changes its term of <w, Psi>, +-<w, x_i> / (2m), by twice that.
        gains = row_scores(x, w) / self.n_mistakes_
        return most_violated(y, gains, measure_loss(self.measure))

    def decode(self, x: Any, w: Vector) -> Any:
        return row_scores(x, w) > 0

    def outputs(self, x: Any) -> Iterable[Any]:
        return (np.array(y) for y in product((False, True), repeat=x.shape[0]))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Eight rows in the plane, few enough for all labellings to be enumerated."""
        rows = np.random.default_rng(0).normal(size=(8, 2))
        return [rows], [rows[:, 0] > 0.3]
