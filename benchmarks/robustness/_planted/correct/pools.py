"""Correct: items in bins with capacities, pooled choices, and hidden places."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from benchmarks.robustness._planted.register import correct
from structsvm import LatentProblem, Problem, Task

BINS, CAPACITY = 3, 2
#: The sets of four items that may be chosen.
SETS = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2, 3)]


def loads():
    """Items of which each goes to a bin; a bin takes two."""
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(m, BINS, 2)) for m in (3, 4, 5, 5, 4)]
    return X, [tuple((rng.permutation(2 * BINS)[: len(x)] % BINS).tolist()) for x in X]


def packed(x, y):
    return x[np.arange(len(x)), list(y)].sum(axis=0)


@cache
def packings(m):
    return [y for y in product(range(BINS), repeat=m) if max(np.bincount(y)) <= CAPACITY]


@correct(loads)
class Packing(Problem):
    """Items packed into bins of two places; the loss counts wrong bins."""

    def initialize(self, X, Y):
        self.size_joint_feature = X[0].shape[2]

    def joint_feature(self, x, y):
        return packed(x, y)

    def loss(self, y, y_hat):
        return float(np.not_equal(y, y_hat).sum())

    def separation_oracle(self, x, y, w):
        return max(packings(len(x)), key=lambda z: self.loss(y, z) + w @ packed(x, z))

    def decode(self, x, w):
        return max(packings(len(x)), key=lambda z: w @ packed(x, z))


def choices():
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 3)), [SETS[i] for i in rng.integers(len(SETS), size=12)]


class ChoicesTask(Task):
    def pool_outputs(self, outputs, pool=None):
        return sorted({*(pool or ()), *outputs})

    def search_pool(self, w, pool):
        return [self.problem.best(x, y, w, pool) for x, y in zip(self.X, self.Y, strict=True)]


@correct(choices)
class Choices(Problem):
    """Sets of items, the same for all examples, which are pooled as sorted lists."""

    def initialize(self, X, Y):
        self.size_joint_feature = 4 * X.shape[1]

    def joint_feature(self, x, y):
        return np.outer(np.isin(range(4), y), x).ravel()

    def loss(self, y, y_hat):
        return float(len(set(y) ^ set(y_hat)))

    def separation_oracle(self, x, y, w):
        return self.best(x, y, w, SETS)

    def decode(self, x, w):
        return max(SETS, key=lambda z: w @ self.joint_feature(x, z))

    def outputs(self, x):
        return SETS

    batches = ChoicesTask

    def best(self, x, y, w, sets):
        return max(sets, key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z))


def places():
    """Inputs of which one row shows the label; all labels are known, no place is."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(7, 3, 2)), [[int(y)] for y in rng.integers(3, size=7)]


def unknown_places():
    X, Y = places()
    return X, [y if i % 3 else None for i, y in enumerate(Y)]


@correct(places)
class Places(LatentProblem):
    """A label and the place that shows it; annotations are lists with only the label."""

    max_loss = 1.0

    def initialize(self, X, Y):
        self.size_joint_feature = 3 * X.shape[2]

    def joint_feature(self, x, y):
        return np.outer(np.arange(3) == y[0], x[y[1]]).ravel()

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])

    def evaluation_loss(self, y, y_hat):
        return float(y is not None and y[0] != y_hat[0])

    def best(self, x, w, outputs, extra=lambda z: 0.0):
        return max(outputs, key=lambda z: extra(z) + w @ self.joint_feature(x, z))

    def separation_oracle(self, x, y, w):
        return self.best(x, w, self.every(x), lambda z: self.loss(y, z))

    def decode(self, x, w):
        return self.best(x, w, self.every(x))

    def complete(self, x, y, w):
        return self.best(x, w, [z for z in self.every(x) if z[0] == y[0]])

    def outputs(self, x):
        return self.every(x)

    def every(self, x):
        return [(label, row) for label in range(3) for row in range(len(x))]
