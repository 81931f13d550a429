"""A task seen through another, which changes what it knows and passes on all else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector


class Wrapper:
    """A task around another one.

    Parameters
    ----------
    task : Task or Wrapper
    """

    def __init__(self, task: Any) -> None:
        self.task = task

    def __getattr__(self, name: str) -> Any:
        if name == "task" or name.startswith("__"):  # while it is copied or loaded
            raise AttributeError(name)
        return getattr(self.task, name)

    def part(self, places: Any) -> Any:
        """The task of some of the examples."""
        return self.around(self.task.part(places), places)

    def with_labels(self, labels: Any) -> Any:
        """The task with other outputs; None for its own."""
        return self if labels is None else self.around(self.task.with_labels(labels))

    def one(self, place: int, w: Vector) -> tuple[Any, float, Any]:
        """The most violated output of one example, and the offset and row of its plane.

        The row is a vector, or a sparse matrix of one row.
        """
        part = self.part(slice(place, place + 1))
        outputs = part.search(w)
        rows = part.differences(outputs, range(1))
        row = rows[0] if isinstance(rows, np.ndarray) else rows
        return outputs[0], float(part.losses(outputs)[0]), row

    def around(self, task: Any, places: Any = slice(None)) -> Any:
        """The same wrapper around the task of some of the examples."""
        wrapper = copy.copy(self)
        wrapper.task = task
        return wrapper

    # ------------------------------------------------------------------ the origin of points

    def at(self, w: Vector) -> Vector:
        """The point of the problem's methods."""
        return w

    def relative(self, w: Vector) -> Vector:
        """The point of solvers that is this point of the problem's methods."""
        return w

    def offsets(self, losses: Any, rows: Any) -> Any:
        """The offsets of planes with these losses and rows."""
        return losses

    def losses_of(self, offsets: Any, rows: Any) -> Any:
        """The losses of planes with these offsets and rows, >= 0 but for rounding errors."""
        return offsets

    def offset_size(self, loss: float, sizes: Vector) -> float:
        """The size of the terms of an offset, from those of its loss and row."""
        return loss

    def moved(self, constraints: Any) -> Any:
        """Constraints on the problem's w as constraints on points of solvers."""
        return constraints


class where_defined:
    """A wrapper's version of an optional method: None where the task inside has none."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __set_name__(self, kind: Any, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, kind: Any) -> Any:
        if instance is None:
            return self.method
        inside = getattr(instance.task, self.name)
        return None if inside is None else self.method.__get__(instance)
