"""Correct: classes of vectors, dense and sparse, with tasks and soft oracles."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted.register import correct
from structsvm import Axes, Problem, Products, SoftOutput, SoftSum, Task

K = 4
COSTS = np.array([[0, 1, 2, 3], [2, 0, 1, 1], [1, 1, 0, 2], [1, 3, 1, 0]], dtype=float)
ONE_HOT = np.eye(K)


def labels(n=10, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.r_[np.arange(K), rng.integers(K, size=n - K)]


def many_labels():
    return labels(n=16)


def documents():
    """Word counts, each word in few documents."""
    rng = np.random.default_rng(0)
    Y = labels(8)[1]
    return sparse.csr_matrix(rng.poisson(0.3, size=(len(Y), 15)).astype(float)), Y


def scores(X, w):
    return X @ w.reshape(K, -1).T


def margins(X, Y, w):
    """The loss-augmented scores of all labels, less the score of the true one."""
    s = scores(X, w)
    return COSTS[Y] + s - s[np.arange(len(Y)), Y][:, None]


def softmax(s, mu):
    """mu times the log-partition functions, and the probabilities."""
    top = s.max(axis=1, keepdims=True)
    p = np.exp((s - top) / mu)
    total = p.sum(axis=1, keepdims=True)
    return (top + mu * np.log(total))[:, 0], p / total


def expected_difference(X, Y, q):
    return (X.T @ (ONE_HOT[Y] * q.sum(axis=1, keepdims=True) - q)).T.ravel()


@correct(labels)
class Labels(Problem):
    """Labels of vectors, with a cost for each confusion."""

    max_loss = 3.0

    def initialize(self, X, Y):
        self.size_joint_feature = K * X.shape[1]

    def joint_feature(self, x, y):
        return np.outer(ONE_HOT[y], x).ravel()

    def loss(self, y, y_hat):
        return float(COSTS[y, y_hat])

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + scores(x, w)))

    def decode(self, x, w):
        return int(np.argmax(scores(x, w)))

    def slack_oracle(self, x, y, w):
        s = scores(x, w)
        return int(np.argmax(COSTS[y] * (1 - s[y] + s)))

    def outputs(self, x):
        return range(K)


class LabelsTask(Task):
    """All vectors at once."""

    def search(self, w):
        return np.argmax(COSTS[self.Y] + scores(self.X, w), axis=1)

    def search_rescaled(self, w):
        margin = margins(self.X, self.Y, w)
        return np.argmax(COSTS[self.Y] * (1 + margin - COSTS[self.Y]), axis=1)

    def decode(self, w):
        return np.argmax(scores(self.X, w), axis=1)

    def losses(self, outputs):
        return COSTS[self.Y, outputs]

    def differences(self, outputs, places):
        signs = ONE_HOT[self.Y[places]] - ONE_HOT[np.asarray(outputs)[places]]
        return (signs[:, :, None] * self.X[places, None]).reshape(len(places), -1)

    def plane(self, outputs, weights):
        return (self.X.T @ ((ONE_HOT[self.Y] - ONE_HOT[outputs]) * weights[:, None])).T.ravel()


@correct(many_labels)
class FastLabels(Labels):
    """Labels with a task."""

    batches = LabelsTask


class Principal(Axes):
    """The principal axes of the rows of X, the same for all labels."""

    def __init__(self, X):
        self.axes = np.linalg.eigh(X.T @ X)[1]

    def along(self, curvature):
        return self.axes.T**2 @ curvature.reshape(K, -1).mean(axis=0)

    def times(self, factors, w):
        axes = self.axes.astype(w.dtype)
        return ((w.reshape(-1, len(axes)) @ axes * factors) @ axes.T).reshape(w.shape)


class SoftLabelsTask(LabelsTask):
    """A task with soft outputs, and everything that speeds up smoothed training."""

    def soft(self, w, mu, weights):
        s = margins(self.X, self.Y, w)
        values, p = softmax(s, mu)
        p *= weights[:, None]
        loss = float(np.sum(p * COSTS[self.Y]))
        return SoftSum(values, expected_difference(self.X, self.Y, p), loss, s.max(axis=1))

    def curvature(self, w, mu, weights):
        p = softmax(margins(self.X, self.Y, w), mu)[1]
        return ((self.X**2).T @ (p * (1 - p) * weights[:, None])).T.ravel()

    def axes(self):
        return Principal(self.X)

    def score_outputs(self, w):
        return margins(self.X, self.Y, w)

    def products(self):
        return Products(self.X @ self.X.T, self.Y)

    def expected_difference(self, probabilities):
        return expected_difference(self.X, self.Y, probabilities)


@correct(many_labels)
class SoftLabels(FastLabels):
    """Labels with soft oracles."""

    def soft_oracle(self, x, y, w, mu):
        s = margins(x[None], np.array([y]), w)
        (value,), p = softmax(s, mu)
        difference = expected_difference(x[None], np.array([y]), p)
        return SoftOutput(value, difference, float(p[0] @ COSTS[y]))

    batches = SoftLabelsTask


class DocumentsTask(SoftLabelsTask):
    """The features are sparse."""

    axes = None

    def differences(self, outputs, places):
        feature = self.problem.joint_feature
        rows = [feature(self.X[i], self.Y[i]) - feature(self.X[i], outputs[i]) for i in places]
        return sparse.vstack(rows).tocsr()

    def curvature(self, w, mu, weights):
        p = softmax(margins(self.X, self.Y, w), mu)[1]
        return (self.X.power(2).T @ (p * (1 - p) * weights[:, None])).T.ravel()

    def products(self):
        return Products(None, self.Y, self.X)


@correct(documents)
class Documents(SoftLabels):
    """Labels of sparse rows, with sparse joint features."""

    slack_oracle = None

    batches = DocumentsTask

    def joint_feature(self, x, y):
        columns = y * x.shape[1] + x.indices
        return sparse.csr_matrix((x.data, columns, [0, x.nnz]), shape=(1, K * x.shape[1]))

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + scores(x, w)))

    def soft_oracle(self, x, y, w, mu):
        return super().soft_oracle(x.toarray()[0], y, w, mu)
