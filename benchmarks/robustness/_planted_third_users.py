"""The third set: bugs of users who write a problem in an afternoon."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import (
    BoundedGrid,
    DifferentiableGrid,
    Grid,
    RefinedGrid,
    distance,
    features,
    grid,
    slope,
)
from benchmarks.robustness._planted_labels import COSTS, K, Labels, SoftLabels, labels, scores
from benchmarks.robustness._planted_pairing import Pairing, assignment, augmented, pairs
from benchmarks.robustness._planted_parts import Parts, agreeing, parts
from benchmarks.robustness._planted_parts import features as part_features
from benchmarks.robustness._planted_tagging import Tagging, errors, potentials, sequences, viterbi
from benchmarks.robustness._planted_topics import SETS, Topics, topics
from structsvm import SoftOutput

DRAWS = np.random.default_rng(0)
PSI = "Return Psi(x, y), the joint feature vector of an input and an output"
LOSS = "Return Delta(y, y_hat), the loss of predicting y_hat where y is true"
MAXIMUM = "Ensures: an output that attains the maximum over all outputs"
BEST = "Ensures: an output of x that attains the maximum"
CONVENTION = "Constructor parameters are stored under their own name, unchanged"


# ------------------------------------------------------------ joint_feature, loss


@planted(sequences, {"joint_feature"}, PSI)
class PsiLeavesOutTheLastPosition(Tagging):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        psi[: 3 * x.shape[1]] -= np.outer(np.eye(3)[y[-1]], x[-1]).ravel()
        return psi


@planted(topics, {"joint_feature"}, PSI)
class PsiDividesByTheNumberOfTopics(Topics):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y) / max(len(y), 1)


@planted(labels, {"joint_feature"}, "Ensures: the same at every call", listed=False)
class PsiReadsTheInputThatWasDecodedLast(Labels):
    last = None

    def decode(self, x, w):
        self.last = x
        return super().decode(x, w)

    def joint_feature(self, x, y):
        return super().joint_feature(x if self.last is None else self.last, y)


@planted(labels, {"loss"}, LOSS)
class LossSwapsItsArguments(Labels):
    def loss(self, y, y_hat):
        return super().loss(y_hat, y)


@planted(grid, {"loss", "separation_oracle"}, LOSS, listed=False)
class LossForgivesOneStep(Grid):
    def loss(self, y, y_hat):
        return max(distance(y, y_hat) - 1, 0.0)


@planted(sequences, {"loss"}, "Ensures: 0 for loss(y, y)")
class LossCountsTheRightTags(Tagging):
    def loss(self, y, y_hat):
        return float(np.equal(y, y_hat).sum())


@planted(topics, {"loss"}, LOSS, listed=False)
class LossIsAnnealed(Topics):
    """It grows with every call."""

    max_loss = None
    calls = 0

    def loss(self, y, y_hat):
        self.calls += 1
        return super().loss(y, y_hat) * (1 + 1e-4 * self.calls)


# ------------------------------------------------------------ searches


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


@planted(grid, {"refine"}, "an output whose loss-augmented score is at least that of y_hat")
class RefinementReturnsTheTruth(RefinedGrid):
    def refine(self, x, y, w, y_hat):
        return y


@planted(topics, {"outputs"}, "Enumerate all outputs of x")
class OutputsAreSetsOfAtMostTwo(Topics):
    def outputs(self, x):
        return [z for z in SETS if len(z) < 3]


# ------------------------------------------------------------ initialize, __init__, others


@planted(labels, {"__init__"}, CONVENTION)
class ParameterIsConverted(Labels):
    def __init__(self, scale=1):
        self.scale = float(scale)


@planted(pairs, {"__init__"}, CONVENTION, listed=False)
class ParameterHasAnotherName(Pairing):
    def __init__(self, penalty=1.0):
        self.penalty_ = penalty


@planted(labels, {"initialize"}, "whatever else depends on the data; it is overwritten")
class LabelsAreCountedInAllCalls(Labels):
    """Priors, which the joint feature multiplies with, add up over calls."""

    slack_oracle = None

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.counts = getattr(self, "counts", 0) + np.bincount(Y, minlength=K)

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) * self.counts[y]

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + self.counts * scores(x, w)))

    def decode(self, x, w):
        return int(np.argmax(self.counts * scores(x, w)))


@planted(grid, {"constraints"}, "Return linear constraints on w as a pair (A, b)")
class ConstraintsAreDrawn(BoundedGrid):
    def constraints(self):
        return DRAWS.normal(size=(2, 7)), np.ones(2)


@planted(labels, {"example_data"}, "Ensures: data that initialize accepts")
class ExampleDataForgetsALabel(Labels):
    def example_data(self):
        X, Y = labels()
        return X, Y[:-1]


@planted(labels, {"soft_oracle"}, "value : mu * log sum_y' exp(s(y') / mu)", listed=False)
class SoftValueIsInBits(SoftLabels):
    sum_soft_oracle = minibatches = sum_soft_curvature = None

    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        return found._replace(value=found.value / np.log(2))


@planted(grid, {"soft_oracle"}, "its negative is the gradient of value in w")
class SoftDifferenceIsThatOfTheHardest(DifferentiableGrid):
    soft_input_gradient = None

    def soft_oracle(self, x, y, w, mu):
        value, _, loss = super().soft_oracle(x, y, w, mu)
        z = self.separation_oracle(x, y, w)
        return SoftOutput(value, features(x, y) - features(x, z), loss)


@planted(grid, {"input_gradient"}, "the gradient of the score <w, Psi(x, y)> in x", listed=False)
class InputGradientIsThatOfThePrediction(DifferentiableGrid):
    def input_gradient(self, x, y, w):
        return slope(x, self.decode(x, w), w)


@planted(grid, {"soft_input_gradient"}, "less the gradient of <w, Psi(x, y)>")
class SoftInputGradientLeavesOutTheTruth(DifferentiableGrid):
    def soft_input_gradient(self, x, y, w, mu):
        return super().soft_input_gradient(x, y, w, mu) + slope(x, y, w)


@planted(parts, {"impute"}, "the output that scores highest at w among those that agree")
class ImputeMinimises(Parts):
    def impute(self, x, y, w):
        return min(agreeing(y), key=lambda z: w @ part_features(x, z))


@planted(parts, {"initial_w"}, "Return a nonzero w to start from, by rng", listed=False)
class StartIsDrawnElsewhere(Parts):
    def initial_w(self, X, rng):
        return DRAWS.normal(size=self.size_joint_feature)
