"""Labels of k clusters as the vertices of a simplex."""

from __future__ import annotations

import math

import numpy as np

from structsvm.data.arrays import Vector


def simplex(k: int) -> Vector:
    """k unit vectors of sum 0, with inner products -1 / (k - 1); shape (k, k - 1).

    For two clusters they are -1 and +1 (Mroueh, Poggio, Rosasco & Slotine, Multiclass Learning with
    Simplex Coding, NIPS 2012).
    """
    codes = np.zeros((k, k - 1))
    for axis in range(k - 1):
        # The vertices that are left form a simplex in the other axes, at this height.
        height = math.sqrt(1 - float(codes[axis] @ codes[axis]))
        codes[axis, axis] = -height
        codes[axis + 1 :, axis] = height / (k - 1 - axis)
    return codes


def least_imbalance(n: int, k: int) -> float:
    """The norm of the sum of the codes of n rows in k clusters of sizes as equal as possible."""
    rest = n % k
    return math.sqrt(rest * (k - rest) / (k - 1))
