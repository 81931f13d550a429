"""Losses of predicted label sets: costs of single labels, and F1."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from structsvm.data.arrays import Numbers, Vector
from structsvm.data.matrices import checked_numbers

Cost = Literal["hamming", "f1"] | Numbers


class LabelCosts:
    """The mean over the labels of the costs of getting them wrong.

    Parameters
    ----------
    costs : ndarray of shape (n_labels,) or (n_labels, 2)
        The cost of getting each label wrong; with two columns, the costs of missing it and of
        predicting it where it is not. Ones are the Hamming loss.

    Attributes
    ----------
    largest : float
        The largest value of the loss.
    mean : float
        The mean cost.
    """

    def __init__(self, costs: Vector) -> None:
        n_labels = len(costs)
        both = np.broadcast_to(costs.reshape(n_labels, -1), (n_labels, 2)) / n_labels
        self._missed, self._extra = both.T
        self.largest, self.mean = float(both.max(axis=1).sum()), float(costs.mean())

    def added(self, scores: Vector, Y: Any) -> Vector:
        """The scores of labels plus the change of the loss when they are predicted."""
        changes = np.where(Y, -self._missed, self._extra)
        return scores + changes.astype(scores.dtype, copy=False)

    def constants(self, Y: Any) -> Vector:
        """The loss of predicting no labels, shape (n,)."""
        return Y @ self._missed

    def of(self, Y: Any, Y_hat: Any) -> Vector:
        """The losses of n predictions, or expected losses if given probabilities; shape (n,)."""
        return (np.where(Y, self._missed, self._extra) * np.abs(Y - Y_hat)).sum(axis=1)


def f1_losses(Y: Any, Y_hat: Any) -> Vector:
    """1 - F1 of n predictions, shape (n,); F1 is 1 where both sets are empty."""
    common, sizes = (Y * Y_hat).sum(axis=1), Y.sum(axis=1) + Y_hat.sum(axis=1)
    return f1_loss_of_counts(common, sizes)


def f1_loss_of_counts(common: Any, sizes: Any) -> Vector:
    """1 - F1 of two sets from the size of their intersection and the sum of their sizes."""
    return np.where(sizes > 0, 1 - 2 * common / np.maximum(sizes, 1), 0.0)


def label_costs(cost: Any, n_labels: int) -> LabelCosts | None:
    """The costs of labels, None for F1; a ValueError where they are unusable."""
    if isinstance(cost, str):
        if cost not in ("hamming", "f1"):
            raise ValueError(f"cost must be 'hamming', 'f1' or an array; got {cost!r}")
        return None if cost == "f1" else LabelCosts(np.ones(n_labels))
    table = checked_numbers("cost", cost)
    if table.shape not in ((n_labels,), (n_labels, 2)):
        raise ValueError(
            f"cost must be 'hamming', 'f1', or of shape ({n_labels},) or ({n_labels}, 2) for "
            f"{n_labels} labels; got shape {table.shape}"
        )
    if not (np.isfinite(table).all() and np.all(table >= 0) and table.any()):
        raise ValueError(f"cost must be finite, >= 0, and > 0 somewhere; got {table.tolist()}")
    return LabelCosts(table)
