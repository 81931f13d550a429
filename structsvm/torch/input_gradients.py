"""Gradients of slacks with respect to the inputs, defined by the problem or derived from Psi."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.task.answers import real_array
from structsvm.task.call import Call, checked

#: Points on the line from the origin to x at which the linearity of Psi is tested, and the
#: tolerance relative to the size of the terms, the precision of float32.
POINTS, TOLERANCE = (1.0, 0.37), 1e-5


def weights_of_each(w: Vector, n: int) -> Iterable[Vector]:
    """Return the weights for each of n examples: the rows of w, or w itself for all examples."""
    return w if w.ndim == 2 else repeat(w, n)


def slack_gradients(
    block: Any, X: Any, outputs: Sequence[Any], w: Vector, violated: Any
) -> list[Any]:
    """Return the gradient of <w, Psi(x, y_hat) - Psi(x, y)> with respect to x for each example.

    If the slack of an example is 0, its gradient is 0. The argument ``X`` holds the original
    inputs, arrays of numbers. The weights w are one vector for all examples, or have one row for
    each example.
    """
    gradients = []
    of_each = zip(X, outputs, weights_of_each(w, block.n), strict=True)
    for i, (x, y_hat, own_w) in enumerate(of_each):
        if not violated[i]:
            gradients.append(np.zeros(np.shape(x)))
        elif getattr(block.problem, "input_gradient", None) is not None:
            own, found = (
                _own(block, "input_gradient", i, x, y, own_w) for y in (block.Y[i], y_hat)
            )
            gradients.append(found - own)
        else:
            gradients.append(_derived(block, i, x, y_hat, own_w))
    return gradients


def soft_gradients(block: Any, X: Any, w: Vector, mu: float) -> list[Vector]:
    """Return the gradients of smoothed slacks with respect to x, as the problem defines them."""
    return [_own(block, "soft_input_gradient", i, x, block.Y[i], w, mu) for i, x in enumerate(X)]


def _own(block: Any, method: str, i: int, x: Any, *arguments: Any) -> Vector:
    with Call(block.problem, method):
        found = getattr(block.problem, method)(x, *arguments)
    return checked(method, found, np.shape(x), f" for example {block.index[i]}")


def _derived(block: Any, i: int, x: Any, y_hat: Any, w: Vector) -> Vector:
    """Return the gradient of <w, Psi(x, y_hat) - Psi(x, y)> with respect to x, if Psi is affine."""
    y, problem = block.Y[i], block.problem

    def score(values: Any) -> float:
        found = problem.joint_feature_difference(values.reshape(x.shape), y, y_hat)
        return -float(real_array(found) @ w)

    with Call(block.problem, "joint_feature_difference"):
        origin, slopes = np.zeros(x.size, dtype=x.dtype), np.zeros(x.size)
        constant = score(origin)
        for j in range(x.size):
            unit = origin.copy()
            unit[j] = 1.0
            slopes[j] = score(unit) - constant
        errors = [score(t * x) - constant - t * float(slopes @ x.ravel()) for t in POINTS]
    size = abs(constant) + float(np.abs(slopes) @ np.abs(x.ravel()))
    if not np.max(np.abs(errors)) <= TOLERANCE * size:  # or Psi is not finite at the origin
        name = type(problem).__name__
        raise ProblemError(
            f"joint_feature of {name} is not linear in x, so its gradient in x cannot be derived: "
            f"define {name}.input_gradient, detach X, or let the network compute w (scores=True)"
        )
    return slopes.reshape(x.shape)
