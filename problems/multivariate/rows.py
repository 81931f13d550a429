"""Scores and weighted sums of the rows of a matrix, shared by the problems of this family."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.matrices import product_dtype, weights_for
from structsvm.problem import Vector


def require_labels(labels: Any, n: int) -> None:
    """Raise a ValueError unless the labels are n booleans, with both True and False among them."""
    if not (isinstance(labels, np.ndarray) and labels.dtype == bool and labels.shape == (n,)):
        raise ValueError(
            f"the labels must be a boolean array of shape ({n},), True for the positive rows; "
            f"got {labels!r:.60}"
        )
    if labels.all() or not labels.any():
        raise ValueError("the labels hold one class only; expected both positive and negative rows")


def row_scores(x: Any, w: Vector) -> Vector:
    """The scores <w, x_i> of all rows, float64 of shape (n,)."""
    return np.asarray(x @ weights_for(x, w)).astype(np.float64, copy=False)


def weighted_sum(x: Any, weights: Vector) -> Vector:
    """The sum over i of weights[i] x_i, float64 of shape (d,)."""
    return np.asarray(x.T @ weights.astype(product_dtype(x))).astype(np.float64, copy=False)
