"""Starts from two modes: each cluster's function from one of them."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from structsvm.problem import Vector


def crossed(one: Vector, other: Vector, rng: np.random.Generator) -> Vector:
    """Return scores of shape (n, k), the function of each cluster drawn from either scores.

    Clusters of both are matched by the Hungarian method, to have the most rows in common.
    """
    k = one.shape[1]
    common = np.zeros((k, k))
    np.add.at(common, (one.argmax(axis=1), other.argmax(axis=1)), 1)
    matched = linear_sum_assignment(common, maximize=True)[1]
    return np.where(rng.random(k) < 0.5, one, other[:, matched])
