"""The wrapper for a prior: solvers work with w minus the prior."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector
from structsvm.task.sums import products
from structsvm.task.wrapper import Wrapper, where_defined


class Shifted(Wrapper):
    """A task whose methods take the difference of w and the prior weights as their argument.

    Parameters
    ----------
    task : Task or Wrapper
    prior : ndarray of shape (size,)
    """

    def __init__(self, task: Any, prior: Vector) -> None:
        super().__init__(task)
        self.prior = prior

    def around(self, task: Any, places: Any = slice(None)) -> Any:
        return Shifted(task, self.prior)

    def at(self, w: Vector) -> Vector:
        return w + self.prior

    def relative(self, w: Vector) -> Vector:
        return w - self.prior

    def offsets(self, losses: Any, rows: Any) -> Any:
        return losses - products(rows, self.prior)

    def losses_of(self, offsets: Any, rows: Any) -> Any:
        return np.abs(offsets + products(rows, self.prior))

    def offset_size(self, loss: float, sizes: Vector) -> float:
        return loss + float(sizes @ np.abs(self.prior))

    def moved(self, constraints: Any) -> Any:
        return constraints.relative_to(self.prior)

    def search(self, w: Vector) -> Any:
        return self.task.search(w + self.prior)

    def one(self, place: int, w: Vector) -> tuple[Any, float, Any]:
        output, loss, row = super().one(place, w)
        return output, loss - float((row @ self.prior).sum()), row

    def decode(self, w: Vector) -> Any:
        return self.task.decode(w + self.prior)

    def impute(self, w: Vector) -> Any:
        return self.task.impute(w + self.prior)

    @where_defined
    def refine(self, w: Vector, outputs: Any) -> Any:
        return self.task.refine(w + self.prior, outputs)

    @where_defined
    def search_pool(self, w: Vector, pool: Any) -> Any:
        return self.task.search_pool(w + self.prior, pool)

    @where_defined
    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        found: SoftSum = self.task.soft(w + self.prior, mu, weights)
        return found

    @where_defined
    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        return np.asarray(self.task.curvature(w + self.prior, mu, weights))

    @where_defined
    def score_outputs(self, w: Vector) -> Vector:
        return np.asarray(self.task.score_outputs(w + self.prior))
