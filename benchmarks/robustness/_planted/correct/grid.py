"""Correct: regression on a grid, with bounds on w, a local search and gradients in x."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.soft import soft_output
from benchmarks.robustness._planted.register import correct
from structsvm import Problem, Task, WeightConstraints

SIDE = 4
POINTS = [(a, b) for a in range(SIDE) for b in range(SIDE)]
STEPS = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def grid():
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, 2)), [POINTS[i] for i in rng.integers(len(POINTS), size=6)]


def features(x, y):
    a, b = y
    t = np.tanh(x)
    return np.concatenate([a * t, b * t, [-a * a, -b * b, a * b]]) / SIDE


def distance(y, y_hat):
    return float(abs(y[0] - y_hat[0]) + abs(y[1] - y_hat[1]))


def augmented(x, y, w):
    """The loss-augmented score, as a function of the output."""
    return lambda z: distance(y, z) + w @ features(x, z)


def neighbours(y):
    return [(y[0] + i, y[1] + j) for i, j in STEPS if (y[0] + i, y[1] + j) in POINTS]


def climb(value, y):
    """Go to the best neighbour until none is better."""
    while value(best := max(neighbours(y), key=value)) > value(y):
        y = best
    return y


def slope(x, y, w):
    return (y[0] * w[:2] + y[1] * w[2:4]) * (1 - np.tanh(x) ** 2) / SIDE


@correct(grid)
class Grid(Problem):
    """Points of a grid, as pairs; the loss is the distance in steps."""

    max_loss = 6.0

    def initialize(self, X, Y):
        self.size_joint_feature = 2 * X.shape[1] + 3

    def joint_feature(self, x, y):
        return features(x, y)

    def loss(self, y, y_hat):
        return distance(y, y_hat)

    def separation_oracle(self, x, y, w):
        return max(POINTS, key=augmented(x, y, w))

    def decode(self, x, w):
        return max(POINTS, key=lambda z: w @ features(x, z))

    def outputs(self, x):
        return POINTS


@correct(grid)
class BoundedGrid(Grid):
    """A grid with curvatures that are not negative, the first less than the second."""

    def lower(self):
        return np.array([-np.inf] * 4 + [0.0, 0.0, -np.inf])

    def rows(self):
        return np.array([[0, 0, 0, 0, 1.0, -1.0, 0]]), np.zeros(1)

    def constraints(self):
        return WeightConstraints(*self.rows(), self.lower())


class RefinedTask(Task):
    def refine(self, w, outputs):
        triples = zip(self.X, self.Y, outputs, strict=True)
        return [self.refined(x, y, w, z) for x, y, z in triples]

    def refined(self, x, y, w, y_hat):
        return climb(augmented(x, y, w), y_hat)


@correct(grid)
class RefinedGrid(Grid):
    """A grid with a local search."""

    batches = RefinedTask


@correct(grid)
class ClimbingGrid(RefinedGrid):
    """Searches that climb from the truth, and from a corner, with their true quality declared."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        return climb(augmented(x, y, w), y)

    def decode(self, x, w):
        return climb(lambda z: w @ features(x, z), (0, 0))


@correct(grid)
class DifferentiableGrid(Grid):
    """A grid with a soft oracle and gradients in x."""

    def soft_oracle(self, x, y, w, mu):
        return soft_output(self, POINTS, x, y, w, mu)[0]

    def input_gradient(self, x, y, w):
        return slope(x, y, w)

    def soft_input_gradient(self, x, y, w, mu):
        p = soft_output(self, POINTS, x, y, w, mu)[1]
        return p @ np.array([slope(x, z, w) for z in POINTS]) - slope(x, y, w)
