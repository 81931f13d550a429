"""Sums of positive numbers that are represented by their logarithms."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector


def log_sums(logarithms: Vector, axis: int | tuple[int, ...] = -1) -> Vector:
    """Return log sum exp along an axis, or -inf if all terms are -inf.

    The function is equivalent to ``scipy.special.logsumexp``, but faster per call. Speed matters
    because inference calls this function at least once for each position.
    """
    top = logarithms.max(axis=axis, keepdims=True)
    top[top == -np.inf] = 0.0
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf
        return np.asarray(np.log(np.exp(logarithms - top).sum(axis=axis)) + top.squeeze(axis))
