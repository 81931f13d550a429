"""Axes of a chain's weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import Axes
from structsvm.data.arrays import Vector
from structsvm.problems.classification.curvature_axes import FeatureAxes


class ChainAxes(Axes):
    """The axes of the weights of features; the weights of transitions are axes themselves.

    Parameters
    ----------
    features : FeatureAxes
    d : int
        Number of features.
    """

    def __init__(self, features: FeatureAxes, d: int) -> None:
        self._features, self._d, self._k = features, d, features.k

    def along(self, curvature: Vector) -> Vector:
        labels, pairs = self._divided(curvature)
        return np.append(self._features.along(labels), pairs)

    def times(self, factors: Any, w: Any) -> Any:
        labels, pairs = self._divided(w)
        m = len(factors) - pairs.shape[-1]
        stretched = self._features.times(factors[:m], labels)
        return np.concatenate([_transposed(stretched, self._k), factors[m:] * pairs], axis=-1)

    def _divided(self, w: Any) -> tuple[Any, Any]:
        """The weights of features, a row for each label, and the weights of transitions."""
        labels, pairs = np.split(w, [self._d * self._k], axis=-1)
        return _transposed(labels, self._d), pairs


def _transposed(matrices: Any, rows: int) -> Any:
    """Flattened matrices with this number of rows, transposed and flattened."""
    shape = *matrices.shape[:-1], rows, -1
    return matrices.reshape(shape).swapaxes(-1, -2).reshape(matrices.shape)
