"""Sums of numbers that are given by their logarithms."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector


def log_sums(logarithms: Vector, axis: int | tuple[int, ...] = -1) -> Vector:
    """log sum exp along an axis; -inf where all terms are.

    As ``scipy.special.logsumexp``, but with less to do for each call: an inference makes one or
    several for each position.
    """
    top = logarithms.max(axis=axis, keepdims=True)
    top[top == -np.inf] = 0.0
    with np.errstate(divide="ignore"):  # of the logarithm of 0
        return np.asarray(np.log(np.exp(logarithms - top).sum(axis=axis)) + top.squeeze(axis))
