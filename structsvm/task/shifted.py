"""The wrapper for a prior: solvers work with w minus the prior."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.task.sums import products
from structsvm.task.wrapper import Wrapper, where_defined


def _at_sum(name: str) -> Any:
    """Return a method of Shifted that adds the prior to w, and calls the task's method."""

    def method(shifted: Shifted, w: Vector, *arguments: Any) -> Any:
        return getattr(shifted.task, name)(w + shifted.prior, *arguments)

    return where_defined(method)


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

    def one(self, place: int, w: Vector) -> tuple[Any, float, Any]:
        output, loss, row = super().one(place, w)
        return output, loss - float((row @ self.prior).sum()), row

    search, decode, impute = map(_at_sum, ("search", "decode", "impute"))
    refine, search_pool, soft = map(_at_sum, ("refine", "search_pool", "soft"))
    curvature, score_outputs = map(_at_sum, ("curvature", "score_outputs"))
