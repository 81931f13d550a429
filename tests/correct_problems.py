"""Correct problems with one method for each answer, as a user writes them first."""

import numpy as np

from benchmarks.robustness._planted.correct.parts import Parts
from benchmarks.robustness._planted.correct.tagging import FastTagging, Tagging
from structsvm import Problem

__all__ = ["Chain", "Parts", "SilentChain", "parted", "sequences"]


class SilentChain(Tagging):
    """Tags of sequences by Viterbi, with Hamming loss; nothing optional."""

    outputs = Problem.outputs


class Chain(Tagging):
    """The same with its outputs enumerated, a soft oracle and a maximum of the loss."""

    soft_oracle = FastTagging.soft_oracle

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.max_loss = float(max(map(len, X)))


def sequences(seed, n=6, longest=4, d=2, k=3):
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(rng.integers(2, longest + 1), d)) for _ in range(n)]
    return X, [rng.integers(k, size=len(x)) for x in X]


def parted(seed, n=12, d=4):
    """One row of each input is near the centre of its class, the others are noise."""
    rng = np.random.default_rng(seed)
    Y, centres = rng.permutation(np.arange(n) % 2), 3 * rng.normal(size=(2, d))
    X = rng.normal(size=(n, 3, d))
    X[np.arange(n), rng.integers(3, size=n)] += centres[Y]
    return X, Y.tolist()
