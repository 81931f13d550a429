"""Bugs in enumerations of outputs, and in their refinement."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from benchmarks.robustness._planted_cases import planted, planted_task
from benchmarks.robustness._planted_grid import (
    STEPS,
    RefinedGrid,
    RefinedTask,
    augmented,
    climb,
    distance,
    features,
    grid,
    neighbours,
)
from benchmarks.robustness._planted_labels import Labels, labels
from benchmarks.robustness._planted_pairing import ListPairing, Pairing, pair_lists, pairs
from benchmarks.robustness._planted_topics import SETS, Topics, topics

# --------------------------------------------------------------------- outputs


@planted(labels, {"outputs"}, "Enumerate all outputs of x, each once")
class OutputsRepeatOne(Labels):
    def outputs(self, x):
        return [0, 1, 2, 3, 3]


@planted(topics, {"outputs"}, "Enumerate all outputs of x")
class OutputsAreExhaustedAfterOneUse(Topics):
    listing = None

    def outputs(self, x):
        if self.listing is None:
            self.listing = iter(SETS)
        return self.listing


@planted(pair_lists, {"outputs"}, "Enumerate all outputs of x, each once")
class OutputsFillOneList(ListPairing):
    """Every item of the generator is the same list."""

    def outputs(self, x):
        found = list(range(len(x)))
        for order in permutations(range(len(x))):
            found[:] = order
            yield found


@planted(pairs, {"outputs"}, "Enumerate all outputs of x")
class OutputsHaveTheLengthOfTheFirstInput(Pairing):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.m = len(X[0])

    def outputs(self, x):
        return permutations(range(self.m))


# ---------------------------------------------------------------------- refine

REFINED = "an output whose loss-augmented score is at least that of y_hat"


@planted_task(RefinedGrid, grid, "refine", REFINED)
class RefinementStartsFromTheTruth(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return climb(augmented(x, y, w), y)


@planted_task(RefinedGrid, grid, "refine", REFINED, listed=False)
class RefinementTakesTheLastBetterOrWorse(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return max(neighbours(y_hat), key=augmented(x, y, w))


@planted_task(RefinedGrid, grid, "refine", REFINED)
class RefinementUsesTheWOfTheOracle(RefinedTask):
    last = np.zeros(7)

    def separation_oracle(self, x, y, w):
        self.last = w.copy()
        return super().separation_oracle(x, y, w)

    def refined(self, x, y, w, y_hat):
        return climb(augmented(x, y, self.last), y_hat)


@planted_task(RefinedGrid, grid, "refine", "Ensures: an output")
class RefinementLeavesTheGrid(RefinedTask):
    def refined(self, x, y, w, y_hat):
        moves = [y_hat, *((y_hat[0] + a, y_hat[1] + b) for a, b in STEPS)]
        return max(moves, key=augmented(x, y, w))


@planted_task(RefinedGrid, grid, "refine", REFINED, listed=False)
class RefinementAddsTheDistanceFromItsStart(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return climb(lambda z: distance(y_hat, z) + w @ features(x, z), y_hat)


@planted_task(RefinedGrid, grid, "refine", REFINED)
class RefinementKeepsItsFirstInput(RefinedTask):
    first = None

    def refined(self, x, y, w, y_hat):
        if self.first is None:
            self.first = x.copy()
        return super().refined(self.first, y, w, y_hat)
