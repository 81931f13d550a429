"""Correct: sets of topics of vectors, with scores of pairs of topics."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from benchmarks.robustness._planted.register import correct
from structsvm import Problem

K = 4
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.0])
PAIRS = np.array(list(combinations(range(K), 2)))
SETS = [frozenset(s) for size in range(K + 1) for s in combinations(range(K), size)]


def topics():
    rng = np.random.default_rng(0)
    return rng.normal(size=(7, 2)), [SETS[i] for i in rng.permutation(16)[:7]]


@cache
def indicators(y):
    return np.array([topic in y for topic in range(K)], dtype=float)


def features(x, y):
    z = indicators(frozenset(y))
    return np.concatenate([np.outer(z, x).ravel(), z[PAIRS].prod(axis=1)])


def difference(y, y_hat):
    return float(WEIGHTS @ indicators(frozenset(y) ^ frozenset(y_hat)))


@correct(topics)
class Topics(Problem):
    """Sets of topics; the loss is the weight of the topics that are wrong."""

    max_loss = 4.5

    def initialize(self, X, Y):
        self.size_joint_feature = K * X.shape[1] + len(PAIRS)

    def joint_feature(self, x, y):
        return features(x, y)

    def loss(self, y, y_hat):
        return difference(y, y_hat)

    def separation_oracle(self, x, y, w):
        return max(SETS, key=lambda z: difference(y, z) + w @ features(x, z))

    def decode(self, x, w):
        return max(SETS, key=lambda z: w @ features(x, z))

    def slack_oracle(self, x, y, w):
        own = w @ features(x, y)
        return max(SETS, key=lambda z: difference(y, z) * (1 - own + w @ features(x, z)))

    def outputs(self, x):
        return iter(SETS)
