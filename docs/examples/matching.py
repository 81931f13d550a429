"""Learning to match: a complete structured problem in one class."""

from itertools import permutations

import numpy as np
from scipy.optimize import linear_sum_assignment

from structsvm import Problem


class Matching(Problem):
    """Assign m items to m other items, one to one.

    An input x is an array of shape (m, m, d): ``x[i, j]`` says how well i and j agree, feature by
    feature. An output y is a permutation: ``y[i]`` is the partner of i.
    """

    max_loss = 1.0

    def joint_feature(self, x, y):
        return x[np.arange(len(x)), y].sum(axis=0)

    def loss(self, y, y_hat):
        return np.mean(np.not_equal(y, y_hat))

    def separation_oracle(self, x, y, w):
        scores = x @ w + 1 / len(x)
        scores[np.arange(len(x)), y] -= 1 / len(x)
        return linear_sum_assignment(scores, maximize=True)[1]

    def decode(self, x, w):
        return linear_sum_assignment(x @ w, maximize=True)[1]

    def outputs(self, x):
        return permutations(range(len(x)))

    @staticmethod
    def example_data(n=40, m=5, random_state=0):
        # Points and their shuffled copies, with noise of deviation 0.3 (k + 1) in coordinate k.
        rng = np.random.default_rng(random_state)
        blur = 0.3 * np.arange(1, 9)
        Y = [rng.permutation(m) for _ in range(n)]
        first = rng.normal(size=(n, m, len(blur)))
        second = first + blur * rng.normal(size=first.shape)
        second = np.array([points[np.argsort(y)] for points, y in zip(second, Y, strict=True)])
        X = -((first[:, :, None, :] - second[:, None, :, :]) ** 2)
        return X, Y
