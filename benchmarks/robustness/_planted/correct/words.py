"""Correct: labels of lists of words, whose weights are numbered by the data."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.labels import COSTS, K, scores
from benchmarks.robustness._planted.register import correct
from structsvm import Problem


def worded():
    """Inputs are lists of words, the vocabulary of the data."""
    X = [["a", "b"], ["b", "c"], ["c"], ["d", "a"], ["e"], ["a", "e"], ["f", "b"], ["d"]]
    return X, [0, 1, 2, 3, 0, 1, 2, 3]


@correct(worded)
class Words(Problem):
    """Labels of lists of words, counted by a vocabulary."""

    def initialize(self, X, Y):
        self.places = {word: i for i, word in enumerate(sorted({word for x in X for word in x}))}
        self.size_joint_feature = K * len(self.places)

    def counts(self, x):
        found = np.zeros(self.size_joint_feature // K)
        np.add.at(found, [self.places[word] for word in x], 1)
        return found

    def joint_feature(self, x, y):
        return np.outer(np.eye(K)[y], self.counts(x)).ravel()

    def loss(self, y, y_hat):
        return float(COSTS[y, y_hat])

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + scores(self.counts(x), w)))

    def decode(self, x, w):
        return int(np.argmax(scores(self.counts(x), w)))

    def outputs(self, x):
        return range(K)
