"""One problem in three forms, each faster than the one before."""

import numpy as np

from structsvm import Problem, SoftOutput, SoftSum, Task


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


class GradesTask(Task):
    def scores(self, w):
        return self.problem.scores(self.X, w)

    def distances(self):
        return abs(np.arange(5) - np.array(self.Y)[:, None])

    def search(self, w):
        return np.argmax(self.scores(w) + self.distances(), axis=1)

    def decode(self, w):
        return np.argmax(self.scores(w), axis=1)

    def losses(self, outputs):
        return abs(np.subtract(self.Y, outputs))

    def plane(self, outputs, weights):
        signs = np.equal.outer(self.Y, np.arange(5)) - 1.0 * np.equal.outer(outputs, np.arange(5))
        return ((weights[:, None] * signs).T @ self.X).ravel()


class FastGrades(Grades):
    def task(self, X, Y=None):
        return GradesTask(self, X, Y)


class SoftGradesTask(GradesTask):
    def soft(self, w, mu, weights):
        true = np.arange(self.n), self.Y
        violations = self.scores(w) + self.distances()
        violations -= violations[true][:, None]
        slacks = violations.max(axis=1)
        p = np.exp((violations - slacks[:, None]) / mu)
        sums = p.sum(axis=1)
        p /= sums[:, None]
        loss = weights @ (p * self.distances()).sum(axis=1)
        p[true] -= 1
        difference = -((weights[:, None] * p).T @ self.X).ravel()
        return SoftSum(slacks + mu * np.log(sums), difference, loss, slacks)


class SoftGrades(Grades):
    def task(self, X, Y=None):
        return SoftGradesTask(self, X, Y)

    def soft_oracle(self, x, y, w, mu):
        values, difference, loss, _ = self.task(x[None], [y]).soft(w, mu, np.ones(1))
        return SoftOutput(values[0], difference, loss)
