"""Steps of the ascent, for one example after another."""

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
    """Maximise the dual over the probabilities of each example in turn, and update W.

    Parameters
    ----------
    rows : CSR matrix of shape (n, d)
        The features.
    moves : ndarray, as ``rows.data``
        The entries of ``rows.data``, multiplied by a factor below 1 if the feature has a proximal
        term.
    order : ndarray, int
        The indices of the examples, in the order of their steps.
    losses : ndarray of shape (n, k)
        The losses of outputs, which are their scores at w = 0.
    p : ndarray of shape (n, k)
        The probabilities of outputs, changed in place.
    W : ndarray of shape (d, k), of the dtype of ``rows``
        The weights of each output, changed in place.
    cap : float
        C/n.
    gaps : ndarray of shape (n,)
        Each entry is set to the example's largest score minus the mean score under `p`, both before
        the example's step.
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
    """Return the nearest point with entries >= 0 that sum to 1 (Michelot, JOTA 50, 1986).

    The entries of `point` should not be much above 1, because large entries cause rounding errors
    in the sum.
    """
    inside = point
    while True:
        level = float(inside.sum() - 1) / len(inside)
        above = inside[inside > level]
        if len(above) == len(inside):
            return np.maximum(point - level, 0.0)
        inside = above
