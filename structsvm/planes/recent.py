"""The planes of a descent's last steps, and the best dual solution with these planes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import unbounded_dual_value
from structsvm.planes.plane import Cuts, Planes, SoftSource
from structsvm.planes.store import whole
from structsvm.qp.restricted import solve_restricted_dual

#: Number of entries of a row that are read at a time.
SLICE = 8192


class RecentPlanes(Planes):
    """A store of one-slack planes.

    A new plane replaces the plane with the least dual variable.

    Attributes
    ----------
    offsets, alpha : ndarray of shape (m,)
        The offset and the dual variable of each plane.
    sources : list of Source or SoftSource
    value : float
        The dual value of the most recent solution.

    Parameters
    ----------
    cap : float
        C, the upper bound on the sum of alpha.
    size : int
        Length of w.
    most : int
        Largest number of planes.
    dtype : dtype
        The dtype in which the rows are stored. Products and sums of rows are computed in float64.
    """

    def __init__(self, cap: float, size: int, most: int, dtype: Any = np.float64) -> None:
        self.cap, self.value = cap, 0.0
        self.offsets = self.alpha = self.lengths = np.empty(0)
        self.sources: list[Any] = []
        self.most, self.dtype = most, dtype
        self._point: tuple[Vector, float] | None = None
        self._new: list[int] = []  # indices of planes added after the last solution
        self._rows, self._gram = np.empty((most, size), dtype), np.empty((most, most))

    @property
    def rows(self) -> Vector:
        """The rows of the planes, shape (m, size)."""
        return self._rows[: len(self)]

    def slacks(self, w: Vector) -> Vector:
        """Return the mean slack at w that the planes imply, in an array of shape (1,)."""
        violations: Vector = self.offsets - self.rows @ w
        return np.asarray(violations.max(initial=0.0, keepdims=True))

    def add(self, cuts: Cuts) -> None:
        """Add the plane of a pass, with alpha = 0.

        If a soft oracle returned the plane, the oracle's w is stored in the dtype of the rows,
        which must represent w exactly.
        """
        m, j, row, source = len(self), self._place(), cuts.rows[0], cuts.sources[0]
        if isinstance(source, SoftSource):
            source = source._replace(w=source.w.astype(self.dtype))
        with whole(self, part=self._rows[j]):
            self._rows[j], self._point = row, None
            new = {"offsets": cuts.offsets[0], "alpha": 0.0, "lengths": np.linalg.norm(row)}
            for name, number in new.items():
                numbers = np.append(vars(self)[name], number)
                numbers[j] = number
                setattr(self, name, numbers[: max(m, j + 1)])
            self.sources = [*self.sources[:j], source, *self.sources[j + 1 :]]
            self._new = [*(k for k in self._new if k != j), j]

    def _place(self) -> int:
        """Return the index for the next plane.

        If the store is full, return the index of the plane to be replaced.
        """
        m = len(self)
        if m < self.most:
            return m
        if len(self._new) == m:
            return self._new[0]
        weights = self.alpha.copy()
        weights[self._new] = np.inf
        return int(weights.argmin())

    def solve(self) -> float:
        """Solve the problem restricted to the planes, and return the dual value."""
        m, new = len(self), self._new
        if not new:
            return self.value
        for j in new:
            self._gram[j, :m] = self._gram[:m, j] = self._products(j)
        # Most new planes will have a positive alpha in the solution.
        start = self.alpha / 2
        start[new] = (self.cap - start.sum()) / len(new)
        program = self._gram[:m, :m], self.offsets, np.zeros(m, dtype=np.intp), np.array([self.cap])
        with whole(self):
            self._new, self._point = [], None
            self.alpha = solve_restricted_dual(*program, start, rows=self.rows).alpha
            # Compute the value from v instead of the Gram matrix: if planes almost cancel, the
            # squares of their rows are larger than the square of v.
            self.value = unbounded_dual_value(*self.dual_point())
        return self.value

    def dual_point(self) -> tuple[Vector, float]:
        """Return the sum of the rows and the sum of the offsets, both weighted by alpha."""
        if self._point is None:
            v, some = np.empty(self._rows.shape[1]), np.flatnonzero(self.alpha)
            for part in self._slices():
                v[part] = self.alpha[some] @ self._rows[some, part].astype(np.float64, copy=False)
            self._point = v, float(self.alpha @ self.offsets)
        return self._point

    def _products(self, j: int) -> Vector:
        """Return the products of all rows with row j."""
        total = np.zeros(len(self))
        for part in self._slices():
            total += self.rows[:, part] @ self._rows[j, part]
        return total

    def _slices(self) -> Iterator[slice]:
        """Yield slices of columns so narrow that all rows of a slice fit in a processor's cache."""
        for start in range(0, self._rows.shape[1], SLICE):
            yield slice(start, start + SLICE)
