"""The third set: bugs in all other methods of problems written in an afternoon."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import (
    BoundedGrid,
    DifferentiableGrid,
    features,
    grid,
    slope,
)
from benchmarks.robustness._planted_labels import COSTS, K, Labels, SoftLabels, labels, scores
from benchmarks.robustness._planted_pairing import Pairing, pairs
from benchmarks.robustness._planted_parts import Parts, agreeing, parts
from benchmarks.robustness._planted_parts import features as part_features
from structsvm import Problem, SoftOutput

DRAWS = np.random.default_rng(0)
CONVENTION = "Constructor parameters are stored under their own name, unchanged"


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
    task = Problem.task

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
