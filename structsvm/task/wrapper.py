"""The base class of wrappers of a task, which change some methods and pass on the others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector


class Wrapper:
    """A wrapper of a task, which passes all calls on.

    Parameters
    ----------
    task : Task or Wrapper
    """

    def __init__(self, task: Any) -> None:
        self.task = task

    def __getattr__(self, name: str) -> Any:
        if name == "task" or name.startswith("__"):  # while the wrapper is copied or loaded
            raise AttributeError(name)
        return getattr(self.task, name)

    def part(self, places: Any) -> Any:
        """Return the wrapped task of some of the examples."""
        return self.around(self.task.part(places), places)

    def with_labels(self, labels: Any) -> Any:
        """Return the wrapped task with other outputs, or this task if `labels` is None."""
        return self if labels is None else self.around(self.task.with_labels(labels))

    def one(self, place: int, w: Vector) -> tuple[Any, float, Any]:
        """Return the most violated output of one example, with the offset and row of its plane.

        The row is a vector, or a sparse matrix of one row.
        """
        part = self.part(slice(place, place + 1))
        outputs = part.search(w)
        rows = part.differences(outputs, range(1))
        row = rows[0] if isinstance(rows, np.ndarray) else rows
        return outputs[0], float(part.losses(outputs)[0]), row

    def around(self, task: Any, places: Any = slice(None)) -> Any:
        """Return the same wrapper around a task of some of the examples."""
        wrapper = copy.copy(self)
        wrapper.task = task
        return wrapper

    # ------------------------------------------------------------------ the origin of points

    def at(self, w: Vector) -> Vector:
        """Return the point for the problem's methods, from a point of the solvers."""
        return w

    def relative(self, w: Vector) -> Vector:
        """Return the point for the solvers, from a point of the problem's methods."""
        return w

    def offsets(self, losses: Any, rows: Any) -> Any:
        """Return the offsets of planes with these losses and rows."""
        return losses

    def losses_of(self, offsets: Any, rows: Any) -> Any:
        """Return the losses of planes with these offsets and rows, >= 0 up to rounding errors."""
        return offsets

    def offset_size(self, loss: float, sizes: Vector) -> float:
        """Return the size of the terms of an offset, from the sizes of its loss and its row."""
        return loss

    def moved(self, constraints: Any) -> Any:
        """Return constraints on the problem's w as constraints on points of the solvers."""
        return constraints


class where_defined:
    """An optional method of a wrapper, which is None if the task inside does not define it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __set_name__(self, kind: Any, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, kind: Any) -> Any:
        if instance is None:
            return self.method
        inside = getattr(instance.task, self.name)
        return None if inside is None else self.method.__get__(instance)
