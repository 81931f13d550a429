"""A task of examples in files, with only one block in memory at a time."""

from __future__ import annotations

import copy
import pickle
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.blocks import Stored
from structsvm.task.sums import ends_within
from structsvm.task.task import Task


def of_block(name: str) -> Any:
    """Return a property for the task's method ``name``; its value is None without the method."""

    def method(task: StoredTask) -> Callable[..., Any] | None:
        return None if getattr(task.first, name) is None else partial(_answer, task, name)

    return property(method)


def _answer(task: StoredTask, name: str, *arguments: Any) -> Any:
    return getattr(task.loaded(), name)(*map(_read, arguments))


class StoredTask(Task):
    """A problem bound to examples in files. Each method reads the block that holds its examples.

    All examples of a call are in one block, because solvers process the data block by block. The
    outputs of a search are also written to a file.

    Parameters
    ----------
    problem : Problem
        The initialized problem. The class of the problem must override ``task``.
    X, Y : Stored

    Attributes
    ----------
    first : Task
        The problem's task for the first example alone.
    """

    def __init__(self, problem: Any, X: Stored, Y: Stored) -> None:
        super().__init__(problem, X, Y)
        self.first, self.ends = problem.task(X[:1], Y[:1]), X.files.ends
        self._last = threading.local()

    def part(self, places: range | slice | Indices) -> StoredTask:
        part, which = copy.copy(self), np.arange(self.n)[places]
        part.X, part.Y = self.X.some(which), self.Y.some(which)
        part.n, part.ends = len(which), ends_within(which, self.ends)
        return part

    def loaded(self) -> Any:
        """Load the block from its file, and return a task of the loaded examples."""
        if getattr(self._last, "owner", None) is not self:
            self._last.owner = self._last.task = None  # before the next block is read
            files = self.X.files
            number, places = files.places(self.X.examples)
            task = self.problem.task(*files.read(number))
            self._last.task = task if len(places) == task.n else task.part(places)
            self._last.owner = self
        return self._last.task

    def search(self, w: Vector) -> Outputs:
        return Outputs(self.loaded().search(w), self.X.files.folder)

    def decode(self, w: Vector) -> Outputs:
        return Outputs(self.loaded().decode(w), self.X.files.folder)

    losses, plane = of_block("losses"), of_block("plane")
    joint_features, differences = of_block("joint_features"), of_block("differences")
    soft, term_sizes, curvature, axes = map(of_block, ("soft", "term_sizes", "curvature", "axes"))


class Outputs(Sequence[Any]):
    """Outputs of a search, in a file that is deleted with this object."""

    def __init__(self, outputs: Any, folder: str) -> None:
        self._n = len(outputs)
        file, path = mkstemp(dir=folder)
        self._path = Path(path)
        with open(file, "wb") as opened:
            pickle.dump(outputs, opened, protocol=5)
        weakref.finalize(self, self._path.unlink, missing_ok=True)

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, which: Any) -> Any:
        return self.read()[which]

    def read(self) -> Any:
        """Return the outputs in the container that the search returned."""
        return pickle.loads(self._path.read_bytes())


def _read(outputs: Any) -> Any:
    return outputs.read() if isinstance(outputs, Outputs) else outputs
