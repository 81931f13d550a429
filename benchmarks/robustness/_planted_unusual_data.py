"""Correct: problems with unusual inputs and outputs."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct
from benchmarks.robustness._planted_grid import Grid, grid
from benchmarks.robustness._planted_labels import FastLabels, K, Labels, SoftLabels, labels
from benchmarks.robustness._planted_tagging import Tagging, sequences
from structsvm import Problem

NAMES = ["north", "east", "south", "west"]


def one_example():
    X, Y = labels()
    return X[:1], Y[:1]


def equal_features():
    """Integers with many ties: every column is the same, and examples are repeated."""
    return np.ones((8, 3)) * (np.arange(8) // 2 - 1)[:, None], np.arange(8) % 4


def missing_entries():
    X, Y = labels()
    X[::3, 0] = np.nan
    return X, Y


def features_of_all_sizes():
    X, Y = labels()
    return X * [1e-6, 1.0, 1e6], Y


def named_directions():
    """Inputs are dicts, outputs are words."""
    X, Y = labels()
    return [{"size": a, "age": b} for a, b, _ in X], [NAMES[y] for y in Y]


def opaque_directions():
    X, Y = named_directions()
    return X, [Direction(y) for y in Y]


def single_precision():
    X, Y = labels()
    return X.astype(np.float32), Y


def open_grid():
    X, Y = grid()
    return X, [(float(a), float("nan") if b == 0 else float(b)) for a, b in Y]


def short_and_long():
    """Half of the sequences have one position, so that few outputs are possible."""
    X, Y = sequences()
    return X[:4] + X[:1] * 4, Y[:4] + Y[:1] * 4


@correct(one_example)
class OneExample(Labels):
    pass


@correct(equal_features)
class TiesEverywhere(FastLabels):
    pass


@correct(features_of_all_sizes)
class FeaturesOfAllSizes(SoftLabels):
    pass


@correct(single_precision)
class SinglePrecision(SoftLabels):
    pass


@correct(short_and_long)
class FewOutputs(Tagging):
    pass


@correct(missing_entries)
class MissingEntriesCountAsZero(Labels):
    """NaN in an input stands for an unknown number; joint features are finite."""

    def joint_feature(self, x, y):
        return super().joint_feature(np.nan_to_num(x), y)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(np.nan_to_num(x), y, w)

    def decode(self, x, w):
        return super().decode(np.nan_to_num(x), w)

    slack_oracle = None


@correct(named_directions)
class NamedDirections(Problem):
    """Words as outputs, which the oracle returns as numpy's text; joint features are lists."""

    def initialize(self, X, Y):
        self.size_joint_feature = 2 * K

    def joint_feature(self, x, y):
        psi = [0.0] * (2 * K)
        psi[2 * NAMES.index(y)], psi[2 * NAMES.index(y) + 1] = x["size"], x["age"]
        return psi

    def loss(self, y, y_hat):
        return int(y != y_hat)

    def separation_oracle(self, x, y, w):
        return np.array(NAMES)[np.argmax(self._scores(x, w) + (np.array(NAMES) != y))]

    def decode(self, x, w):
        return NAMES[int(np.argmax(self._scores(x, w)))]

    def outputs(self, x):
        yield from NAMES

    def _scores(self, x, w):
        return w.reshape(K, 2) @ [x["size"], x["age"]]


class Direction:
    """An output without equality or order."""

    def __init__(self, name):
        self.name = name


@correct(opaque_directions)
class OpaqueDirections(NamedDirections):
    """Every output is a new object, equal to no other."""

    def joint_feature(self, x, y):
        return super().joint_feature(x, y.name)

    def loss(self, y, y_hat):
        return super().loss(y.name, y_hat.name)

    def separation_oracle(self, x, y, w):
        return Direction(super().separation_oracle(x, y.name, w))

    def decode(self, x, w):
        return Direction(super().decode(x, w))

    outputs = None


@correct(open_grid)
class NaNStandsForZero(Grid):
    """Outputs hold NaN by intention: the problem reads it as 0."""

    def joint_feature(self, x, y):
        return super().joint_feature(x, np.nan_to_num(y))

    def loss(self, y, y_hat):
        return super().loss(np.nan_to_num(y), np.nan_to_num(y_hat))

    def separation_oracle(self, x, y, w):
        return self._opened(super().separation_oracle(x, np.nan_to_num(y), w))

    def decode(self, x, w):
        return self._opened(super().decode(x, w))

    outputs = None

    def _opened(self, y):
        return float(y[0]), float("nan") if y[1] == 0 else float(y[1])
