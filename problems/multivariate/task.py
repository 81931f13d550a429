"""Rows with labels, or to be ranked, in the precision that the searches need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import in_double
from structsvm.data.matrices import in_floats, weighted_sizes
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.multivariate.labelling import LabellingProblem


class LabellingTask(Task):
    """The rows of a :class:`LabellingProblem` in X, and their labels in Y."""

    problem: LabellingProblem

    def __init__(self, problem: LabellingProblem, X: Any, Y: Any = None) -> None:
        super().__init__(problem, [in_floats(x) for x in X], Y)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        # The search compares the scores of all rows, also of those that keep their label.
        rows = [
            weighted_sizes(x, (y != y_hat) / self.problem.n_mistakes_ + 1 / len(y))
            for x, y, y_hat in ((self.X[i], self.Y[i], outputs[i]) for i in places)
        ]
        return np.array(rows), np.ones(len(rows))


class RankingTask(Task):
    """Pairs of rows and labels in X; in Y zeros, for no row is out of place."""

    def __init__(self, problem: Problem, X: Any, Y: Any = None) -> None:
        # In double precision: few digits of single precision are left in differences of rows.
        super().__init__(problem, [(in_double(in_floats(rows)), labels) for rows, labels in X], Y)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        rows = [self._sizes(self.X[i], self.Y[i], outputs[i]) for i in places]
        return np.array(rows), np.ones(len(rows))

    def _sizes(self, x: Any, y: Any, y_hat: Any) -> Vector:
        # The search compares the scores of all rows, also of those that stay in their place.
        rows, labels = x
        mean = np.where(labels, 1 / np.count_nonzero(labels), 1 / np.count_nonzero(~labels))
        return weighted_sizes(rows, np.abs(y_hat - y) + mean)
