"""The size of joint features, so that C means the same for all data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.problem import Vector
from structsvm.problems.item_sets import ItemSet
from structsvm.problems.supervised_kmeans.loss import clustering_matrix


def typical_scale(item_sets: Sequence[ItemSet], labels: Sequence[Any]) -> float:
    """Root of the mean squared norm of what chance lacks of the joint features; 1 if that is 0."""
    lacks = [lack_of_chance(items, y) for items, y in zip(item_sets, labels, strict=True)]
    return float(np.sqrt(np.mean([lack @ lack for lack in lacks]))) or 1.0


def lack_of_chance(items: ItemSet, y: Any) -> Vector:
    """Psi(x, y) less the mean of Psi(x, .) over all permutations of the labels.

    On the mean Y Y' has k/m on its diagonal and (m - k) / (m (m - 1)) elsewhere.
    """
    Y = clustering_matrix(y)
    m, k = Y.shape
    elsewhere = (m - k) / (m * (m - 1))
    factors = np.column_stack([Y, np.ones(m)])
    difference = items.weighted_sum(factors, np.append(np.ones(k), -elsewhere))
    return difference - (k / m - elsewhere) * items.diagonal_sum()
