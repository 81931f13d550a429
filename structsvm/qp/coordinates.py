"""Orthonormal coordinates of w that preserve small differences between the rows of planes.

A Gram matrix consists of inner products of rows. Inner products lose small differences between rows
to rounding if the columns have very different sizes, or if all rows have a large part in common.
The first orthonormal axis is the direction of the longest row. If all rows are close to the longest
row, only the first coordinate is large, and the other coordinates represent small differences
between rows with full precision.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense

#: Number of entries up to which the rows are factorised, and above which the Gram matrix is.
MOST_NUMBERS = 20_000_000
#: Size of a column of coordinates, relative to the largest, below which it is a rounding error
#: because rows are linearly dependent.
NEGLIGIBLE = 1e-30


class Coordinates(NamedTuple):
    """The coordinates T of rows A of shape (m, size): ``A = T Q``, with orthonormal rows in Q.

    Attributes
    ----------
    T : ndarray of shape (m, r)
        The coordinates of the rows. No column of T is 0.
    Q : ndarray of shape (r, n_columns) or None
        The orthonormal rows Q; None if only the Gram matrix is known.
    columns : ndarray of shape (n_columns,) or None
        The indices of the nonzero columns of A, which correspond to the columns of Q.
    size : int
        Length of the rows whose coordinates are stored.
    """

    T: Vector
    Q: Vector | None = None
    columns: Indices | None = None
    size: int = 0

    @classmethod
    def of_rows(cls, A: Any) -> "Coordinates | None":
        """Compute the coordinates of dense or CSR rows.

        Return None if the rows have too many entries.

        Householder reflections that treat larger columns first preserve the accuracy of each column
        (Cox & Higham, BIT 38, 1998).
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
        """Compute the coordinates of rows from the Gram matrix of the rows."""
        values, vectors = np.linalg.eigh(H)
        used = values > np.finfo(float).eps * len(H) * max(values[-1], 0.0)
        return cls(vectors[:, used] * np.sqrt(values[used]))

    def point(self, z: Vector) -> Vector | None:
        """Return the w with these coordinates, or None if only a Gram matrix is known."""
        if self.Q is None:
            return None
        w = np.zeros(self.size)
        w[self.columns] = z @ self.Q
        return w
