"""The methods of all kinds of states: rows for products, and where the weights are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices, Vector


class StateRows(ABC):
    """n rows of features, in the form in which they are multiplied with the weights of states."""

    @abstractmethod
    def scores(self, w: Vector) -> Vector:
        """The score of every label in every row, shape (k, n), from one weight for each state."""

    @abstractmethod
    def sums(self, p: Any) -> Vector:
        """The sum of the rows, times ``p[y]`` for label y, in the entries of the states.

        ``p`` is of shape (k, n), an array in C order or a CSR matrix, in the dtype of the rows.
        """

    @abstractmethod
    def squared(self) -> StateRows:
        """The rows with the squares of the features."""


class States(ABC):
    """The states that have a weight, in the order of their features, then of their labels.

    Attributes
    ----------
    d, k : int
        The numbers of features and labels.
    size : int
        The number of states.
    """

    d: int
    k: int
    size: int
    #: The labels of the states, feature by feature, and where each feature starts; None if all.
    pattern: tuple[Indices, Indices] | None = None

    @property
    @abstractmethod
    def places(self) -> tuple[Indices, Indices]:
        """The feature and the label of every state."""

    @abstractmethod
    def rows(self, X: Any) -> StateRows:
        """Rows of d features, an array or CSR matrix, for products."""

    def scores(self, X: Any, w: Vector) -> Vector:
        """``rows(X).scores(w)``, for rows of which no other product is needed."""
        return self.rows(X).scores(w)

    @abstractmethod
    def some(self, kept: Any) -> tuple[States, Indices]:
        """Some states, by a mask of shape (size,), and their places; all of dense columns."""

    @abstractmethod
    def by_label(self, w: Vector) -> Any:
        """The weights by label and feature, shape (k, d): a CSR matrix unless all have one."""

    @abstractmethod
    def of_matrix(self, matrix: Any) -> Any:
        """The entries of the states in an array of shape (..., d, k), as shape (..., size)."""

    @abstractmethod
    def of_joint(self, joint: Any) -> Any:
        """The columns of the states in a CSR matrix with a column for each of d k states."""

    def of_rows(self, rows: Any, codes: Indices) -> Any:
        """The joint feature of each row with its label, a CSR matrix of shape (n, size)."""
        rows = sparse.csr_matrix(rows)
        columns = rows.indices.astype(np.intp) * self.k + np.repeat(codes, np.diff(rows.indptr))
        shape = rows.shape[0], self.d * self.k
        return self.of_joint(sparse.csr_matrix((rows.data, columns, rows.indptr), shape))


@compiled("states")
def scores_of_entries(
    states: States, columns: Indices, values: Vector, ends: Indices, w: Vector
) -> Vector:
    """The score of every label in the rows of a CSR matrix with these entries, shape (n, k)."""
    rows = sparse.csr_matrix((values, columns, ends), (len(ends) - 1, states.d))
    return states.scores(rows, w).T
