"""Correct: self-labelled problems, of which annotations give a part of the output, or nothing."""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.robustness._planted.register import correct
from structsvm import SelfLabelledProblem, Task

ROWS = 3
PARTS = [(label, row) for label in (0, 1) for row in range(ROWS)]


def parts():
    """Inputs of which one row shows the label; some labels are not known."""
    rng = np.random.default_rng(0)
    Y = np.array([0, 1, None, 0, 1, 1, None, 0], dtype=object)
    X = rng.normal(size=(len(Y), ROWS, 2))
    return X, Y


def unlabelled_rows():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(m, 2)) for m in (2, 3, 4, 3, 4)], None


def features(x, y):
    label, row = y
    return np.outer(np.eye(2)[label], x[row]).ravel()


def agreeing(y):
    return [z for z in PARTS if y is None or z[0] == y]


def differs(y, y_hat):
    return float(y is not None and y != y_hat[0])


@correct(parts)
class Parts(SelfLabelledProblem):
    """A label and the row that shows it; annotations are labels or None."""

    max_loss = 1.0

    def initialize(self, X, Y):
        self.size_joint_feature = 2 * X.shape[2]

    def joint_feature(self, x, y):
        return features(x, y)

    def loss(self, y, y_hat):
        return differs(y[0], y_hat)

    def evaluation_loss(self, y, y_hat):
        return differs(y, y_hat)

    def separation_oracle(self, x, y, w):
        return max(PARTS, key=lambda z: differs(y[0], z) + w @ features(x, z))

    def decode(self, x, w):
        return max(PARTS, key=lambda z: w @ features(x, z))

    def impute(self, x, y, w):
        return max(agreeing(y), key=lambda z: w @ features(x, z))

    def outputs(self, x):
        return PARTS


class PartsTask(Task):
    """Labels and planes of all inputs."""

    def impute(self, w):
        annotations = [None] * self.n if self.Y is None else self.Y
        pairs = zip(self.X, annotations, strict=True)
        return [self.problem.impute(x, y, w) for x, y in pairs]

    def relabelled(self, passes, weights, previous=None):
        pairs = [*zip(self.X, self.Y, strict=True)]
        rows = [[features(x, y) - features(x, z) for (x, y), z in zip(pairs, found, strict=True)]
                for found in passes]  # fmt: skip
        losses = [[differs(y[0], z) for y, z in zip(self.Y, found, strict=True)]
                  for found in passes]  # fmt: skip
        return np.einsum("mn,mnd->md", weights, rows), np.sum(weights * losses, axis=1)


@correct(parts)
class FastParts(Parts):
    """Parts with a task."""

    batches = PartsTask


@correct(unlabelled_rows)
class Halves(SelfLabelledProblem):
    """Every row of an input is on one of two sides; there are no annotations."""

    def initialize(self, X, Y):
        self.size_joint_feature = X[0].shape[1]

    def joint_feature(self, x, y):
        return (2 * np.array(y) - 1) @ x

    def loss(self, y, y_hat):
        return float(np.not_equal(y, y_hat).sum())

    def separation_oracle(self, x, y, w):
        return tuple((x @ w + 0.5 - np.array(y) > 0).astype(int).tolist())

    def decode(self, x, w):
        return tuple((x @ w > 0).astype(int).tolist())

    def outputs(self, x):
        return product((0, 1), repeat=len(x))


def partly_known_sides():
    """Sides of rows, of which -1 stands for an unknown one."""
    X = unlabelled_rows()[0]
    return X, [np.where(np.arange(len(x)) % 2, 1, -1) for x in X]


@correct(partly_known_sides)
class KnownSides(Halves):
    """Annotations hold the sides of some rows."""

    def impute(self, x, y, w):
        found = self.decode(x, w)
        return found if y is None else tuple(np.where(y < 0, found, y).tolist())

    def evaluation_loss(self, y, y_hat):
        return float(np.sum((y >= 0) & (y != np.array(y_hat))))
