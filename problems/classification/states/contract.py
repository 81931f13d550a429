"""Base classes for the pairs of features and labels that have weights, and for rows of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices, Vector


class StateRows(ABC):
    """The features of n rows, in a form for products with the weights of states."""

    @abstractmethod
    def scores(self, w: Vector) -> Vector:
        """Return the score of every label in every row, shape (k, n); w has a weight per state."""

    @abstractmethod
    def sums(self, p: Any) -> Vector:
        """For each pair of a feature and a label y, sum the feature times ``p[y]`` over the rows.

        ``p`` is of shape (k, n), an array in C order or a CSR matrix, in the dtype of the rows.
        """

    @abstractmethod
    def squared(self) -> StateRows:
        """Return the rows with the features squared."""


class States(ABC):
    """The states that have a weight, sorted by feature and then by label.

    Attributes
    ----------
    d, k : int
        Numbers of features and of labels.
    size : int
        Number of states.
    """

    d: int
    k: int
    size: int
    #: The labels of the states, feature by feature, and the start of each feature in them. It is
    #: None if all states have a weight.
    pattern: tuple[Indices, Indices] | None = None

    @property
    @abstractmethod
    def places(self) -> tuple[Indices, Indices]:
        """The features and the labels of the states, two arrays of shape (size,)."""

    @abstractmethod
    def rows(self, X: Any) -> StateRows:
        """Prepare rows of d features, an array or a CSR matrix, for products."""

    def scores(self, X: Any, w: Vector) -> Vector:
        """Return ``rows(X).scores(w)``, by a method that is faster if X is used only once."""
        return self.rows(X).scores(w)

    @abstractmethod
    def some(self, kept: Any) -> tuple[States, Indices]:
        """Return the pairs of feature and label where ``kept`` is True, and their indices.

        If sparse and dense features are joined, all pairs of a dense feature and a label are kept.
        """

    @abstractmethod
    def by_label(self, w: Vector) -> Any:
        """Return the weights as a (k, d) array, or as a CSR matrix if some pairs have no weight."""

    @abstractmethod
    def of_matrix(self, matrix: Any) -> Any:
        """Return the entries of ``matrix`` for pairs of a feature and a label that have a weight.

        The last two axes of ``matrix``, d and k, become one axis of length ``size``.
        """

    @abstractmethod
    def of_joint(self, joint: Any) -> Any:
        """Select the columns of ``joint`` for pairs of a feature and a label that have a weight."""

    def of_rows(self, rows: Any, codes: Indices) -> Any:
        """Return the joint feature of each row with its label, a CSR matrix of shape (n, size)."""
        rows = sparse.csr_matrix(rows)
        columns = rows.indices.astype(np.intp) * self.k + np.repeat(codes, np.diff(rows.indptr))
        shape = rows.shape[0], self.d * self.k
        return self.of_joint(sparse.csr_matrix((rows.data, columns, rows.indptr), shape))


@compiled("states")
def scores_of_entries(
    states: States, columns: Indices, values: Vector, ends: Indices, w: Vector
) -> Vector:
    """Return the score of every label in every row of a CSR matrix, shape (n, k)."""
    rows = sparse.csr_matrix((values, columns, ends), (len(ends) - 1, states.d))
    return states.scores(rows, w).T
