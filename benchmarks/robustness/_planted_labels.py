"""Correct: classes of vectors, dense and sparse, in single, batch and soft forms."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted_cases import correct
from structsvm import Axes, MiniBatch, Problem, SoftOutput, SoftSum

K = 4
COSTS = np.array([[0, 1, 2, 3], [2, 0, 1, 1], [1, 1, 0, 2], [1, 3, 1, 0]], dtype=float)
ONE_HOT = np.eye(K)


def labels(n=12, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.r_[np.arange(K), rng.integers(K, size=n - K)]


def many_labels():
    return labels(n=40)


def documents():
    """Word counts, each word in few documents."""
    rng = np.random.default_rng(0)
    Y = labels()[1]
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


@correct(many_labels)
class FastLabels(Labels):
    """The same with batch forms."""

    def batch_separation_oracle(self, X, Y, w):
        return np.argmax(COSTS[Y] + scores(X, w), axis=1)

    def batch_slack_oracle(self, X, Y, w):
        return np.argmax(COSTS[Y] * (1 + margins(X, Y, w) - COSTS[Y]), axis=1)

    def batch_decode(self, X, w):
        return np.argmax(scores(X, w), axis=1)

    def batch_loss(self, Y, Y_hat):
        return COSTS[Y, Y_hat]

    def batch_joint_feature_difference(self, X, Y, Y_hat):
        signs = ONE_HOT[Y] - ONE_HOT[Y_hat]
        return (signs[:, :, None] * X[:, None]).reshape(len(X), -1)

    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return (X.T @ ((ONE_HOT[Y] - ONE_HOT[Y_hat]) * weights[:, None])).T.ravel()


class Principal(Axes):
    """The principal axes of the rows of X, the same for all labels."""

    def __init__(self, X):
        self.axes = np.linalg.eigh(X.T @ X)[1]

    def along(self, curvature):
        return self.axes.T**2 @ curvature.reshape(K, -1).mean(axis=0)

    def times(self, factors, w):
        axes = self.axes.astype(w.dtype)
        return ((w.reshape(-1, len(axes)) @ axes * factors) @ axes.T).reshape(w.shape)


@correct(many_labels)
class SoftLabels(FastLabels):
    """The same with soft oracles, and all that speeds up smoothed training."""

    def soft_oracle(self, x, y, w, mu):
        s = margins(x[None], np.array([y]), w)
        (value,), p = softmax(s, mu)
        difference = expected_difference(x[None], np.array([y]), p)
        return SoftOutput(value, difference, float(p[0] @ COSTS[y]))

    def sum_soft_oracle(self, X, Y, w, mu, weights):
        s = margins(X, Y, w)
        values, p = softmax(s, mu)
        p *= weights[:, None]
        loss = float(np.sum(p * COSTS[Y]))
        return SoftSum(values, expected_difference(X, Y, p), loss, s.max(axis=1))

    def sum_soft_curvature(self, X, Y, w, mu, weights):
        p = softmax(margins(X, Y, w), mu)[1]
        return ((X**2).T @ (p * (1 - p) * weights[:, None])).T.ravel()

    def curvature_axes(self, X, Y):
        return Principal(X)

    def minibatches(self, X, Y):
        parts = np.array_split(np.arange(len(Y)), -(-len(Y) // 4))
        return [MiniBatch(rows, None, X[rows], Y[rows]) for rows in parts]

    def score_outputs(self, X, Y, w):
        return margins(X, Y, w)

    def sum_expected_difference(self, X, Y, probabilities):
        return expected_difference(X, Y, probabilities)


@correct(documents)
class Documents(SoftLabels):
    """The same of sparse rows, with sparse joint features; mini-batches have words of their own."""

    batch_slack_oracle = slack_oracle = soft_oracle = curvature_axes = None

    def joint_feature(self, x, y):
        columns = y * x.shape[1] + x.indices
        return sparse.csr_matrix((x.data, columns, [0, x.nnz]), shape=(1, K * x.shape[1]))

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + scores(x, w)))

    def batch_joint_feature_difference(self, X, Y, Y_hat):
        rows = [self.joint_feature(X[i], Y[i]) - self.joint_feature(X[i], Y_hat[i])
                for i in range(len(Y))]  # fmt: skip
        return sparse.vstack(rows).tocsr()

    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return super().sum_soft_curvature(X.toarray(), Y, w, mu, weights)

    def minibatches(self, X, Y):
        batches, d = [], X.shape[1]
        for rows in np.array_split(np.arange(len(Y)), -(-len(Y) // 4)):
            words = np.unique(X[rows].indices)
            columns = (d * np.arange(K)[:, None] + words).ravel()
            batches.append(MiniBatch(rows, columns, X[rows][:, words], Y[rows]))
        return batches
