"""Axes of the weights of labels and edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import Axes
from structsvm.data.arrays import Vector
from structsvm.problems.classification.curvature_axes import FeatureAxes


class LabelAxes(Axes):
    """The axes of the weights of features; the weights of edges are axes themselves.

    Parameters
    ----------
    features : FeatureAxes
    m : int
        Number of edges, whose weights are the last.
    """

    def __init__(self, features: FeatureAxes, m: int) -> None:
        self._features, self._m = features, m

    def along(self, curvature: Vector) -> Vector:
        labels, pairs = self._divided(curvature)
        return np.append(self._features.along(labels), pairs)

    def times(self, factors: Any, w: Any) -> Any:
        of_labels, of_pairs = self._divided(factors)
        labels, pairs = self._divided(w)
        return np.concatenate([self._features.times(of_labels, labels), of_pairs * pairs], axis=-1)

    def _divided(self, w: Any) -> tuple[Any, Any]:
        first = w.shape[-1] - self._m
        return w[..., :first], w[..., first:]
