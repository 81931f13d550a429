"""States for all pairs of features and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.problems.classification.products import combined, products, squared
from structsvm.problems.classification.states.contract import StateRows, States
from structsvm.problems.classification.states.seen_states import SeenStates


class AllStates(States):
    """The states of all pairs of d features and k labels."""

    def __init__(self, d: int, k: int) -> None:
        self.d, self.k, self.size = d, k, d * k

    @property
    def places(self) -> tuple[Indices, Indices]:
        features, labels = np.divmod(np.arange(self.size), self.k)
        return features, labels

    def rows(self, X: Any) -> StateRows:
        return AllStateRows(X, self.k)

    def some(self, kept: Any) -> tuple[States, Indices]:
        if kept.all():
            return self, np.arange(self.size)
        return SeenStates(sparse.csr_matrix(kept.reshape(self.d, self.k))), np.flatnonzero(kept)

    def by_label(self, w: Vector) -> Any:
        return w.reshape(self.d, self.k).T

    def of_matrix(self, matrix: Any) -> Any:
        return matrix.reshape(*matrix.shape[:-2], self.size)

    def of_joint(self, joint: Any) -> Any:
        return joint


class AllStateRows(StateRows):
    """Rows for products with a dense matrix of weights."""

    def __init__(self, X: Any, k: int) -> None:
        self._X, self._k = X, k

    def scores(self, w: Vector) -> Vector:
        return products(w.reshape(-1, self._k).T, self._X)

    def sums(self, p: Any) -> Vector:
        found = p @ self._X if sparse.issparse(p) else combined(p, self._X)
        return np.ravel(dense(found).T)

    def squared(self) -> StateRows:
        return AllStateRows(squared(self._X), self._k)
