"""Surrogates with a fixed temperature, such as the log loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector
from structsvm.task.wrapper import Wrapper, where_defined


class Smoothed(Wrapper):
    """A task whose slacks are its soft slacks at a fixed temperature.

    Parameters
    ----------
    task : Task or Wrapper
    factor : float
        The factor of the loss in loss-augmented scores.
    """

    def __init__(self, task: Any, factor: float) -> None:
        super().__init__(task)
        self.factor = factor

    @where_defined
    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        found, factor = self.task.soft(w / self.factor, mu / self.factor, weights), self.factor
        values = factor * found.values
        return SoftSum(values, found.joint_feature_difference, 0.0, values)

    @where_defined
    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        return np.asarray(self.task.curvature(w / self.factor, mu / self.factor, weights))
