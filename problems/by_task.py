"""Base classes that derive the methods for one example from the task of a problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import SoftOutput
from structsvm.data.arrays import Vector


class ByTask(Problem):
    """A problem that searches by its task, also for a single example.

    A subclass defines ``task``, and in its task at least ``search`` and ``decode``.
    """

    def one(self, x: Any) -> Any:
        """Return the inputs of a task whose only example is x."""
        return [x]

    def task_of_one(self, x: Any, y: Any) -> Any:
        """Return the task of the example (x, y), where y is an output, never an annotation."""
        return self.task(self.one(x)).with_labels([y])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.task_of_one(x, y).search(w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.task(self.one(x)).decode(w)[0]


class SoftByTask(ByTask):
    """The same for a problem whose task has a soft oracle."""

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        values, difference, loss, _ = self.task_of_one(x, y).soft(w, mu, np.ones(1))
        return SoftOutput(float(values[0]), difference, loss)
