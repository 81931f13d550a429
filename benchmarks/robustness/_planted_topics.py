"""Correct: sets of topics of vectors, with scores of pairs of topics."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from benchmarks.robustness._planted_cases import correct
from structsvm import Problem

K = 4
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.0])
PAIRS = np.array(list(combinations(range(K), 2)))
SETS = [frozenset(s) for size in range(K + 1) for s in combinations(range(K), size)]


def topics():
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 2)), [SETS[i] for i in rng.permutation(16)[:12]]


def topics_with_an_empty_set():
    X, Y = topics()
    return X[:9], [frozenset(), *Y[:8]]


def features(x, y):
    z = np.array([topic in y for topic in range(K)], dtype=float)
    return np.concatenate([np.outer(z, x).ravel(), z[PAIRS].prod(axis=1)])


def difference(y, y_hat):
    return float(sum(WEIGHTS[topic] for topic in set(y) ^ set(y_hat)))


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
