"""Bugs in soft oracles and their sums, and in gradients in x."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.grid import DifferentiableGrid, features
from benchmarks.robustness._planted.correct.labels import (
    COSTS,
    SoftLabels,
    expected_difference,
    margins,
    softmax,
)
from benchmarks.robustness._planted.correct.tagging import FastTagging
from benchmarks.robustness._planted.register import answers, bugs, memory, silent

SilentGrid = silent(DifferentiableGrid)

# ------------------------------------------------------------------ soft_oracle


def overflowing(right, problem, x, y, w, mu):
    s = margins(x[None], np.array([y]), w)[0]
    value = float(mu * np.log(np.exp(s / mu).sum()))
    return right(x, y, w, mu)._replace(value=value)


def expectations(change, value=False):
    """Expectations in other probabilities, and the value where it is to follow."""

    def wrong(right, problem, x, y, w, mu):
        Y = np.array([y])
        p = change(softmax(margins(x[None], Y, w), mu)[1], y)
        found = right(x, y, w, mu)
        if value:
            found = found._replace(value=found.value + mu * np.log(p.sum()))
        p /= p.sum()
        difference = expected_difference(x[None], Y, p)
        return found._replace(joint_feature_difference=difference, loss=float(p[0] @ COSTS[y]))

    return wrong


def without_small(p, y):
    return np.where(p < 0.1, 0, p)


def without_the_truth(p, y):
    return np.where(np.arange(p.shape[1]) == y, 0, p)


def difference_in_a_buffer(right, problem, x, y, w, mu):
    found = right(x, y, w, mu)
    buffer = memory(problem).setdefault("buffer", found.joint_feature_difference)
    buffer[:] = found.joint_feature_difference
    return found._replace(joint_feature_difference=buffer)


def scales_w(right, problem, x, y, w, mu):
    w /= mu
    w *= mu
    return right(x, y, w, mu)


def of_the_hardest(name, value):
    """Return the value of the most violating output in place of an expectation."""

    def wrong(right, problem, x, y, w, mu):
        z = problem.separation_oracle(x, y, w)
        return right(x, y, w, mu)._replace(**{name: value(problem, x, y, z)})

    return wrong


bugs(SoftLabels, "soft_oracle", {
    "overflows": overflowing,
    "cuts small probabilities": expectations(without_small),
    "leaves out the truth": expectations(without_the_truth, value=True),
    "the difference is a buffer": difference_in_a_buffer,
    "divides w by the temperature": scales_w,
})  # fmt: skip


answers(DifferentiableGrid, "soft_oracle", {
    "the fields are swapped": lambda found: found._replace(value=found.loss, loss=found.value),
})  # fmt: skip
bugs(SilentGrid, "soft_oracle", {
    "the value is the maximum": lambda right, problem, x, y, w, mu: (
        right(x, y, w, mu)._replace(value=right(x, y, w, 1e-9).value)
    ),
    "keeps its first temperature": lambda right, problem, x, y, w, mu: (
        right(x, y, w, memory(problem).setdefault("mu", mu))
    ),
    "difference of the hardest output alone": of_the_hardest(
        "joint_feature_difference", lambda problem, x, y, z: features(x, y) - features(x, z)
    ),
})  # fmt: skip
bugs(FastTagging, "soft_oracle", {
    "forgets the first of four": lambda right, problem, x, y, w, mu: right(x[-3:], y[-3:], w, mu),
})  # fmt: skip

# ------------------------------------------------------------------ sums


def of_sums(**changes):
    """Other parts of the sums: functions of the right one, the task, w, mu and the weights."""

    def wrong(right, task, w, mu, weights):
        found = right(w, mu, weights)
        return found._replace(**{
            name: change(getattr(found, name), task, w, mu, weights)
            for name, change in changes.items()
        })  # fmt: skip

    return wrong


def shifted_by_the_maximum_of_the_block(values, task, w, mu, weights):
    """Examples far below the largest score underflow to log 0."""
    s = margins(task.X, task.Y, w)
    return s.max() + mu * np.log(np.exp((s - s.max()) / mu).sum(axis=1))


def slacks_without_the_truth(slacks, task, w, mu, weights):
    s = margins(task.X, task.Y, w)
    s[np.arange(task.n), task.Y] = -np.inf
    return s.max(axis=1)


def cached_by_temperature(right, task, w, mu, weights):
    return memory(task).setdefault((mu, task.n), right(w, mu, weights))


bugs(SoftLabels, ".soft", {
    "skips examples of weight zero": of_sums(
        values=lambda values, task, w, mu, weights: np.where(weights != 0, values, 0.0)
    ),
    "leaves the weights out of the loss": lambda right, task, w, mu, weights: (
        right(w, mu, weights)._replace(loss=right(w, mu, np.ones_like(weights)).loss)
    ),
    "is a triple": lambda right, task, w, mu, weights: right(w, mu, weights)[:3],
})  # fmt: skip
bugs(silent(SoftLabels), ".soft", {
    "shifts by the maximum of the block": of_sums(values=shifted_by_the_maximum_of_the_block),
    "squeezes a single example": of_sums(values=lambda values, *_: np.squeeze(values)),
    "leaves the truth out of the slacks": of_sums(slacks=slacks_without_the_truth),
    "caches by the temperature": cached_by_temperature,
})  # fmt: skip
bugs(SoftLabels, ".soft", {
    "sorts the weights": lambda right, task, w, mu, weights: right(w, mu, np.sort(weights)),
    "remembers the first w": lambda right, task, w, mu, weights: (
        right(memory(task).setdefault("w", w), mu, weights)
    ),
})  # fmt: skip

# ------------------------------------------------------------------ gradients in x


def adds_up(right, problem, x, y, w):
    """It is never set back to zero."""
    memory(problem)["total"] = memory(problem).get("total", 0.0) + right(x, y, w)
    return memory(problem)["total"]


def steps_in_its_input(right, problem, x, y, w, mu):
    gradient = right(x, y, w, mu)
    x -= gradient
    return gradient


GRADIENT, SOFT_GRADIENT = "input_gradient", "soft_input_gradient"
answers(DifferentiableGrid, GRADIENT, {"clipped": lambda gradient: np.clip(gradient, -1, 1)})
bugs(DifferentiableGrid, GRADIENT, {
    "of another shape": lambda right, problem, x, y, w: w,
})  # fmt: skip
bugs(SilentGrid, GRADIENT, {"adds up": adds_up})
bugs(DifferentiableGrid, SOFT_GRADIENT, {
    "at another temperature": lambda right, problem, x, y, w, mu: right(x, y, w, 2 * mu),
    "of another shape": lambda right, problem, x, y, w, mu: w,
    "steps in its input": steps_in_its_input,
})  # fmt: skip
