"""Bugs in the data that a task holds."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.labels import FastLabels, K, Labels, labels, scores
from benchmarks.robustness._planted.correct.tagging import FastTagging, as_objects
from benchmarks.robustness._planted.register import bug, bugs, silent
from structsvm import Task

TASK = ["task"]
HOLDS = ".__init__"


def columns_of_large_numbers():
    X, Y = labels()
    return X * [1.0, 1e3, 1.0], Y


class Slices:
    """A container that cannot be read by an array of places."""

    def __init__(self, items):
        self.items, self.shape = list(items), (len(items),)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        found = self.items[place]
        return Slices(found) if isinstance(place, slice) else found


def of_labels(change):
    """The labels are changed, if there are any."""
    return lambda right, task, problem, X, Y: right(problem, X, None if Y is None else change(Y))


def centred_in_place(right, task, problem, X, Y):
    X -= X.mean(axis=0)
    right(problem, X, Y)


def in_slices(right, task, problem, X, Y):
    right(problem, X, Y)
    task.X, task.Y = Slices(X), None if Y is None else Slices(Y)


def in_an_iterator(right, task, problem, X, Y):
    right(problem, X, Y)
    task.X = iter(X)


def padded(Y):
    longest = max(map(len, Y))
    return as_objects([np.pad(y, (0, longest - len(y))) for y in Y])


bugs(FastLabels, HOLDS, {
    "numbers the labels from one": of_labels(lambda Y: (Y + 1) % K),
    "holds the outputs of others": of_labels(lambda Y: np.roll(Y, 1)),
    "centres the inputs": centred_in_place,
    "leaves out an example": lambda right, task, problem, X, Y: (
        right(problem, X[:-1], None if Y is None else Y[:-1])
    ),
    "holds the inputs in an iterator": in_an_iterator,
}, TASK)  # fmt: skip
bugs(silent(FastLabels), HOLDS, {"removes repeated labels": of_labels(np.unique)}, TASK)
bugs(silent(FastLabels), HOLDS, {
    "halves the precision": lambda right, task, problem, X, Y: (
        right(problem, X.astype(np.float16).astype(float), Y)
    ),
}, TASK, columns_of_large_numbers)  # fmt: skip
bugs(FastTagging, HOLDS, {
    "needs the labels": lambda right, task, problem, X, Y: right(problem, X, list(Y)),
    "takes only slices": in_slices,
    "reverses the inputs": lambda right, task, problem, X, Y: right(problem, X[::-1], Y),
    "pads the labels": of_labels(padded),
    "leaves out the last label": of_labels(lambda Y: Y[:-1]),
}, TASK)  # fmt: skip


def first_examples(right, task, places):
    part = right(places)
    part.X = task.X[: part.n]
    return part


bugs(FastLabels, ".part", {"takes the first examples": first_examples})
bugs(FastTagging, ".with_labels", {
    "keeps its labels": lambda right, task, labels: task if task.Y is not None else right(labels),
})  # fmt: skip


class WithAColumn(Task):
    """Only one of its methods knows of it."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, np.c_[X, np.ones(len(X))], Y)

    def decode(self, w):
        return np.argmax(scores(self.X[:, :-1], w), axis=1)


@bug("task")
class TaskAddsAColumn(Labels):
    batches = WithAColumn


@bug("task")
class TaskIsTheInputs(Labels):
    def task(self, X, Y=None):
        return X
