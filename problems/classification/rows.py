"""The task of problems whose inputs are the rows of a matrix."""

from __future__ import annotations

from typing import Any

from structsvm.data.matrices import in_floats, require_matrix
from structsvm.task.task import Task


def as_row(x: Any) -> Any:
    """Convert the features of one example from any format to a matrix of floats with one row."""
    return in_floats(x.reshape(1, -1))


class RowsTask(Task):
    """Base class of tasks whose examples are the rows of a matrix.

    Raises
    ------
    ValueError
        If X is not a matrix with as many columns as in ``initialize``, or if a number is unusable.
    """

    def __init__(self, problem: Any, X: Any, Y: Any = None) -> None:
        if Y is None:  # for prediction, of rows that ``initialize`` did not check
            require_matrix(X)
        if X.ndim != 2 or X.shape[1] != problem.n_features_:
            raise ValueError(f"X has shape {X.shape}; expected {problem.n_features_} columns")
        super().__init__(problem, in_floats(X), None if Y is None else problem.labelled(Y))

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.labelled(labels))
