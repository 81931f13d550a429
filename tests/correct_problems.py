"""Correct problems with one method for each answer, as a user writes them first."""

from itertools import product

import numpy as np
from scipy.special import logsumexp

from structsvm import Problem, SelfLabelledProblem, SoftOutput


class SilentChain(Problem):
    """Label sequences by Viterbi: emissions and transitions, Hamming loss; nothing optional.

    x has shape (T, d); y is a list of T labels in 0..k-1.
    """

    def __init__(self, n_labels=3):
        self.n_labels = n_labels

    def initialize(self, X, Y):
        self.n_features_ = X[0].shape[1]
        self.size_joint_feature = self.n_labels * (self.n_features_ + self.n_labels)

    def joint_feature(self, x, y):
        emission, transition = np.zeros((self.n_labels, x.shape[1])), np.zeros((self.n_labels,) * 2)
        np.add.at(emission, np.asarray(y), x)
        np.add.at(transition, (np.asarray(y)[:-1], np.asarray(y)[1:]), 1)
        return np.concatenate([emission.ravel(), transition.ravel()])

    def loss(self, y, y_hat):
        return float(sum(a != b for a, b in zip(y, y_hat, strict=True)))

    def scores(self, x, w):
        split = self.n_labels * self.n_features_
        return x @ w[:split].reshape(self.n_labels, -1).T, w[split:].reshape((self.n_labels,) * 2)

    def separation_oracle(self, x, y, w):
        unary, pair = self.scores(x, w)
        augmented = unary + (np.arange(self.n_labels) != np.asarray(y)[:, None])
        return self.viterbi(augmented, pair)

    def decode(self, x, w):
        return self.viterbi(*self.scores(x, w))

    def viterbi(self, unary, pair):
        best, back = unary[0], []
        for scores in unary[1:]:
            table = best[:, None] + pair
            back.append(table.argmax(axis=0))
            best = table.max(axis=0) + scores
        path = [int(best.argmax())]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        return path[::-1]


class Chain(SilentChain):
    """The same with its outputs enumerated, a soft oracle and a maximum of the loss."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.max_loss = float(max(map(len, X)))

    def outputs(self, x):
        return (list(y) for y in product(range(self.n_labels), repeat=len(x)))

    def soft_oracle(self, x, y, w, mu):
        outputs = list(self.outputs(x))
        losses = np.array([self.loss(y, z) for z in outputs])
        rows = self.joint_feature(x, y) - np.array([self.joint_feature(x, z) for z in outputs])
        augmented = losses - rows @ w
        value = mu * logsumexp(augmented / mu)
        p = np.exp((augmented - value) / mu)
        return SoftOutput(value, p @ rows, p @ losses)


class Parts(SelfLabelledProblem):
    """One of the rows of x shows its class: y = class, output = (class, row), row latent."""

    max_loss = 1.0

    def __init__(self, n_classes=3):
        self.n_classes = n_classes

    def initialize(self, X, Y):
        self.size_joint_feature = self.n_classes * X[0].shape[1]

    def joint_feature(self, x, y):
        label, row = y
        return np.outer(np.eye(self.n_classes)[label], x[row]).ravel()

    def loss(self, y, y_hat):
        return self.evaluation_loss(y[0], y_hat)

    def evaluation_loss(self, y, y_hat):
        return float(y != y_hat[0])

    def scores(self, x, w):
        return w.reshape(self.n_classes, -1) @ x.T

    def separation_oracle(self, x, y, w):
        return self.best(self.scores(x, w) + (np.arange(self.n_classes) != y[0])[:, None])

    def decode(self, x, w):
        return self.best(self.scores(x, w))

    def impute(self, x, y, w):
        return self.decode(x, w) if y is None else (y, int(self.scores(x, w)[y].argmax()))

    def outputs(self, x):
        return product(range(self.n_classes), range(len(x)))

    def best(self, scores):
        label, row = np.unravel_index(scores.argmax(), scores.shape)
        return (int(label), int(row))


def sequences(seed, n=6, longest=4, d=2, k=3):
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(rng.integers(2, longest + 1), d)) for _ in range(n)]
    return X, [rng.integers(k, size=len(x)).tolist() for x in X]


def parted(seed, n=12, d=4):
    """One row of each input is near the centre of its class, the others are noise."""
    rng = np.random.default_rng(seed)
    Y, centres = rng.permutation(np.arange(n) % 3), 3 * rng.normal(size=(3, d))
    X = [rng.normal(size=(3, d)) for _ in Y]
    for x, y in zip(X, Y, strict=True):
        x[rng.integers(3)] += centres[y]
    return X, Y.tolist()
