"""Base classes that derive the oracle for one example from the oracle for many examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import SoftOutput
from structsvm.data.arrays import Vector
from structsvm.task.task import Task


class ByTask(Problem):
    """Base class of problems whose tasks handle any number of examples at once.

    A subclass defines ``task``, and the class of its task defines at least ``search`` and
    ``decode``.
    """

    def one(self, x: Any) -> Any:
        """Return the inputs of a task whose only example is x."""
        return [x]

    def task_of_one(self, x: Any, y: Any) -> Any:
        """Return the task of the example (x, y), where y is an output, never an annotation."""
        return self.task(self.one(x)).with_labels([y])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self._own("search", self.task_of_one(x, y)).search(w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self._own("decode", self.task(self.one(x))).decode(w)[0]

    def _own(self, method: str, task: Any) -> Any:
        """Return the task, or raise a TypeError if its class does not override ``method``."""
        if getattr(type(task), method) is getattr(Task, method):
            raise TypeError(
                f"{type(self).__name__}.task returned a {type(task).__name__} without its own "
                f"{method}, which is made of it here: return a subclass of the task of its base"
            )
        return task


class SoftByTask(ByTask):
    """Base class of problems that treat a single example as a task, with a soft oracle."""

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        task = self._own("soft", self.task_of_one(x, y))
        values, difference, loss, _ = task.soft(w, mu, np.ones(1))
        return SoftOutput(float(values[0]), difference, loss)
