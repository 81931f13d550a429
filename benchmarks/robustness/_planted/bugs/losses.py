"""Bugs in losses."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.labels import COSTS, Labels, scores
from benchmarks.robustness._planted.correct.pairing import ListPairing, Pairing, augmented
from benchmarks.robustness._planted.correct.tagging import Tagging, sequences
from benchmarks.robustness._planted.correct.topics import Topics
from benchmarks.robustness._planted.register import answers, bug, bugs, memory, silent

#: Where nobody can tell which of them is wrong.
EITHER = ("loss", "separation_oracle")


answers(Labels, "loss", {"text": str})
answers(silent(Labels), "loss", {"in a row": lambda loss: np.array([loss])})
bugs(Labels, "loss", {
    "arguments are swapped": lambda right, problem, y, z: right(z, y),
    "doubled for one label": lambda right, problem, y, z: right(y, z) * (1 + (y == 0)),
})  # fmt: skip
bugs(silent(Labels), "loss", {
    "negative for one confusion": lambda right, problem, y, z: (
        right(y, z) - 3 * (y == 0 and z == 2)
    ),
    "raises for one confusion": lambda right, problem, y, z: right(y, z) / (y != 0 or z != 2),
})  # fmt: skip
bugs(silent(Tagging), "loss", {
    "0 or 1, and the oracle's is Hamming": lambda right, problem, y, z: (
        float(not np.array_equal(y, z))
    ),
}, faulty=EITHER)  # fmt: skip


def sixteen():
    return sequences(16)


bugs(silent(Tagging), "loss", {
    "more for one truth of sixteen": lambda right, problem, y, z: (
        right(y, z) + 1e-3 * np.array_equal(y, sixteen()[1][13])
    ),
}, data=sixteen)  # fmt: skip


def of_the_first_truth(right, problem, y, y_hat):
    truth = memory(problem).setdefault(len(y), y)
    return float(np.mean(np.not_equal(truth, y_hat)))


def sorts_the_prediction(right, problem, y, y_hat):
    loss = right(y, y_hat)
    y_hat.sort()
    return loss


bugs(silent(Pairing), "loss", {
    "of the first truth": of_the_first_truth,
    "compares objects": lambda right, problem, y, z: 0.0 if y is z else 0.25 + 0.75 * right(y, z),
})  # fmt: skip
bugs(ListPairing, "loss", {"sorts the prediction": sorts_the_prediction})


@bug("loss")
class LossForbidsAConfusion(Labels):
    max_loss = None
    slack_oracle = None
    costs = np.where(COSTS == 3, np.inf, COSTS)

    def loss(self, y, y_hat):
        return float(self.costs[y, y_hat])

    def separation_oracle(self, x, y, w):
        return int(np.argmax(self.costs[y] + scores(x, w)))


@bug("loss", "separation_oracle")
class LossRefusesARelaxedOutput(silent(Pairing)):
    oracle_quality = "overgenerating"

    def loss(self, y, y_hat):
        if len(set(y_hat)) < len(y_hat):
            raise ValueError("not a permutation")
        return super().loss(y, y_hat)

    def separation_oracle(self, x, y, w):
        return tuple(augmented(x, y, w).argmax(axis=1).tolist())


@bug("loss")
class LossIsAnnealed(silent(Topics)):
    """It grows with every call."""

    max_loss = None
    calls = 0

    def loss(self, y, y_hat):
        self.calls += 1
        return super().loss(y, y_hat) * (1 + 1e-4 * self.calls)


@bug("loss")
class LossDividesByTheSizeOfTheLastInput(silent(Pairing)):
    size = 4

    def loss(self, y, y_hat):
        return float(np.not_equal(y, y_hat).sum() / self.size)

    def separation_oracle(self, x, y, w):
        self.size = len(x)
        return super().separation_oracle(x, y, w)


@bug("loss")
class SmallLossOfTheTruth(silent(Tagging)):
    def loss(self, y, y_hat):
        return 1e-12 * (super().loss(y, y_hat) + 0.1)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, 1e12 * w)
