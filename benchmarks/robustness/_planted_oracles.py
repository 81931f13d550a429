"""Bugs in separation oracles and slack oracles."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import POINTS, SIDE, Grid, augmented, climb, grid
from benchmarks.robustness._planted_labels import COSTS, K, Labels, labels, scores
from benchmarks.robustness._planted_pairing import ListPairing, Pairing, pair_lists, pairs
from benchmarks.robustness._planted_pairing import augmented as pair_scores
from benchmarks.robustness._planted_tagging import Tagging, errors, potentials, sequences, viterbi
from benchmarks.robustness._planted_topics import SETS, WEIGHTS, Topics, topics
from benchmarks.robustness._planted_topics import difference as topics_difference
from benchmarks.robustness._planted_topics import features as topic_features

DRAWS = np.random.default_rng(0)
MAXIMUM = "Ensures: an output that attains the maximum over all outputs"


# ----------------------------------------------------------- separation_oracle


@planted(sequences, {"separation_oracle"}, MAXIMUM)
class OracleRoundsToHalfPrecision(Tagging):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x.astype(np.float16), w.astype(np.float16))
        return viterbi(unary + errors(y).astype(np.float16), pair)


@planted(labels, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleCachesByTheNormOfW(Labels):
    """Two w of one norm, such as w and -w, get the same scores."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def separation_oracle(self, x, y, w):
        key = (x.tobytes(), float(np.abs(w).sum()))
        return int(np.argmax(COSTS[y] + self.cache.setdefault(key, scores(x, w))))


@planted(labels, {"separation_oracle"}, "Ensures: an output (never None)")
class OracleReturnsMinusOneAtZero(Labels):
    """As a sign that there is nothing to find yet."""

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, w) if w.any() else -1


@planted(topics, {"separation_oracle"}, MAXIMUM)
class OracleStopsAtTheFirstViolation(Topics):
    def separation_oracle(self, x, y, w):
        own = w @ topic_features(x, y)
        for z in SETS:
            if topics_difference(y, z) + w @ topic_features(x, z) > own:
                return z
        return y


@planted(labels, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleStartsItsMaximumAtZero(Labels):
    """Where all scores are negative, the first label wins."""

    def separation_oracle(self, x, y, w):
        best, found = 0.0, 0
        for z, value in enumerate(COSTS[y] + scores(x, w)):
            if value > best:
                best, found = value, z
        return found


@planted(grid, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleLeavesOutTheLastColumn(Grid):
    def separation_oracle(self, x, y, w):
        return max([z for z in POINTS if z[1] < SIDE - 1], key=augmented(x, y, w))


@planted(sequences, {"separation_oracle"}, MAXIMUM)
class OracleSkipsSequencesOfLengthOne(Tagging):
    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, w) if len(x) > 1 else y.copy()


@planted(pair_lists, {"separation_oracle", "decode"}, "A new object: the engine keeps it")
class OracleAndDecoderShareAWorkspace(ListPairing):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.found = []

    def separation_oracle(self, x, y, w):
        self.found[:] = super().separation_oracle(x, y, w)
        return self.found

    def decode(self, x, w):
        self.found[:] = super().decode(x, w)
        return self.found


@planted(sequences, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleForgetsTheLastTransition(Tagging):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        unary = unary + errors(y)
        if len(x) == 1:
            return viterbi(unary, pair)
        return np.append(viterbi(unary[:-1], pair), unary[-1].argmax())


@planted(
    labels, {"separation_oracle", "roundoff"}, "roundoff: how much better an output it may miss"
)
class OracleIsCoarserThanItsRoundoff(Labels):
    roundoff = 1e-12

    def separation_oracle(self, x, y, w):
        s = COSTS[y] + scores(x, w)
        return int(np.argmax(np.round(s / abs(s).max(), 2)))


@planted(grid, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleClimbsFromARandomPoint(Grid):
    def separation_oracle(self, x, y, w):
        return climb(augmented(x, y, w), POINTS[DRAWS.integers(len(POINTS))])


@planted(sequences, {"separation_oracle"}, MAXIMUM)
class OracleKeepsPotentialsOfTheLength(Tagging):
    """A cache by w and length: another sequence as long gets the scores of the first."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def separation_oracle(self, x, y, w):
        unary, pair = self.cache.setdefault((len(x), w.tobytes()), potentials(x, w))
        return viterbi(unary + errors(y), pair)


@planted(grid, {"separation_oracle"}, "Ensures: an output", listed=False)
class OracleReturnsNaNWhereItsParabolaIsFlat(Grid):
    """A closed form that divides by the curvature, 0 at some w."""

    def separation_oracle(self, x, y, w):
        a, b = super().separation_oracle(x, y, w)
        return (a, b) if w[5] else (a, float("nan"))


@planted(grid, {"separation_oracle"}, "Ensures: an output, for every w")
class OracleRaisesWhereOutputsTie(Grid):
    def separation_oracle(self, x, y, w):
        values = np.array([augmented(x, y, w)(z) for z in POINTS])
        best = np.flatnonzero(values == values.max())
        if len(best) > 1:
            raise ValueError("the maximum is not unique")
        return POINTS[best[0]]


@planted(topics, {"separation_oracle"}, MAXIMUM, listed=False)
class OracleDecidesEveryTopicAlone(Topics):
    def separation_oracle(self, x, y, w):
        gains = w[: K * len(x)].reshape(K, -1) @ x
        signs = np.array([-1.0 if topic in y else 1.0 for topic in range(K)])
        return frozenset(np.flatnonzero(gains + signs * WEIGHTS > 0).tolist())


@planted(sequences, {"separation_oracle"}, "A new or an immutable object: the engine keeps it")
class OracleReturnsAnIterator(Tagging):
    def separation_oracle(self, x, y, w):
        return map(int, super().separation_oracle(x, y, w))

    def joint_feature(self, x, y):
        return super().joint_feature(x, np.array(list(y), dtype=int))

    def loss(self, y, y_hat):
        return super().loss(np.array(list(y), dtype=int), np.array(list(y_hat), dtype=int))


@planted(labels, {"separation_oracle"}, MAXIMUM)
class OracleForgetsThatTheTruthWasDeleted(Labels):
    """Labels behind the truth move down by one in the shortened array."""

    def separation_oracle(self, x, y, w):
        s = COSTS[y] + scores(x, w)
        others = np.delete(s, y)
        return y if others.max() <= s[y] else int(others.argmax())


@planted(pairs, {"separation_oracle"}, MAXIMUM)
class OracleReturnsTheTruthWhereItIsPredicted(Pairing):
    """It stops where the truth has the highest score, though not with the loss."""

    def separation_oracle(self, x, y, w):
        best = self.decode(x, w)
        own, top = (float(np.sum((x @ w)[np.arange(len(x)), z])) for z in (y, best))
        return y if own == top else super().separation_oracle(x, y, w)


@planted(labels, {"separation_oracle"}, "Ensures: an output (never None)", listed=False)
class OracleReturnsALabelAsAFloat(Labels):
    def separation_oracle(self, x, y, w):
        return float(super().separation_oracle(x, y, w))


@planted(pairs, {"separation_oracle", "oracle_quality"}, "it searches only some of the outputs")
class RelaxationIsDeclaredUndergenerating(Pairing):
    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        return tuple(pair_scores(x, y, w).argmax(axis=1).tolist())


# ---------------------------------------------------------------- slack_oracle

SLACK = "argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>)"


@planted(labels, {"slack_oracle"}, SLACK)
class SlackOracleHasTheMarginsSignReversed(Labels):
    def slack_oracle(self, x, y, w):
        s = scores(x, w)
        return int(np.argmax(COSTS[y] * (1 + s[y] - s)))


@planted(topics, {"slack_oracle"}, SLACK, listed=False)
class SlackOracleSquaresTheLoss(Topics):
    def slack_oracle(self, x, y, w):
        own = w @ topic_features(x, y)

        def value(z):
            return topics_difference(y, z) ** 2 * (1 - own + w @ topic_features(x, z))

        return max(SETS, key=value)


@planted(labels, {"slack_oracle"}, "Ensures: an output (never None)")
class SlackOracleReturnsItsValueToo(Labels):
    def slack_oracle(self, x, y, w):
        s = scores(x, w)
        value = COSTS[y] * (1 - s[y] + s)
        return float(value.max()), int(value.argmax())


@planted(labels, {"slack_oracle"}, SLACK)
class SlackOracleIsTheMarginOneAtSmallW(Labels):
    def slack_oracle(self, x, y, w):
        return self.separation_oracle(x, y, w) if w @ w < 1 else super().slack_oracle(x, y, w)
