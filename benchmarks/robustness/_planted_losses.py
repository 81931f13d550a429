"""Bugs in losses."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_labels import COSTS, K, Labels, labels
from benchmarks.robustness._planted_pairing import (
    ListPairing,
    Pairing,
    augmented,
    pair_lists,
    pairs,
)
from benchmarks.robustness._planted_topics import (
    SETS,
    Topics,
    difference,
    topics,
    topics_with_an_empty_set,
)

DRAWS = np.random.default_rng(0)


def small_grades():
    X, Y = labels()
    return X, Y.astype(np.uint8)


@planted(topics_with_an_empty_set, {"loss"}, "Ensures: 0 for loss(y, y)")
class JaccardLossOfTwoEmptySets(Topics):
    max_loss = 1.0
    slack_oracle = None

    def loss(self, y, y_hat):
        return 1 - len(y & y_hat) / max(len(y | y_hat), 1)

    def separation_oracle(self, x, y, w):
        def value(z):
            return (1 - len(y & z) / len(y | z) if y | z else 0.0) + w @ self.joint_feature(x, z)

        return max(SETS, key=value)


@planted(small_grades, {"loss", "max_loss"}, "max_loss: the largest value that the loss can take")
class LossWrapsAround(Labels):
    """Differences of uint8 are never negative: 1 - 2 is 255."""

    slack_oracle = None

    def loss(self, y, y_hat):
        return float(abs(np.uint8(y) - np.uint8(y_hat)))

    def separation_oracle(self, x, y, w):
        distances = abs(np.arange(K) - int(y))
        return np.uint8(np.argmax(distances + x @ w.reshape(K, -1).T))

    def decode(self, x, w):
        return np.uint8(super().decode(x, w))

    def outputs(self, x):
        return np.arange(K, dtype=np.uint8)


@planted(pairs, {"loss"}, "Ensures: 0 for loss(y, y)", listed=False)
class LossComparesWithTheFirstTruth(Pairing):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.truths = {}

    def loss(self, y, y_hat):
        truth = self.truths.setdefault(len(y), y)
        return float(np.mean(np.not_equal(truth, y_hat)))


@planted(labels, {"loss"}, "Ensures: a finite number")
class LossForbidsAConfusion(Labels):
    max_loss = None
    slack_oracle = None
    costs = np.where(COSTS == 3, np.inf, COSTS)

    def loss(self, y, y_hat):
        return float(self.costs[y, y_hat])

    def separation_oracle(self, x, y, w):
        return int(np.argmax(self.costs[y] + x @ w.reshape(K, -1).T))


@planted(pairs, {"loss", "separation_oracle"}, "y_hat is whatever an oracle returns", listed=False)
class LossRefusesARelaxedOutput(Pairing):
    oracle_quality = "overgenerating"

    def loss(self, y, y_hat):
        if len(set(y_hat)) < len(y_hat):
            raise ValueError("not a permutation")
        return super().loss(y, y_hat)

    def separation_oracle(self, x, y, w):
        return tuple(augmented(x, y, w).argmax(axis=1).tolist())


@planted(topics, {"loss"}, "Return Delta(y, y_hat), the loss of predicting y_hat")
class LossOfASampleOfTopics(Topics):
    """An estimate of the loss, from half of the topics."""

    max_loss = None
    slack_oracle = None

    def loss(self, y, y_hat):
        sample = DRAWS.permutation(4)[:2].tolist()
        return 2 * difference(y & set(sample), y_hat & set(sample))


@planted(pair_lists, {"loss"}, "No method may change its inputs, outputs or w in place")
class LossSortsThePrediction(ListPairing):
    def loss(self, y, y_hat):
        wrong = super().loss(y, y_hat)
        y_hat.sort()
        return wrong


@planted(pairs, {"loss"}, "Return Delta(y, y_hat), the loss of predicting y_hat", listed=False)
class LossDividesByTheSizeOfTheLastInput(Pairing):
    size = 4

    def loss(self, y, y_hat):
        return float(np.not_equal(y, y_hat).sum() / self.size)

    def separation_oracle(self, x, y, w):
        self.size = len(x)
        return super().separation_oracle(x, y, w)
