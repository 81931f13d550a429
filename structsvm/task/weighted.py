"""The wrapper for weights of examples (``sample_weight``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.products import Products
from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector
from structsvm.task.wrapper import Wrapper, where_defined


class Weighted(Wrapper):
    """A task whose losses and joint-feature differences are multiplied by the examples' weights.

    Weighted losses and differences give weighted slacks, and solvers need no code for weights.

    Parameters
    ----------
    task : Task or Wrapper
    factors : ndarray of shape (n,)
        The weights, divided by the mean weight of all examples.
    """

    def __init__(self, task: Any, factors: Vector) -> None:
        super().__init__(task)
        self.factors = factors

    def around(self, task: Any, places: Any = slice(None)) -> Any:
        return Weighted(task, self.factors[places])

    def losses(self, outputs: Any) -> Vector:
        return np.asarray(self.factors * self.task.losses(outputs))

    def evaluation_losses(self, outputs: Any) -> Vector:
        return np.asarray(self.factors * self.task.evaluation_losses(outputs))

    def joint_features(self, outputs: Any, places: Sequence[int]) -> Any:
        return _scaled(self.task.joint_features(outputs, places), self.factors[places])

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        return _scaled(self.task.differences(outputs, places), self.factors[places])

    def plane(self, outputs: Any, weights: Vector) -> Any:
        return self.task.plane(outputs, weights * self.factors)

    @where_defined
    def term_sizes(self, outputs: Any, places: Sequence[int]) -> tuple[Any, Vector]:
        rows, losses = self.task.term_sizes(outputs, places)
        return _scaled(rows, self.factors[places]), self.factors[places] * losses

    @where_defined
    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        found: SoftSum = self.task.soft(w, mu, weights * self.factors)
        slacks = None if found.slacks is None else self.factors * found.slacks
        return found._replace(values=self.factors * found.values, slacks=slacks)

    @where_defined
    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        return np.asarray(self.task.curvature(w, mu, weights * self.factors))

    @where_defined
    def score_outputs(self, w: Vector) -> Vector:
        return np.asarray(self.factors[:, None] * self.task.score_outputs(w))

    @where_defined
    def expected_difference(self, probabilities: Vector) -> Vector:
        return np.asarray(self.task.expected_difference(self.factors[:, None] * probabilities))

    @where_defined
    def products(self) -> Products:
        products, true, features = self.task.products()
        if products is not None:
            products = np.outer(self.factors, self.factors) * products
        return Products(
            products, true, None if features is None else _scaled(features, self.factors)
        )

    @where_defined
    def relabelled(self, passes: Any, weights: Vector, previous: Any = None) -> Any:
        return self.task.relabelled(passes, weights * self.factors, previous)


def _scaled(rows: Any, factors: Vector) -> Any:
    return sparse.diags(factors) @ rows if sparse.issparse(rows) else factors[:, None] * rows
