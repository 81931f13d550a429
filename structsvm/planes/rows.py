"""The growing matrix of the rows of a store of planes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense, stacked
from structsvm.planes.plane import row_lengths


class Rows:
    """Rows one below the other; the first ones decide whether the matrix is dense or CSR.

    They never change: further or other rows are a new object, which shares what it can.

    Attributes
    ----------
    matrix : ndarray or CSR matrix of shape (m, size)
    lengths : ndarray of shape (m,)
        The norms of the rows.
    """

    def __init__(self, size: int) -> None:
        self._set(np.empty((0, size)), np.empty(0))

    def _set(self, matrix: Any, lengths: Vector, room: Any = None) -> Rows:
        self.matrix, self.lengths = matrix, lengths
        # A dense matrix may be the first part of a buffer, for the rows to come.
        self._room: Any = matrix if room is None else room
        return self

    def _new(self, matrix: Any, lengths: Vector, room: Any = None) -> Rows:
        return Rows.__new__(Rows)._set(matrix, lengths, room)

    def __getstate__(self) -> dict[str, Any]:
        return {"matrix": self.matrix, "lengths": self.lengths}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(state["matrix"], state["lengths"])

    def and_more(self, rows: Any) -> Rows:
        """These rows and further ones, dense or CSR."""
        old, new = len(self.lengths), len(self.lengths) + rows.shape[0]
        if new == old:
            return self
        lengths = np.append(self.lengths, row_lengths(rows))
        if sparse.issparse(self.matrix if old else rows):
            return self._new(stacked([self.matrix, sparse.csr_matrix(rows)]), lengths)
        room = self._reserved(old, new)
        room[old:new] = dense(rows)
        return self._new(room[:new], lengths, room)

    def part(self, places: Indices) -> Rows:
        """The rows at these indices."""
        return self._new(self.matrix[places], self.lengths[places])

    def with_others(self, places: Indices, rows: Vector) -> Rows:
        """The rows with those at these indices replaced."""
        matrix, lengths = self.matrix.copy(), self.lengths.copy()
        matrix[places], lengths[places] = rows, row_lengths(rows)
        return self._new(matrix, lengths)

    def _reserved(self, used: int, m: int) -> Vector:
        """A buffer of at least m rows that begins with the rows in use."""
        capacity, size = self._room.shape
        if m <= capacity:
            return self._room
        # A quarter more: copying stays rare, and the rows, the bulk of the memory, fit tightly.
        room = np.empty((max(m, capacity + capacity // 4), size))
        room[:used] = self._room[:used]
        return room
