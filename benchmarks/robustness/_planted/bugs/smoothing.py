"""Bugs in methods that speed up smoothed training: curvature, axes, scores of outputs, products."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.labels import (
    COSTS,
    Documents,
    K,
    Principal,
    SoftLabels,
    SoftLabelsTask,
    margins,
)
from benchmarks.robustness._planted.register import answers, bugs, silent

# ------------------------------------------------------------------ curvature


def of_probabilities(variance):
    """The curvature with other variances of the outputs."""

    def wrong(right, task, w, mu, weights):
        p = variance(margins(task.X, task.Y, w), mu)
        return ((task.X**2).T @ (p * weights[:, None])).T.ravel()

    return wrong


def overflowing(s, mu):
    p = np.exp(s / mu)
    p /= p.sum(axis=1, keepdims=True)
    return p * (1 - p)


def squares_the_inputs(right, task, w, mu, weights):
    task.X *= task.X
    return right(w, mu, weights)


def changes_w(right, task, w, mu, weights):
    w *= 2
    return right(w, mu, weights)


answers(SoftLabels, ".curvature", {"a table": lambda h: h.reshape(K, -1)})
answers(silent(SoftLabels), ".curvature", {"negative": lambda h: -h})
bugs(silent(SoftLabels), ".curvature", {
    "overflows": of_probabilities(overflowing),
    "of the first example": lambda right, task, w, mu, weights: (
        SoftLabelsTask.curvature(task.part(slice(1)), w, mu, weights[:1])
    ),
    "squares the inputs": squares_the_inputs,
})  # fmt: skip
bugs(SoftLabels, ".curvature", {
    "changes w": changes_w,
})  # fmt: skip

# ------------------------------------------------------------------ axes


class InPlace(Principal):
    def times(self, factors, w):
        w[:] = super().times(factors, w)
        return w


class OfOneVector(Principal):
    def times(self, factors, w):
        return ((w.reshape(K, -1) @ self.axes * factors) @ self.axes.T).ravel()


class NotOfLengthOne(Principal):
    def __init__(self, X):
        self.axes = X.T @ X


class OneTooMany(Principal):
    def along(self, curvature):
        return np.append(super().along(curvature), 0.0)


class Negative(Principal):
    def along(self, curvature):
        return -super().along(curvature)


class AMatrix(Principal):
    def along(self, curvature):
        return np.outer(curvature, curvature)


class Nothing(Principal):
    def along(self, curvature):
        return None


class Reciprocal(Principal):
    def times(self, factors, w):
        return super().times(1 / factors, w)


def centring(right, task):
    task.X -= task.X.mean(axis=0)
    return right()


bugs(SoftLabels, ".axes", {
    kind.__name__: lambda right, task, kind=kind: kind(task.X)
    for kind in (
        InPlace, OfOneVector, NotOfLengthOne, OneTooMany, Negative, AMatrix,
        Nothing, Reciprocal,
    )
})  # fmt: skip
bugs(SoftLabels, ".axes", {"centre the inputs": centring})

# ------------------------------------------------------------------ scores of all outputs


def of_twice_w(right, task, w):
    w *= 2
    return right(w)


answers(SoftLabels, ".score_outputs", {
    "sorted": lambda scores: np.sort(scores, axis=1),
    "a row for each output": np.transpose,
})  # fmt: skip
answers(silent(SoftLabels), ".score_outputs", {
    "relative to the best": lambda scores: scores - scores.max(axis=1, keepdims=True),
})  # fmt: skip
bugs(SoftLabels, ".score_outputs", {
    "transpose the costs": lambda right, task, w: right(w) - COSTS[task.Y] + COSTS.T[task.Y],
    "change w": of_twice_w,
})  # fmt: skip

answers(SoftLabels, ".expected_difference", {
    "not flat": lambda row: row.reshape(K, -1),
})  # fmt: skip
bugs(SoftLabels, ".expected_difference", {
    "clips probabilities": lambda right, task, q: right(q.clip(0)),
    "takes the sum of probabilities for one": lambda right, task, q: (
        right(np.append(q[:, :-1], q[:, -1:] + 1 - q.sum(axis=1, keepdims=True), axis=1))
    ),
})  # fmt: skip

bugs(SoftLabels, ".products", {
    "of classes that overlap": lambda right, task: (
        right()._replace(products=task.X @ task.X.T + 1, features=None)
    ),
    "of features": lambda right, task: right()._replace(products=task.X.T @ task.X, features=None),
    "truths in reverse": lambda right, task: right()._replace(true=K - 1 - right().true),
})  # fmt: skip
answers(Documents, ".products", {
    "features of others": lambda found: found._replace(features=found.features[::-1]),
    "columns in reverse": lambda found: found._replace(features=found.features[:, ::-1]),
})  # fmt: skip
