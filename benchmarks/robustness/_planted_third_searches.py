"""The third set: bugs in searches of problems written in an afternoon."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted, planted_task
from benchmarks.robustness._planted_grid import (
    RefinedGrid,
    RefinedTask,
    grid,
)
from benchmarks.robustness._planted_labels import COSTS, K, Labels, labels, scores
from benchmarks.robustness._planted_pairing import Pairing, assignment, augmented, pairs
from benchmarks.robustness._planted_tagging import Tagging, errors, potentials, sequences, viterbi
from benchmarks.robustness._planted_topics import SETS, Topics, topics

MAXIMUM = "Ensures: an output that attains the maximum over all outputs"
BEST = "Ensures: an output of x that attains the maximum"


@planted(pairs, {"separation_oracle"}, MAXIMUM)
class OracleHalvesTheLoss(Pairing):
    def separation_oracle(self, x, y, w):
        return assignment(augmented(x, y, w) + x @ w / len(x))


@planted(labels, {"separation_oracle"}, MAXIMUM)
class OracleReturnsTheRunnerUpOfTheTruth(Labels):
    def separation_oracle(self, x, y, w):
        order = np.argsort(COSTS[y] + scores(x, w))
        return int(order[-2] if order[-1] == y else order[-1])


@planted(sequences, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleTakesNoNegativeTransitions(Tagging):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        return viterbi(unary + errors(y), np.maximum(pair, 0))


@planted(sequences, {"separation_oracle"}, MAXIMUM)
class OracleKeepsTheTrueTagsOfTheBeginning(Tagging):
    """It looks at the last three positions and keeps the true tags before."""

    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x[-3:], w)
        return np.append(y[:-3], viterbi(unary + errors(y[-3:]), pair)).astype(int)


@planted(sequences, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleKeepsABeamOfOne(Tagging):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        unary = unary + errors(y)
        path = [int(unary[0].argmax())]
        for row in unary[1:]:
            path.append(int((row + pair[path[-1]]).argmax()))
        return np.array(path)


@planted(labels, {"separation_oracle"}, MAXIMUM)
class OracleCachesByTheIdentityOfItsInput(Labels):
    """Another array may come to lie where the first one was."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def separation_oracle(self, x, y, w):
        x = self.cache.setdefault(id(x), x.copy())
        return super().separation_oracle(x, y, w)


@planted(labels, {"decode"}, BEST)
class DecoderAddsTheCostsOfTheLastTruth(Labels):
    costs = np.zeros(K)

    def separation_oracle(self, x, y, w):
        self.costs = COSTS[y]
        return super().separation_oracle(x, y, w)

    def decode(self, x, w):
        return int(np.argmax(scores(x, w) + self.costs))


@planted(topics, {"decode"}, BEST, listed=False)
class DecoderDecidesEveryTopicAlone(Topics):
    def decode(self, x, w):
        return frozenset(np.flatnonzero(w[: 4 * len(x)].reshape(4, -1) @ x > 0).tolist())


@planted(labels, {"decode"}, "Ensures: an output of x (never None)")
class DecoderReturnsAName(Labels):
    def decode(self, x, w):
        return f"label {super().decode(x, w)}"


@planted(topics, {"slack_oracle"}, "argmax of loss(y, y_hat) * (1 - <w, Psi - Psi>)")
class SlackOracleMaximisesTheMarginAlone(Topics):
    def slack_oracle(self, x, y, w):
        return max(SETS, key=lambda z: (z != y) * (1 + w @ self.joint_feature(x, z)))


@planted_task(
    RefinedGrid, grid, "refine", "an output whose loss-augmented score is at least that of y_hat"
)
class RefinementReturnsTheTruth(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return y


@planted(topics, {"outputs"}, "Enumerate all outputs of x")
class OutputsAreSetsOfAtMostTwo(Topics):
    def outputs(self, x):
        return [z for z in SETS if len(z) < 3]
