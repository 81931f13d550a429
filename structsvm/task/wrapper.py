"""The base class of wrappers, which change some methods of a task and pass on all others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector


class Wrapper:
    """A wrapper of a task, which passes all calls on to the task.

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
        """Return a part of the task, for some of the examples, in the same wrapper."""
        return self.around(self.task.part(places), places)

    def with_labels(self, labels: Any) -> Any:
        """Return the wrapped task with `labels` in place of Y, or this task if `labels` is None."""
        return self if labels is None else self.around(self.task.with_labels(labels))

    def one(self, place: int, w: Vector) -> tuple[Any, float, Any]:
        """Return the most violated output of one example, with the offset and row of its plane.

        The row of the plane is a vector, or a sparse matrix of shape (1, size).
        """
        part = self.part(slice(place, place + 1))
        outputs = part.search(w)
        rows = part.differences(outputs, range(1))
        row = rows[0] if isinstance(rows, np.ndarray) else rows
        return outputs[0], float(part.losses(outputs)[0]), row

    def around(self, task: Any, places: Any = slice(None)) -> Any:
        """Return a copy of this wrapper around a task of the examples at ``places``."""
        wrapper = copy.copy(self)
        wrapper.task = task
        return wrapper

    # ------------------------------------------------------------------ the origin of points

    def at(self, w: Vector) -> Vector:
        """Add the prior weights, if the task has prior weights, to w."""
        return w

    def relative(self, w: Vector) -> Vector:
        """Subtract the prior weights, if the task has prior weights, from w."""
        return w

    def offsets(self, losses: Any, rows: Any) -> Any:
        """Return the offsets of planes, computed from the losses and rows of the planes."""
        return losses

    def losses_of(self, offsets: Any, rows: Any) -> Any:
        """Compute the losses of planes from offsets and rows, up to rounding errors."""
        return offsets

    def offset_size(self, loss: float, sizes: Vector) -> float:
        """Return the sum of the absolute values of the terms in a plane's offset."""
        return loss

    def moved(self, constraints: Any) -> Any:
        """Convert constraints on the problem's w to constraints on w minus the prior."""
        return constraints


class where_defined:
    """An optional method of a wrapper, which is None if the wrapped task does not define it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __set_name__(self, kind: Any, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, kind: Any) -> Any:
        if instance is None:
            return self.method
        inside = getattr(instance.task, self.name)
        return None if inside is None else self.method.__get__(instance)
