"""A point that moves along sparse rows, and the weighted average of where it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.planes.example_planes import OwnPlane

#: Rows and their signs: a direction is their sum.
Terms = Sequence[tuple[OwnPlane, float]]


class AveragedPoint:
    """A point that starts at 0, in steps that take the time of their rows' entries.

    The weight of a point in the average grows linearly with the step (Lacoste-Julien et al., ICML
    2013, section 3): w_k has the weight k + 1. With T(k) = k (k + 1) / 2, the average after k steps
    is w_k less the sum of all T(j) (w_j - w_{j - 1}), divided by T(k + 1).

    Attributes
    ----------
    w : ndarray of shape (size,)
        The point; steps change it in place.
    steps : int
    """

    def __init__(self, size: int) -> None:
        self.w, self.steps = np.zeros(size), 0
        self._lag, self._direction = np.zeros(size), np.zeros(size)

    @property
    def average(self) -> Vector:
        """The weighted average of all points so far, a copy."""
        return self.w - self._lag / _triangular(self.steps + 1)

    def squared_norm(self, direction: Terms) -> float:
        """The squared norm of a direction."""
        entries = self._direction
        for row, _ in direction:  # Ctrl-C may have left some
            entries[row.where] = 0.0
        for row, sign in direction:
            entries[row.where] += sign * row.values
        return sum(sign * float(row.values @ entries[row.where]) for row, sign in direction)

    def step(self, direction: Terms, length: float) -> None:
        """Move by a multiple of a direction."""
        self.steps += 1
        weight = _triangular(self.steps)
        for row, sign in direction:
            change = (sign * length) * row.values
            self.w[row.where] += change
            self._lag[row.where] += weight * change


def _triangular(k: int) -> float:
    return k * (k + 1) / 2
