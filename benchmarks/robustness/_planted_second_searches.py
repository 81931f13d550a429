"""The second set: bugs in oracles, decoders and local searches."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct, planted
from benchmarks.robustness._planted_grid import (
    POINTS,
    Grid,
    RefinedGrid,
    augmented,
    climb,
    distance,
    grid,
)
from benchmarks.robustness._planted_labels import COSTS, Labels, labels, scores
from benchmarks.robustness._planted_pairing import Pairing, pairs
from benchmarks.robustness._planted_tagging import (
    Tagging,
    errors,
    potentials,
    sequences,
    viterbi,
)
from benchmarks.robustness._planted_topics import SETS, Topics, topics

MAXIMUM = "Ensures: an output that attains the maximum over all outputs"
BEST = "Ensures: an output of x that attains the maximum"
IN_PLACE = "No method may change its inputs, outputs or w in place"
SLACK = "argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>)"
REFINED = "an output whose loss-augmented score is at least that of y_hat"


def long_inputs():
    X, Y = labels()
    return 1000 * X, Y


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


# ------------------------------------------------------------ separation_oracle


@planted(sequences, {"separation_oracle"}, MAXIMUM)
class OracleTransposesTheTransitions(Tagging):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        return viterbi(unary + errors(y), pair.T)


@planted(sequences, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleAddsTheLossAtTheFirstPositionAlone(Tagging):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        return viterbi(unary + errors(y) * (np.arange(len(x)) == 0)[:, None], pair)


@planted(labels, {"separation_oracle"}, MAXIMUM)
class OracleForgetsTheLossOfOneLabel(Labels):
    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] * [1, 1, 1, 0] + scores(x, w)))


@planted(labels, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleLooksUpTheCostsByColumn(Labels):
    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[:, y] + scores(x, w)))


@planted(labels, {"separation_oracle"}, MAXIMUM)
class OracleExcludesTheTruth(Labels):
    """It returns the most violating wrong label."""

    def separation_oracle(self, x, y, w):
        s = COSTS[y] + scores(x, w)
        s[y] = -np.inf
        return int(np.argmax(s))


@planted(grid, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleSubtractsTheScore(Grid):
    def separation_oracle(self, x, y, w):
        return max(POINTS, key=augmented(x, y, -w))


@planted(topics, {"separation_oracle"}, MAXIMUM)
class OracleSkipsTheEmptySet(Topics):
    def separation_oracle(self, x, y, w):
        return max(SETS[1:], key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z))


@planted(pairs, {"separation_oracle"}, IN_PLACE)
class OracleAddsTheLossToItsInput(Pairing):
    def separation_oracle(self, x, y, w):
        x += 1e-3 * (np.arange(len(x)) != np.array(y)[:, None])[:, :, None]
        return super().separation_oracle(x, y, w)


@planted(labels, {"separation_oracle"}, IN_PLACE, listed=False)
class OracleNormalisesW(Labels):
    def separation_oracle(self, x, y, w):
        found = super().separation_oracle(x, y, w)
        w /= max(np.linalg.norm(w), 1)
        return found


@planted(pairs, {"separation_oracle"}, "Of the same score at every call with the same arguments")
class OracleAlternatesBetweenTwoSearches(Pairing):
    """Every other call is the decoder."""

    calls = 0

    def separation_oracle(self, x, y, w):
        self.calls += 1
        return super().separation_oracle(x, y, w) if self.calls % 2 else self.decode(x, w)


@planted(topics, {"separation_oracle"}, "Ensures: an output (never None)", listed=False)
class OracleFindsNothingWithoutViolation(Topics):
    def separation_oracle(self, x, y, w):
        found = super().separation_oracle(x, y, w)
        return None if found == y else found


@planted(sequences, {"separation_oracle"}, MAXIMUM)
class OracleBacktracksFromTagZero(Tagging):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        unary = unary + errors(y)
        unary[-1, 1:] = -np.inf
        return viterbi(unary, pair)


@planted(sequences, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleIsOneStepLateInItsTrace(Tagging):
    def separation_oracle(self, x, y, w):
        return np.roll(super().separation_oracle(x, y, w), 1)


@planted(long_inputs, {"separation_oracle"}, MAXIMUM)
class OracleComparesExponentials(Labels):
    """They overflow, and the first infinity wins."""

    def separation_oracle(self, x, y, w):
        return int(np.argmax(np.exp(COSTS[y] + scores(x, w))))


# ------------------------------------------------------------------------ decode


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


# ----------------------------------------------------------- slack_oracle, refine


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


@planted(grid, {"refine"}, REFINED)
class RefinementSubtractsTheDistance(RefinedGrid):
    def refine(self, x, y, w, y_hat):
        return climb(lambda z: w @ self.joint_feature(x, z) - distance(y, z), y_hat)


@planted(grid, {"refine"}, REFINED, listed=False)
class RefinementIgnoresTheDistance(RefinedGrid):
    def refine(self, x, y, w, y_hat):
        return climb(lambda z: w @ self.joint_feature(x, z), y_hat)
