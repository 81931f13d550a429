"""Marginals of a distribution of label sets."""

from __future__ import annotations

from typing import NamedTuple

from structsvm.data.arrays import Vector


class LabelSetMarginals(NamedTuple):
    """The distribution of the label sets of n examples, p(y) = exp(score(y)) / Z.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        log Z.
    labels : ndarray of shape (n, n_labels)
        The probability of each label.
    pairs : ndarray of shape (m,)
        The probability that both labels of an edge are there, summed with the examples' weights.
    loss : float
        The weighted sum of the expected F1 losses; 0 if the scores contain no loss.
    """

    log_partition: Vector
    labels: Vector
    pairs: Vector
    loss: float = 0.0
