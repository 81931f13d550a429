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

    Attributes
    ----------
    matrix : ndarray or CSR matrix of shape (m, size)
    lengths : ndarray of shape (m,)
        The norms of the rows.
    """

    def __init__(self, size: int) -> None:
        self.matrix: Any = np.empty((0, size))
        self.lengths: Vector = np.empty(0)
        self._room: Vector = self.matrix  # a dense matrix is the first part of this buffer

    def __getstate__(self) -> dict[str, Any]:
        return {"matrix": self.matrix, "lengths": self.lengths}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.matrix, self.lengths = self._room, _ = state["matrix"], state["lengths"]

    def add(self, rows: Any) -> None:
        """Add rows, dense or CSR."""
        old, new = len(self.lengths), len(self.lengths) + rows.shape[0]
        if new == old:
            return
        self.lengths = np.append(self.lengths, row_lengths(rows))
        if sparse.issparse(self.matrix if old else rows):
            self.matrix = stacked([self.matrix, sparse.csr_matrix(rows)])
            return
        self._reserve(old, new)
        self._room[old:new] = dense(rows)
        self.matrix = self._room[:new]

    def keep(self, places: Indices) -> None:
        """Keep only the rows at these indices."""
        self.lengths = self.lengths[places]
        if sparse.issparse(self.matrix):
            self.matrix = self.matrix[places]
        else:
            self._room[: len(places)] = self.matrix[places]
            self.matrix = self._room[: len(places)]

    def replace(self, places: Indices, rows: Vector) -> None:
        """Replace some rows by others."""
        self.matrix[places] = rows
        self.lengths[places] = row_lengths(rows)

    def _reserve(self, used: int, m: int) -> None:
        capacity, size = self._room.shape
        if m <= capacity:
            return
        # A quarter more: copying stays rare, and the rows, the bulk of the memory, fit tightly.
        room = np.empty((max(m, capacity + capacity // 4), size))
        room[:used] = self._room[:used]
        self._room = room
