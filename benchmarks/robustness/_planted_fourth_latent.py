"""The fourth set: bugs in latent problems, and in pools."""

from __future__ import annotations

import threading

import numpy as np

from benchmarks.robustness._planted_cases import planted, planted_task
from benchmarks.robustness._planted_parts import Parts, parts
from benchmarks.robustness._planted_pooling import (
    Choices,
    ChoicesTask,
    Places,
    choices,
    places,
    unknown_places,
)

AGREES = "the output that scores highest at w among those that agree with annotation y"
LATENT = "the loss may not depend on the latent part of y"
POOL = "Return a pool with more outputs, each once"
KEPT = "a picklable object, which later calls do not change"
COMPLETE = {"complete", "impute"}


@planted(places, {"loss"}, LATENT)
class LossDependsOnTheHiddenPlace(Places):
    """All methods agree on it, so no search contradicts it."""

    max_loss = 2.0

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0]) + 0.5 * float(y[1] != y_hat[1])


@planted(unknown_places, {"loss"}, LATENT, listed=False)
class LossCountsTheDistanceOfPlaces(Places):
    max_loss = None

    def outputs_of(self, x):
        return [(label, row) for label in range(3) for row in range(len(x))]

    def loss(self, y, y_hat):
        return (1.0 + abs(y[1] - y_hat[1])) * (y[0] != y_hat[0])

    def separation_oracle(self, x, y, w):
        return self.best(x, w, self.outputs_of(x), lambda z: self.loss(y, z))

    def decode(self, x, w):
        return self.best(x, w, self.outputs_of(x))

    def complete(self, x, y, w):
        return self.best(x, w, [z for z in self.outputs_of(x) if z[0] == y[0]])


@planted(places, COMPLETE, AGREES)
class CompleteReturnsTheFirstThatAgrees(Places):
    def complete(self, x, y, w):
        return next(z for z in self.outputs(x) if z[0] == y[0])


@planted(places, COMPLETE, AGREES)
class CompleteForgetsTheLabelAtLargeW(Places):
    def complete(self, x, y, w):
        return self.decode(x, w) if w @ w > 400 else super().complete(x, y, w)


@planted(places, COMPLETE, AGREES)
class CompleteDecodesOrTakesTheFirst(Places):
    def complete(self, x, y, w):
        found = self.decode(x, w)
        return found if found[0] == y[0] else (y[0], 0)


@planted(places, COMPLETE, AGREES)
class CompleteTakesThePlaceOfThePrediction(Places):
    def complete(self, x, y, w):
        return y[0], self.decode(x, w)[1]


@planted(places, COMPLETE, AGREES)
class CompleteReadsTheFirstInput(Places):
    first = None

    def complete(self, x, y, w):
        if self.first is None:
            self.first = x.copy()
        return super().complete(self.first, y, w)


@planted(places, COMPLETE, AGREES)
class CompleteTakesTheLongestRow(Places):
    """The place is chosen without w."""

    def complete(self, x, y, w):
        return y[0], int(np.argmax(np.linalg.norm(x, axis=1)))


@planted(unknown_places, COMPLETE, "No method may change its inputs, outputs or w in place")
class CompleteAppendsThePlace(Places):
    def complete(self, x, y, w):
        y.append(super().complete(x, y, w)[1])
        return tuple(y[:2])


@planted(places, {"evaluation_loss"}, "0 where y_hat agrees with y")
class EvaluationCountsThePlace(Places):
    def evaluation_loss(self, y, y_hat):
        return super().evaluation_loss(y, y_hat) + 0.5 * (y_hat[1] > 0)


@planted(parts, {"initial_w"}, "No method may change its inputs, outputs or w in place")
class StartCentresTheInputs(Parts):
    def initial_w(self, X, rng):
        X -= X.mean(axis=0)
        return rng.normal(size=self.size_joint_feature)


@planted(parts, {"impute"}, AGREES)
class ImputeReadsTheWOfTheOracle(Parts):
    last = None

    def separation_oracle(self, x, y, w):
        self.last = w.copy()
        return super().separation_oracle(x, y, w)

    def impute(self, x, y, w):
        return super().impute(x, y, w if self.last is None else self.last)


@planted_task(Choices, choices, "pool_outputs", KEPT)
class PoolIsExtendedInPlace(ChoicesTask):
    def pool_outputs(self, outputs, pool=None):
        pool = [] if pool is None else pool
        pool.extend(z for z in dict.fromkeys(outputs) if z not in pool)
        return pool


class Bag:
    """A pool with a list of its own."""

    def __init__(self):
        self._kept = []

    def __len__(self):
        return len(self._kept)

    def __iter__(self):
        return iter(self._kept)


@planted_task(Choices, choices, "pool_outputs", KEPT, listed=False)
class PoolIsAnObjectThatGrows(ChoicesTask):
    def pool_outputs(self, outputs, pool=None):
        pool = Bag() if pool is None else pool
        pool._kept += [z for z in dict.fromkeys(outputs) if z not in pool._kept]
        return pool


@planted_task(Choices, choices, "pool_outputs", POOL)
class PoolKeepsTheLastThree(ChoicesTask):
    def pool_outputs(self, outputs, pool=None):
        return list(dict.fromkeys([*(pool or ()), *outputs]))[-3:]


class Locked(list):
    def __init__(self, items):
        super().__init__(items)
        self.lock = threading.Lock()


@planted_task(Choices, choices, "pool_outputs", KEPT)
class PoolCannotBePickled(ChoicesTask):
    def pool_outputs(self, outputs, pool=None):
        return Locked(dict.fromkeys([*(pool or ()), *outputs]))


@planted_task(Choices, choices, "search_pool", "the best output of the pool for each of n examples")
class SearchKeepsItsFirstPool(ChoicesTask):
    seen = None

    def search_pool(self, w, pool):
        if self.seen is None:
            self.seen = list(pool)
        return super().search_pool(self.X, self.Y, w, self.seen)
