"""Steps of the ascent, one example after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices, Vector


@compiled("ascent")
def ascend(
    rows: Any,
    moves: Vector,
    order: Indices,
    losses: Vector,
    p: Vector,
    W: Vector,
    cap: float,
    gaps: Vector,
) -> None:
    """Move the probabilities of some examples to the largest dual value, and W along.

    Parameters
    ----------
    rows : CSR matrix of shape (n, d)
        The features.
    moves : ndarray, as ``rows.data``
        How far a feature's weights move, per unit of a probability.
    order : ndarray, int
        The examples, one after the other.
    losses : ndarray of shape (n, k)
        The scores of outputs at w = 0.
    p : ndarray of shape (n, k)
    W : ndarray of shape (d, k), of the dtype of ``rows``
    cap : float
        C/n.
    gaps : ndarray of shape (n,)
        Is set to the largest score less the expected one, before the step; 0 where p stays.
    """
    for i in order.tolist():
        own = slice(rows.indptr[i], rows.indptr[i + 1])
        x, columns = rows.data[own].astype(np.float64), rows.indices[own]
        scores = losses[i] + x @ W[columns]
        highest, curvature = scores.max(), float(x @ moves[own])
        gaps[i] = max(highest - p[i] @ scores, 0.0)
        if curvature > 0 and gaps[i] > 0:
            q = on_simplex(p[i] + (scores - highest) / (cap * curvature))
            W[columns] += np.multiply.outer(moves[own], cap * (p[i] - q)).astype(W.dtype)
            p[i] = q


def on_simplex(point: Vector) -> Vector:
    """The nearest point with entries >= 0 and a sum of 1 (Michelot, JOTA 50, 1986).

    Entries are at most about 1: larger ones would round the 1 away.
    """
    inside = point
    while True:
        level = (inside.sum() - 1) / len(inside)
        above = inside[inside > level]
        if len(above) == len(inside):
            return np.maximum(point - level, 0.0)
        inside = above
