"""Bugs in what a task holds."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted_task
from benchmarks.robustness._planted_labels import (
    FastLabels,
    K,
    Labels,
    LabelsTask,
    labels,
    many_labels,
    scores,
)
from benchmarks.robustness._planted_tagging import FastTagging, TaggingTask, as_objects, sequences
from structsvm import Task

HOLDS = "A subclass converts X and Y here, once, to what its methods read"


def columns_of_large_numbers():
    X, Y = labels()
    return X * [1.0, 1e3, 1.0], Y


@planted_task(FastTagging, sequences, "task", "Y may be None")
class TaskNeedsTheLabels(TaggingTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, list(Y))


@planted_task(FastLabels, columns_of_large_numbers, "task", HOLDS, listed=False)
class TaskHalvesThePrecision(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X.astype(np.float16).astype(float), Y)


class Slices:
    """A container that cannot be read by an array of places."""

    def __init__(self, items):
        self.items, self.shape = list(items), (len(items),)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        found = self.items[place]
        return Slices(found) if isinstance(place, slice) else found


@planted_task(FastTagging, sequences, "task", "places : a range, slice or integer array")
class TaskTakesOnlySlices(TaggingTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.X, self.Y = Slices(X), None if Y is None else Slices(Y)


@planted_task(FastLabels, many_labels, "task", HOLDS)
class TaskNumbersTheLabelsFromOne(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, None if Y is None else (Y + 1) % K)


@planted_task(FastLabels, many_labels, "task", "No method may change its inputs in place")
class TaskCentresTheInputs(LabelsTask):
    def __init__(self, problem, X, Y=None):
        X -= X.mean(axis=0)
        super().__init__(problem, X, Y)


@planted_task(FastTagging, sequences, "task", HOLDS, listed=False)
class TaskPadsTheLabels(TaggingTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        if Y is not None:
            longest = max(map(len, Y))
            self.Y = as_objects([np.pad(y, (0, longest - len(y))) for y in Y])


@planted_task(FastTagging, sequences, "task", "n : number of examples", listed=False)
class TaskLeavesOutTheLastLabel(TaggingTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, None if Y is None else Y[:-1])


@planted_task(Labels, labels, "task", "what it leaves out calls the problem's methods")
class TaskAddsAColumn(Task):
    """Only one of its methods knows of it."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, np.c_[X, np.ones(len(X))], Y)

    def decode(self, w):
        return np.argmax(scores(self.X[:, :-1], w), axis=1)
