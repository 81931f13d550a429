"""Coordinates of w in which directions of different size are apart.

A Gram matrix holds the squares of its rows: where columns differ by many decades, or all rows have
a large part in common, the small differences that decide are lost to rounding. In orthonormal
coordinates that begin with the direction of the longest row these differences are columns of their
own, known to their own precision.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense

#: Numbers in the rows up to which the rows are factorised; beyond it, the Gram matrix is.
MOST_NUMBERS = 20_000_000
#: Columns of coordinates smaller than this fraction of the largest are rounding errors, where rows
#: are linearly dependent.
NEGLIGIBLE = 1e-30


class Coordinates(NamedTuple):
    """Rows A of shape (m, size) as ``A = T Q``, where the r rows of Q are orthonormal.

    Attributes
    ----------
    T : ndarray of shape (m, r)
        The coordinates of the rows; no column is 0.
    Q : ndarray of shape (r, n_columns) or None
        None where just the Gram matrix is known.
    columns : ndarray of shape (n_columns,) or None
        The columns of A that are not 0, to which Q belongs.
    size : int
        Number of columns of A.
    """

    T: Vector
    Q: Vector | None = None
    columns: Indices | None = None
    size: int = 0

    @classmethod
    def of_rows(cls, A: Any) -> "Coordinates | None":
        """The coordinates of rows, dense or CSR; None where there are too many numbers.

        Uses Householder reflections with pivots, with the larger columns first, so that each column
        keeps its accuracy (Cox & Higham, BIT 38, 1998).
        """
        largest = np.asarray(dense(abs(A).max(axis=0))).ravel()
        columns = np.argsort(-largest, kind="stable")[: np.count_nonzero(largest)]
        if A.shape[0] * len(columns) > MOST_NUMBERS:
            return None
        Q, R, pivots = scipy.linalg.qr(dense(A[:, columns]).T, mode="economic", pivoting=True)
        T = np.empty(R.T.shape)
        T[pivots] = R.T
        sizes = np.abs(T).max(axis=0)
        used = sizes > NEGLIGIBLE * sizes.max(initial=0.0)
        return cls(T[:, used], Q.T[used], columns, A.shape[1])

    @classmethod
    def of_gram(cls, H: Vector) -> "Coordinates":
        """The coordinates of rows with this Gram matrix, as exact as it is."""
        values, vectors = np.linalg.eigh(H)
        used = values > np.finfo(float).eps * len(H) * max(values[-1], 0.0)
        return cls(vectors[:, used] * np.sqrt(values[used]))

    def point(self, z: Vector) -> Vector | None:
        """The w with these coordinates, shape (size,); None where just the Gram matrix is known."""
        if self.Q is None:
            return None
        w = np.zeros(self.size)
        w[self.columns] = z @ self.Q
        return w
