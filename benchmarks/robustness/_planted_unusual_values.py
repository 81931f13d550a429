"""Correct: problems with unusual joint features, losses, parameters and constraints."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from benchmarks.robustness._planted_cases import correct
from benchmarks.robustness._planted_grid import (
    Grid,
    grid,
)
from benchmarks.robustness._planted_labels import (
    COSTS,
    ONE_HOT,
    K,
    Labels,
    SoftLabels,
    SoftLabelsTask,
    labels,
    scores,
)
from benchmarks.robustness._planted_topics import Topics, topics
from structsvm import WeightConstraints


@correct(labels)
class EquivalentLabels(Labels):
    """Labels 0 and 1 are as good as each other: a loss of 0 for an output that is not the truth."""

    costs = np.where((np.arange(K) < 2) & (np.arange(K) < 2)[:, None], 0.0, 1 - ONE_HOT)
    slack_oracle = None

    def loss(self, y, y_hat):
        return self.costs[y, y_hat]

    def separation_oracle(self, x, y, w):
        return int(np.argmax(self.costs[y] + scores(x, w)))


@correct(labels)
class SmallLosses(Labels):
    """Losses of a billionth."""

    max_loss = 3e-9
    slack_oracle = None

    def loss(self, y, y_hat):
        return COSTS[y, y_hat] * 1e-9

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] * 1e-9 + scores(x, w)))


@correct(labels)
class OneDimensionalSparse(Labels):
    """Joint features of scipy's 1-d sparse arrays, and a difference of the same kind."""

    def joint_feature(self, x, y):
        return sparse.coo_array(super().joint_feature(x, y))

    def joint_feature_difference(self, x, y, y_hat):
        return sparse.coo_array((np.outer(ONE_HOT[y] - ONE_HOT[y_hat], x)).ravel())


@correct(labels)
class ReadOnlyFeatures(Labels):
    """Joint features that are computed once and never change."""

    def joint_feature(self, x, y):
        return _read_only(tuple(x), y)


@lru_cache(maxsize=1000)
def _read_only(x, y):
    psi = np.outer(ONE_HOT[y], x).ravel()
    psi.flags.writeable = False
    return psi


@correct(topics)
class StrictTopics(Topics):
    """Methods that refuse everything but outputs."""

    def joint_feature(self, x, y):
        if not isinstance(y, frozenset):
            raise TypeError("a set of topics is a frozenset")
        return super().joint_feature(x, y)

    def loss(self, y, y_hat):
        if not isinstance(y_hat, frozenset):
            raise TypeError("a set of topics is a frozenset")
        return super().loss(y, y_hat)


@correct(topics)
class IntegerTopics(Topics):
    """Whole numbers as joint features and losses, and declared sizes."""

    block_size = 4
    work = 24.0
    oracle_cost = "cheap"
    slack_oracle = None
    max_loss = None

    def joint_feature(self, x, y):
        return np.rint(2 * super().joint_feature(np.rint(x), y)).astype(int)

    def loss(self, y, y_hat):
        return len(set(y) ^ set(y_hat))

    def separation_oracle(self, x, y, w):
        return max(self.outputs(x), key=lambda z: len(y ^ z) + w @ self.joint_feature(x, z))

    def decode(self, x, w):
        return max(self.outputs(x), key=lambda z: w @ self.joint_feature(x, z))


class Scale(BaseEstimator):
    """A parameter that is an estimator itself."""

    def __init__(self, factor=1.0):
        self.factor = factor


@correct(labels)
class Nested(Labels):
    """A parameter with parameters of its own, and one that stays None."""

    def __init__(self, scale=None, seen=None):
        self.scale = scale
        self.seen = seen

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) * (self.scale or Scale()).factor


@correct(grid)
class SparseConstraints(Grid):
    """Constraints in a sparse matrix, none of whose rows has more than two entries."""

    def constraints(self):
        rows = sparse.csr_array(np.eye(7)[1:] - np.eye(7)[:-1])
        return WeightConstraints(rows, [0.5] * 6, np.full(7, -10))


class CrudeTask(SoftLabelsTask):
    """Soft sums without slacks, and an estimate of the curvature that ignores w."""

    def soft(self, w, mu, weights):
        return super().soft(w, mu, weights)._replace(slacks=None)

    def curvature(self, w, mu, weights):
        return np.tile((self.X**2).T @ np.abs(weights), K) * (1 / K - 1 / K**2)

    def axes(self):
        return None


@correct(labels)
class NoSlacksAndCrudeCurvature(SoftLabels):
    def task(self, X, Y=None):
        return CrudeTask(self, X, Y)


@correct(grid)
class OffsetFeatures(Grid):
    """A large constant in all joint features, which cancels in every difference."""

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) + 100.0
