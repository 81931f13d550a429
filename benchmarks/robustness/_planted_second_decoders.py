"""The second set: bugs in decoders, slack oracles and local searches."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct, planted, planted_task
from benchmarks.robustness._planted_grid import (
    POINTS,
    Grid,
    RefinedGrid,
    RefinedTask,
    climb,
    distance,
    grid,
)
from benchmarks.robustness._planted_labels import Labels, labels
from benchmarks.robustness._planted_pairing import Pairing, pairs
from benchmarks.robustness._planted_tagging import (
    Tagging,
    potentials,
    sequences,
)
from benchmarks.robustness._planted_topics import SETS, Topics, topics

BEST = "Ensures: an output of x that attains the maximum"
IN_PLACE = "No method may change its inputs, outputs or w in place"
SLACK = "argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>)"
REFINED = "an output whose loss-augmented score is at least that of y_hat"


@correct(labels)
class Biased(Labels):
    """Labels with a bias: the last entry of every block of w."""

    slack_oracle = None

    def initialize(self, X, Y):
        self.size_joint_feature = 4 * (X.shape[1] + 1)

    def joint_feature(self, x, y):
        return super().joint_feature(np.append(x, 1), y)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(np.append(x, 1), y, w)

    def decode(self, x, w):
        return super().decode(np.append(x, 1), w)


@planted(labels, {"decode"}, BEST)
class DecoderLeavesOutTheBias(Biased):
    def decode(self, x, w):
        return Labels.decode(self, np.append(x, 0), w)


@planted(sequences, {"decode"}, BEST, listed=False)
class DecoderGoesFromLeftToRight(Tagging):
    """It takes the best next tag at every position."""

    def decode(self, x, w):
        unary, pair = potentials(x, w)
        path = [int(unary[0].argmax())]
        for row in unary[1:]:
            path.append(int((row + pair[path[-1]]).argmax()))
        return np.array(path)


@planted(sequences, {"decode"}, BEST)
class DecoderIgnoresTransitions(Tagging):
    def decode(self, x, w):
        return potentials(x, w)[0].argmax(axis=1)


@planted(labels, {"decode"}, BEST)
class DecoderReadsWInTheOtherOrder(Labels):
    def decode(self, x, w):
        return int(np.argmax(x @ w.reshape(-1, 4)))


@planted(pairs, {"decode"}, BEST)
class DecoderMinimisesCosts(Pairing):
    def decode(self, x, w):
        return super().decode(x, -w)


@planted(topics, {"decode"}, BEST)
class DecoderTakesAtMostTwoTopics(Topics):
    def decode(self, x, w):
        return max(SETS[:11], key=lambda z: w @ self.joint_feature(x, z))


@planted(grid, {"decode"}, "Ensures: an output of x (never None)", listed=False)
class DecoderFindsNothingBelowZero(Grid):
    def decode(self, x, w):
        found, best = None, 1e-3
        for point in POINTS:
            if (value := w @ self.joint_feature(x, point)) > best:
                found, best = point, value
        return found


@planted(topics, {"decode"}, "Of the same score at every call with the same arguments")
class DecoderCachesByInputAlone(Topics):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.found = {}

    def decode(self, x, w):
        return self.found.setdefault(x.tobytes(), super().decode(x, w))


@planted(labels, {"decode"}, IN_PLACE, listed=False)
class DecoderCentresItsInput(Labels):
    def decode(self, x, w):
        found = super().decode(x, w)
        x -= x.mean()
        return found


@planted(labels, {"slack_oracle"}, SLACK, listed=False)
class SlackOracleAddsTheLoss(Labels):
    def slack_oracle(self, x, y, w):
        return self.separation_oracle(x, y, w)


@planted(topics, {"slack_oracle"}, SLACK)
class SlackOracleLeavesOutTheScoreOfTheTruth(Topics):
    def slack_oracle(self, x, y, w):
        return max(SETS, key=lambda z: self.loss(y, z) * (1 + w @ self.joint_feature(x, z)))


@planted(topics, {"slack_oracle"}, SLACK, listed=False)
class SlackOracleExcludesTheTruth(Topics):
    def slack_oracle(self, x, y, w):
        own = w @ self.joint_feature(x, y)
        wrong = [z for z in SETS if z != y]
        return max(wrong, key=lambda z: self.loss(y, z) * (1 - own + w @ self.joint_feature(x, z)))


@planted_task(RefinedGrid, grid, "refine", REFINED)
class RefinementSubtractsTheDistance(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return climb(lambda z: w @ self.problem.joint_feature(x, z) - distance(y, z), y_hat)


@planted_task(RefinedGrid, grid, "refine", REFINED, listed=False)
class RefinementIgnoresTheDistance(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return climb(lambda z: w @ self.problem.joint_feature(x, z), y_hat)
