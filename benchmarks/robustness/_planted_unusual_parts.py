"""Correct: problems with hidden parts, pools and copies of an unusual kind."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct
from benchmarks.robustness._planted_labels import K, Labels, labels, scores
from benchmarks.robustness._planted_pairing import Pairing, assignment, pairs
from benchmarks.robustness._planted_pooling import Choices, Packing, choices, loads, packings
from structsvm import LatentProblem

DRAWS = np.random.default_rng(0)


def half_known_pairs():
    X, Y = pairs()
    return X, [np.where(np.arange(len(y)) % 2, -1, y) for y in Y]


def letters():
    X, Y = labels()
    return X, ["abcd"[y] for y in Y]


@correct(half_known_pairs)
class PartlyKnownPairing(LatentProblem, Pairing):
    """The loss of the problem with known outputs counts completed pairs too."""

    def complete(self, x, y, w):
        table, known = x @ w, np.flatnonzero(y >= 0)
        table[known, y[known]] += 1e6
        return assignment(table)

    def evaluation_loss(self, y, y_hat):
        return float(np.mean((y >= 0) & np.not_equal(y, y_hat)))


@correct(letters)
class EquivalentLetters(LatentProblem, Labels):
    """Letters stand for whole outputs, some of which no loss tells from each other."""

    groups = np.arange(K) // 2
    slack_oracle = None
    max_loss = 1.0

    def initialize(self, X, Y):
        Labels.initialize(self, X, None)

    def loss(self, y, y_hat):
        return float(self.groups[y] != self.groups[y_hat])

    def evaluation_loss(self, y, y_hat):
        return self.loss("abcd".index(y), y_hat)

    def separation_oracle(self, x, y, w):
        return int(np.argmax((self.groups != self.groups[y]) + scores(x, w)))

    def complete(self, x, y, w):
        return "abcd".index(y)


class Sorted:
    """A pool that makes the features of its sets when they are first needed."""

    def __init__(self, sets):
        self.sets, self._codes = sets, None

    @property
    def codes(self):
        if self._codes is None:
            self._codes = np.array([np.isin(range(4), z) for z in self.sets], dtype=float)
        return self._codes


@correct(choices)
class LazyPool(Choices):
    """It is returned as it is where nothing is new, and ties are drawn."""

    def pool_outputs(self, outputs, pool=None):
        sets = sorted({*(pool.sets if pool else ()), *outputs})
        return pool if pool and sets == pool.sets else Sorted(sets)

    def search_pool(self, X, Y, w, pool):
        tables = X @ w.reshape(4, -1).T @ pool.codes.T
        tables += [[self.loss(y, z) for z in pool.sets] for y in Y]
        return [pool.sets[DRAWS.choice(np.flatnonzero(row == row.max()))] for row in tables]


@correct(loads, listed=False)
class DecoderOfEmptyBins(Packing):
    """A decoder that leaves the last bin empty where it can, and declares that it may miss."""

    decode_may_miss = True

    def decode(self, x, w):
        found = [z for z in packings(len(x)) if max(z) < 2 or len(x) > 4]
        return max(found, key=lambda z: w @ self.joint_feature(x, z))


@correct(labels)
class DropsItsCache(Labels):
    """A cache that is left out of copies, and made again."""

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "cache"}

    def decode(self, x, w):
        if not hasattr(self, "cache"):
            self.cache = {}
        return self.cache.setdefault((x.tobytes(), w.tobytes()), super().decode(x, w))
