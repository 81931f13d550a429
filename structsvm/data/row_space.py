"""The space that rows span, where they are fewer than their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from structsvm.data.arrays import Vector

#: Reflections that LAPACK applies at once, at most.
BLOCK = 64


class RowSpace:
    """An orthonormal basis of a space that holds all rows of a matrix.

    A linear model of the rows whose weights have the least norm has them in this space: it can be
    trained on the coordinates in place of the rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d), float64
        n <= d.

    Attributes
    ----------
    coordinates : ndarray of shape (n, n)
        Of the rows: their inner products are the same.
    """

    def __init__(self, rows: Any) -> None:
        # LAPACK's reflections are the basis: rows may depend on each other.
        self._reflections, R = linalg.qr(rows.T, mode="raw", check_finite=False)
        self.coordinates: Vector = np.ascontiguousarray(R[: len(rows)].T)

    def lifted(self, weights: Vector) -> Vector:
        """The weights of the columns, shape (..., d), from those of the coordinates, (..., n)."""
        reflections, scales = self._reflections
        columns = np.zeros((len(reflections), weights[..., 0].size), order="F")
        columns[: weights.shape[-1]] = weights.reshape(-1, weights.shape[-1]).T
        room = max(1, columns.shape[1]) * BLOCK
        multiply = linalg.lapack.dormqr
        columns, _, _ = multiply("L", "N", reflections, scales, columns, room, overwrite_c=1)
        return np.ascontiguousarray(columns.T).reshape(*weights.shape[:-1], -1)
