"""States that occur in training; frequent and rare features are stored differently."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.problems.classification.products import squared
from structsvm.problems.classification.states.contract import StateRows, States

#: A feature that occurs with more than this fraction of the labels counts as frequent. In products
#: it has a weight for every label, some of which are 0, so that its weights need no indices.
FREQUENT = 0.15


class SeenStates(States):
    """The pairs of a feature and a label that have a weight, for d features and k labels.

    Parameters
    ----------
    pattern : CSR matrix of shape (d, k)
        A matrix in scipy's canonical form that stores an entry for each feature and label with a
        weight. The values of the entries are not used.
    """

    def __init__(self, pattern: Any) -> None:
        (self.d, self.k), self.size = pattern.shape, pattern.nnz
        self._labels, self._ends = self.pattern = pattern.indices, pattern.indptr
        counts = np.diff(pattern.indptr)
        frequent = counts > FREQUENT * self.k
        self._frequent = np.flatnonzero(frequent)
        whole = counts[frequent] == self.k
        # The starts of the frequent features' weights in w, if they have all states.
        self._starts = pattern.indptr[:-1][frequent] if len(whole) and whole.all() else None
        if self._starts is None:
            # The index of each of these weights in w, and in a table with all labels.
            kind = sparse.get_index_dtype(maxval=max(self.size, len(whole) * self.k))
            self._of_frequent = np.flatnonzero(np.repeat(frequent, counts)).astype(kind)
            order = np.repeat(np.arange(len(whole), dtype=kind), counts[frequent])
            self._cells = order * self.k + self._labels[self._of_frequent]
        # The numbers of states of the rare features, and 0 for the frequent features.
        self._counts = np.where(frequent, 0, counts)

    def __getstate__(self) -> dict[str, Any]:
        """Return the states, from which all other attributes follow."""
        return {"k": self.k, "labels": self._labels, "ends": self._ends}

    def __setstate__(self, state: dict[str, Any]) -> None:
        labels, ends = state["labels"], state["ends"]
        ones = np.ones(len(labels), dtype=bool)
        self.__init__(sparse.csr_matrix((ones, labels, ends), (len(ends) - 1, state["k"])))  # type: ignore[misc]

    @classmethod
    def counted(cls, pattern: Any, most: int = 0) -> SeenStates:
        """Return the states that occur, from the result of :func:`label_counts`.

        The most frequent features get a state for every label, as long as the total number of
        states is at most ``most``.
        """
        d, k = pattern.shape
        order = np.argsort(-np.asarray(pattern.sum(axis=1)).ravel(), kind="stable")
        sizes = pattern.nnz + np.cumsum(k - np.diff(pattern.indptr)[order])
        often = np.sort(order[: np.searchsorted(sizes, most, side="right")])
        if len(often):
            ends = np.zeros(d + 1, dtype=np.intp)
            ends[often + 1] = k
            labels = np.tile(np.arange(k), len(often))
            whole = np.ones(len(labels)), labels, np.cumsum(ends)
            pattern = pattern + sparse.csr_matrix(whole, (d, k))
        pattern.sort_indices()
        return cls(pattern)

    def rows(self, X: Any) -> StateRows:
        X = sparse.csr_matrix(X)
        return SeenStateRows(X[:, self._frequent], self._rare(X), self)

    def scores(self, X: Any, w: Vector) -> Vector:
        weights = sparse.csr_matrix((w, self._labels, self._ends), (self.d, self.k))
        if X.nnz <= self.d:
            found = (X @ weights).toarray()
        else:  # a table with the weights of these features for all labels needs no indices
            used = np.flatnonzero(np.bincount(X.indices, minlength=self.d))
            number = np.empty(self.d, dtype=X.indices.dtype)
            number[used] = np.arange(len(used))
            own = sparse.csr_matrix((X.data, number[X.indices], X.indptr), (X.shape[0], len(used)))
            found = own @ weights[used].toarray()
        return np.transpose(found)

    def some(self, kept: Any) -> tuple[States, Indices]:
        labels, places = self._labels[kept], np.flatnonzero(kept)
        ends = np.concatenate([[0], np.cumsum(kept)])[self._ends]
        pattern = sparse.csr_matrix((np.ones(len(places), bool), labels, ends), (self.d, self.k))
        return SeenStates(pattern), places

    @property
    def places(self) -> tuple[Indices, Indices]:
        return np.repeat(np.arange(self.d), np.diff(self._ends)), self._labels.astype(np.intp)

    def by_label(self, w: Vector) -> Any:
        return sparse.csc_matrix((w, self._labels, self._ends), (self.k, self.d)).tocsr()

    def of_matrix(self, matrix: Any) -> Any:
        return matrix[(..., *self.places)]

    def of_joint(self, joint: Any) -> Any:
        used = np.unique(joint.indices // self.k)
        some, of_states = self._part(used)
        features, labels = some.places
        own = used[features] * self.k + labels
        places = np.minimum(np.searchsorted(own, joint.indices), max(len(own) - 1, 0))
        kept = own[places] == joint.indices if len(own) else np.zeros(joint.nnz, dtype=bool)
        ends = np.concatenate([[0], np.cumsum(kept)])[joint.indptr]
        shape = joint.shape[0], self.size
        return sparse.csr_matrix((joint.data[kept], of_states[places[kept]], ends), shape)

    def spread(self, w: Vector) -> Vector:
        """Return the weights of frequent features for each label, with 0 where w has no entry."""
        if self._starts is not None:
            return np.asarray(sliding_window_view(w, self.k)[self._starts])
        weights = np.zeros(len(self._frequent) * self.k, dtype=w.dtype)
        weights[self._cells] = w[self._of_frequent]
        return weights.reshape(-1, self.k)

    def put(self, total: Vector, weights: Vector) -> None:
        """Copy ``weights``, shape (n_frequent, k), to entries of frequent features in ``total``."""
        if self._starts is not None:
            sliding_window_view(total, self.k, writeable=True)[self._starts] = weights
        else:
            total[self._of_frequent] = weights.ravel()[self._cells]

    def _part(self, features: Indices) -> tuple[SeenStates, Indices]:
        """Return the states that belong to ``features``, and their indices among all states."""
        counts = np.diff(self._ends)[features]
        ends = np.concatenate([[0], np.cumsum(counts)])
        places = np.arange(ends[-1], dtype=self._ends.dtype)
        places += np.repeat(self._ends[features] - ends[:-1], counts).astype(places.dtype)
        ones = np.ones(len(places), dtype=bool)
        pattern = sparse.csr_matrix((ones, self._labels[places], ends), (len(features), self.k))
        return SeenStates(pattern), places

    def _rare(self, X: Any) -> Any:
        """Return the rare features in a matrix with a row for each label and each row of ``X``.

        If ``X`` has n rows, row ``y n + i`` of the matrix belongs to label y and row i of ``X``.
        The matrix has a column for each pair of a feature and a label. Most rows of the matrix are
        empty, so a list of entries takes less memory than a CSR matrix.
        """
        n, counts = X.shape[0], self._counts[X.indices]
        entry = np.repeat(np.arange(X.nnz), counts)
        rank = np.arange(len(entry)) - np.repeat(np.cumsum(counts) - counts, counts)
        places = self._ends[X.indices[entry]] + rank
        row = np.repeat(np.arange(n), np.diff(X.indptr))[entry]
        rows = self._labels[places].astype(np.intp) * n + row
        return sparse.coo_matrix((X.data[entry], (rows, places)), (self.k * n, self.size))


def label_counts(X: Any, codes: Indices, k: int) -> Any:
    """Return how often each feature occurs with each label, as a CSR matrix of shape (d, k)."""
    n = X.shape[0]
    votes = sparse.csr_matrix((np.ones(n), codes, np.arange(n + 1)), (n, k))
    ones = sparse.csr_matrix((np.ones(X.nnz), X.indices, X.indptr), X.shape)
    return (ones.T @ votes).tocsr()


class SeenStateRows(StateRows):
    """The features of n rows, with frequent and rare features in separate matrices.

    Parameters
    ----------
    frequent : CSR matrix of shape (n, n_frequent)
        The frequent features of the rows.
    rare : COO matrix of shape (k n, size)
        The values of the rare features. For n examples, row ``y n + i`` of the matrix belongs to
        the i-th example and label y. Each state has a column, which is empty if the feature of the
        state is frequent.
    states : SeenStates
        The states.
    """

    def __init__(self, frequent: Any, rare: Any, states: SeenStates) -> None:
        self._frequent, self._rare, self._states = frequent, rare, states

    def scores(self, w: Vector) -> Vector:
        found: Vector = (self._rare @ w).reshape(self._states.k, -1)
        found += (self._frequent @ self._states.spread(w)).T
        return found

    def sums(self, p: Any) -> Vector:
        p = dense(p)
        total: Vector = self._rare.T @ p.ravel()
        self._states.put(total, (p @ self._frequent).T)
        return total

    def squared(self) -> StateRows:
        rare = self._rare
        squares = sparse.coo_matrix((np.square(rare.data), (rare.row, rare.col)), rare.shape)
        return SeenStateRows(squared(self._frequent), squares, self._states)
