"""Correct: tags of sequences of different lengths, with transitions."""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.robustness._planted.correct.soft import soft_output
from benchmarks.robustness._planted.register import correct
from structsvm import Problem, Task

K = 3


def sequences(n=6, d=2):
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(length, d)) for length in np.resize([1, 4, 2, 3, 4], n)]
    return X, [rng.integers(K, size=len(x)) for x in X]


def features(x, y):
    emission, transition = np.zeros((K, x.shape[1])), np.zeros((K, K))
    np.add.at(emission, y, x)
    np.add.at(transition, (y[:-1], y[1:]), 1)
    return np.concatenate([emission.ravel(), transition.ravel()])


def potentials(x, w):
    """The scores of the tags at every position, and of the transitions."""
    cut = K * x.shape[1]
    return x @ w[:cut].reshape(K, -1).T, w[cut:].reshape(K, K)


def errors(y):
    return (np.arange(K) != np.asarray(y)[:, None]).astype(float)


def viterbi(unary, pair):
    best, back = unary[0], []
    for row in unary[1:]:
        candidates = best[:, None] + pair
        back.append(candidates.argmax(axis=0))
        best = candidates.max(axis=0) + row
    path = [int(best.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return np.array(path[::-1])


def greedy(unary, pair):
    """The best next tag at every position."""
    path = [int(unary[0].argmax())]
    for row in unary[1:]:
        path.append(int((row + pair[path[-1]]).argmax()))
    return np.array(path)


def as_objects(items):
    container = np.empty(len(items), dtype=object)
    container[:] = items
    return container


@correct(sequences)
class Tagging(Problem):
    """Tags of sequences; the loss counts the wrong ones."""

    def initialize(self, X, Y):
        self.size_joint_feature = K * (X[0].shape[1] + K)

    def joint_feature(self, x, y):
        return features(x, y)

    def loss(self, y, y_hat):
        return float(np.not_equal(y, y_hat).sum())

    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        return viterbi(unary + errors(y), pair)

    def decode(self, x, w):
        return viterbi(*potentials(x, w))

    def outputs(self, x):
        return map(np.array, product(range(K), repeat=len(x)))


@correct(sequences)
class PartedTagging(Tagging):
    """Tagging with the tags as parts."""

    def possible_parts(self, x):
        return [range(K)] * len(x)

    def chosen_parts(self, x, y):
        return y

    def decode_with(self, x, w, slot, part):
        return viterbi(*with_tag(*potentials(x, w), slot, part))


def with_tag(unary, pair, slot, part):
    """The scores that leave one tag to a position."""
    unary[slot, np.arange(K) != part] = -np.inf
    return unary, pair


class TaggingTask(Task):
    """Arrays of objects."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, as_objects(X), None if Y is None else as_objects(Y))

    def with_labels(self, labels):
        return super().with_labels(as_objects(labels))

    def search(self, w):
        oracle = self.problem.separation_oracle
        return [oracle(x, y, w) for x, y in zip(self.X, self.Y, strict=True)]

    def decode(self, w):
        return [self.problem.decode(x, w) for x in self.X]

    def losses(self, outputs):
        pairs = zip(self.Y, outputs, strict=True)
        return np.array([np.not_equal(y, z).sum() for y, z in pairs], float)

    def differences(self, outputs, places):
        triples = ((self.X[i], self.Y[i], outputs[i]) for i in places)
        return np.array([features(x, y) - features(x, z) for x, y, z in triples])

    def plane(self, outputs, weights):
        return weights @ TaggingTask.differences(self, outputs, range(self.n))


@correct(sequences)
class FastTagging(Tagging):
    """Tagging with a task, and a soft oracle that enumerates although `outputs` is missing."""

    outputs = Problem.outputs

    batches = TaggingTask

    def soft_oracle(self, x, y, w, mu):
        paths = list(map(np.array, product(range(K), repeat=len(x))))
        return soft_output(self, paths, x, y, w, mu)[0]
