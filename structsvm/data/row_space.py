"""The space that a matrix's rows span, for matrices with fewer rows than columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from structsvm.data.arrays import Vector

#: Largest number of reflections that LAPACK applies together.
BLOCK = 64


class RowSpace:
    """An orthonormal basis of a space that contains all rows of a matrix.

    The least-norm weights of a linear model lie in the space spanned by the rows. A linear model
    can be trained on the coordinates of the rows, because the coordinates and the rows have equal
    inner products.

    Parameters
    ----------
    rows : ndarray of shape (n, d), float64
        The n rows with d columns, where n <= d.

    Attributes
    ----------
    coordinates : ndarray of shape (n, n)
        The coordinates of the rows. The coordinates have the same inner products as the rows.
    """

    def __init__(self, rows: Any) -> None:
        # LAPACK's reflections are the basis, even if rows are linearly dependent.
        self._reflections, R = linalg.qr(rows.T, mode="raw", check_finite=False)
        self.coordinates: Vector = np.ascontiguousarray(R[: len(rows)].T)

    def lifted(self, weights: Vector) -> Vector:
        """Return weights of columns, shape (..., d), from weights (..., n) of coordinates."""
        reflections, scales = self._reflections
        columns = np.zeros((len(reflections), weights[..., 0].size), order="F")
        columns[: weights.shape[-1]] = weights.reshape(-1, weights.shape[-1]).T
        room = max(1, columns.shape[1]) * BLOCK
        multiply = linalg.lapack.dormqr
        columns, _, _ = multiply("L", "N", reflections, scales, columns, room, overwrite_c=1)
        return np.ascontiguousarray(columns.T).reshape(*weights.shape[:-1], -1)
