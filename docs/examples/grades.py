"""One problem in three forms, each faster than the one before."""

import numpy as np

from structsvm import Problem, SoftSum


class Grades(Problem):
    """Predict a grade from 0 to 4. The loss is the distance of the grades."""

    max_loss = 4.0

    def initialize(self, X, Y):
        self.size_joint_feature = 5 * X.shape[1]

    def scores(self, x, w):
        return x @ w.reshape(5, -1).T

    def joint_feature(self, x, y):
        return np.outer(np.arange(5) == y, x).ravel()

    def loss(self, y, y_hat):
        return abs(y - y_hat)

    def separation_oracle(self, x, y, w):
        return np.argmax(self.scores(x, w) + abs(np.arange(5) - y))

    def decode(self, x, w):
        return np.argmax(self.scores(x, w))

    def outputs(self, x):
        return range(5)

    @staticmethod
    def example_data(n=200, random_state=0):
        rng = np.random.default_rng(random_state)
        X = rng.normal(size=(n, 20))
        marks = X[:, :5].sum(axis=1) + rng.normal(size=n)
        return X, np.digitize(marks, [-3, -1, 1, 3])


class BatchGrades(Grades):
    def losses(self, Y):
        return abs(np.arange(5) - Y[:, None])

    def batch_separation_oracle(self, X, Y, w):
        return np.argmax(self.scores(X, w) + self.losses(Y), axis=1)

    def batch_loss(self, Y, Y_hat):
        return abs(Y - Y_hat)

    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        signs = np.equal.outer(Y, np.arange(5)) - 1.0 * np.equal.outer(Y_hat, np.arange(5))
        return ((weights[:, None] * signs).T @ X).ravel()


class SoftGrades(BatchGrades):
    def sum_soft_oracle(self, X, Y, w, mu, weights):
        true = np.arange(len(Y)), Y
        violations = self.scores(X, w) + self.losses(Y)
        violations -= violations[true][:, None]
        slacks = violations.max(axis=1)
        p = np.exp((violations - slacks[:, None]) / mu)
        sums = p.sum(axis=1)
        p /= sums[:, None]
        loss = weights @ (p * self.losses(Y)).sum(axis=1)
        p[true] -= 1
        difference = -((weights[:, None] * p).T @ X).ravel()
        return SoftSum(slacks + mu * np.log(sums), difference, loss, slacks)
