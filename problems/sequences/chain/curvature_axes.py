"""Axes of a chain's weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.classification.curvature_axes import AxesBefore, FeatureAxes


class ChainAxes(AxesBefore):
    """The axes of the weights of features, by feature; transitions follow.

    Parameters
    ----------
    features : FeatureAxes
    d : int
        Number of features.
    """

    def __init__(self, features: FeatureAxes, d: int) -> None:
        super().__init__(features, d * features.k)
        self._d, self._k = d, features.k

    def along(self, curvature: Vector) -> Vector:
        return super().along(self._transposed(curvature, self._d))

    def times(self, factors: Any, w: Any) -> Any:
        return self._transposed(super().times(factors, self._transposed(w, self._d)), self._k)

    def _transposed(self, w: Any, rows: int) -> Any:
        """The weights with those of features, a matrix of this number of rows, transposed."""
        features, others = np.split(w, [self._first], axis=-1)
        by_row = features.reshape(*features.shape[:-1], rows, -1).swapaxes(-1, -2)
        return np.concatenate([by_row.reshape(features.shape), others], axis=-1)
