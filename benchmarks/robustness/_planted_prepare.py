"""Bugs in prepare."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_labels import FastLabels, K, Labels, labels, many_labels, scores
from benchmarks.robustness._planted_tagging import FastTagging, as_objects, sequences

SAME = "X and Y with the same examples in the same order"


def columns_of_large_numbers():
    X, Y = labels()
    return X * [1.0, 1e3, 1.0], Y


@planted(sequences, {"prepare"}, "Y may be None")
class PrepareNeedsTheLabels(FastTagging):
    def prepare(self, X, Y):
        return as_objects(X), as_objects(list(Y))


@planted(columns_of_large_numbers, {"prepare"}, SAME, listed=False)
class PrepareHalvesThePrecision(FastLabels):
    def prepare(self, X, Y):
        return X.astype(np.float16).astype(float), Y


class Slices:
    """A container that cannot be read by an array of places."""

    def __init__(self, items):
        self.items, self.shape = list(items), (len(items),)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        found = self.items[place]
        return Slices(found) if isinstance(place, slice) else found


@planted(sequences, {"prepare"}, "X[rows], for a slice or an integer array, is the container")
class PreparedTakesOnlySlices(FastTagging):
    def prepare(self, X, Y):
        return Slices(X), None if Y is None else Slices(Y)


@planted(sequences, {"prepare"}, "X.shape[0] is their number", listed=False)
class PreparedHasNoShape(FastTagging):
    def prepare(self, X, Y):
        return [np.array(x) for x in X], Y


@planted(many_labels, {"prepare"}, "Y[i] an output that all methods accept")
class PrepareNumbersTheLabelsFromOne(FastLabels):
    def prepare(self, X, Y):
        return X, None if Y is None else (Y + 1) % K


@planted(many_labels, {"prepare"}, "No method may change its inputs, outputs or w in place")
class PrepareCentresTheInputs(FastLabels):
    def prepare(self, X, Y):
        X -= X.mean(axis=0)
        return X, Y


@planted(sequences, {"prepare"}, SAME, listed=False)
class PreparePadsTheLabels(FastTagging):
    def prepare(self, X, Y):
        if Y is None:
            return as_objects(X), None
        longest = max(map(len, Y))
        return as_objects(X), np.array([np.pad(y, (0, longest - len(y))) for y in Y])


@planted(labels, {"prepare"}, "X[i] is an input that all methods accept")
class PreparedInputsHaveAnExtraColumn(Labels):
    """Only the batch form knows of it."""

    def prepare(self, X, Y):
        return np.c_[X, np.ones(len(X))], Y

    def batch_decode(self, X, w):
        return np.argmax(scores(X[:, :-1], w), axis=1)
