"""Some entries of a vector, read and added to in runs of equal length."""

from __future__ import annotations

import math

import numpy as np

from structsvm.problem import Indices, Vector


class Columns:
    """The entries of w at some places.

    Places often come in runs of one length, such as the weights of a feature for every label: then
    w is a matrix, and whole rows of it are read, several times as fast as single entries.

    Parameters
    ----------
    places : ndarray of shape (m,), int
        Rising.
    size : int
        Length of w.

    Attributes
    ----------
    m : int
    """

    def __init__(self, places: Indices, size: int) -> None:
        self.m = len(places)
        starts = places[np.flatnonzero(np.diff(places, prepend=-2) != 1)]
        ends = places[np.flatnonzero(np.diff(places, append=size + 1) != 1)] + 1
        self._width = math.gcd(size, int(np.gcd.reduce(starts)), int(np.gcd.reduce(ends)))
        self._rows = places[:: self._width] // self._width

    def of(self, w: Vector) -> Vector:
        """The entries of w, a copy."""
        return w.reshape(-1, self._width)[self._rows].reshape(-1)

    def add(self, total: Vector, values: Vector) -> None:
        """Add values to these entries of ``total``."""
        total.reshape(-1, self._width)[self._rows] += values.reshape(-1, self._width)

    def set(self, w: Vector, values: Vector) -> None:
        """Replace these entries of w."""
        w.reshape(-1, self._width)[self._rows] = values.reshape(-1, self._width)
