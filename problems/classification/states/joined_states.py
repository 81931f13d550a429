"""States of rows that have both sparse and dense columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import side_by_side
from structsvm.problems.classification.states.contract import StateRows, States


class JoinedStates(States):
    """The states of the sparse columns of rows, followed by the states of the dense columns."""

    def __init__(self, first: States, second: States) -> None:
        self.first, self.second, self.k = first, second, first.k
        self.d, self.size = first.d + second.d, first.size + second.size

    @property
    def places(self) -> tuple[Indices, Indices]:
        (features, labels), (others, more) = self.first.places, self.second.places
        return np.append(features, others + self.first.d), np.append(labels, more)

    def rows(self, X: Any) -> StateRows:
        return JoinedStateRows(
            self.first.rows(X.sparse), self.second.rows(X.dense), self.first.size
        )

    def some(self, kept: Any) -> tuple[States, Indices]:
        first, places = self.first.some(kept[: self.first.size])
        others = np.arange(self.first.size, self.size)
        return JoinedStates(first, self.second), np.append(places, others)

    def by_label(self, w: Vector) -> Any:
        first, second = np.split(w, [self.first.size])
        return side_by_side([self.first.by_label(first), self.second.by_label(second)])

    def of_matrix(self, matrix: Any) -> Any:
        first, second = np.split(matrix, [self.first.d], axis=-2)
        return np.concatenate([self.first.of_matrix(first), self.second.of_matrix(second)], axis=-1)

    def of_joint(self, joint: Any) -> Any:
        end = self.first.d * self.k
        return sparse.hstack([self.first.of_joint(joint[:, :end]), joint[:, end:]], format="csr")


class JoinedStateRows(StateRows):
    def __init__(self, first: StateRows, second: StateRows, size: int) -> None:
        self._first, self._second, self._size = first, second, size

    def scores(self, w: Vector) -> Vector:
        found = self._first.scores(w[: self._size])
        found += self._second.scores(w[self._size :])
        return found

    def sums(self, p: Any) -> Vector:
        return np.concatenate([self._first.sums(p), self._second.sums(p)])

    def squared(self) -> StateRows:
        return JoinedStateRows(self._first.squared(), self._second.squared(), self._size)
