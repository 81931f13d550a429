"""Correct: the items of two sets of the same size, paired; inputs of different sizes."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.robustness._planted.register import correct
from structsvm import Problem


def pairs():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(m, m, 3)) for m in (2, 3, 4, 3, 4, 3)]
    return X, [tuple(rng.permutation(len(x)).tolist()) for x in X]


def pair_lists():
    X, Y = pairs()
    return X, [list(y) for y in Y]


def features(x, y):
    return x[np.arange(len(x)), list(y)].mean(axis=0)


def augmented(x, y, w):
    table = x @ w + 1
    table[np.arange(len(x)), list(y)] -= 1
    return table / len(x)


def assignment(table):
    return tuple(linear_sum_assignment(table, maximize=True)[1].tolist())


@correct(pairs)
class Pairing(Problem):
    """Permutations, as tuples; the loss is the fraction of wrong pairs."""

    max_loss = 1.0

    def initialize(self, X, Y):
        self.size_joint_feature = X[0].shape[2]

    def joint_feature(self, x, y):
        return features(x, y)

    def loss(self, y, y_hat):
        return float(np.mean(np.not_equal(y, y_hat)))

    def separation_oracle(self, x, y, w):
        return assignment(augmented(x, y, w))

    def decode(self, x, w):
        return assignment(x @ w)

    def outputs(self, x):
        return permutations(range(len(x)))


@correct(pair_lists)
class ListPairing(Pairing):
    """Pairings as lists, which can be changed."""

    def separation_oracle(self, x, y, w):
        return list(assignment(augmented(x, y, w)))

    def decode(self, x, w):
        return list(assignment(x @ w))

    def outputs(self, x):
        return map(list, permutations(range(len(x))))


@correct(pairs)
class RelaxedPairing(Pairing):
    """Every item takes its best partner: an oracle that is exact over a larger set."""

    oracle_quality = "overgenerating"

    def separation_oracle(self, x, y, w):
        return tuple(augmented(x, y, w).argmax(axis=1).tolist())
