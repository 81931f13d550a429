"""The second set: bugs in separation oracles."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import (
    POINTS,
    Grid,
    augmented,
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
IN_PLACE = "No method may change its inputs, outputs or w in place"


def long_inputs():
    X, Y = labels()
    return 1000 * X, Y


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
