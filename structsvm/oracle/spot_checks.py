"""Spot checks of the contract, for one block: sketches of examples, losses of truth, scores.

These functions run where the block is, so they must be picklable.
"""

from __future__ import annotations

import copy
import zlib
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.objective.rounding import AGREEMENT
from structsvm.oracle.violated import planes_above
from structsvm.task.advice import is_own
from structsvm.task.call import Call, Tally
from structsvm.task.sums import sliced, whole
from structsvm.task.task import Task
from structsvm.task.watched import Watched, watched

#: Largest number of entries of an array, or elements of a list, that a sketch reads.
READ = 4096
#: Depth to which it follows lists in lists.
DEPTH = 4


class Decoded(NamedTuple):
    """The scores of a decoded output and of the true output.

    Attributes
    ----------
    example : int
    true, found : float
    magnitude : float
        The size of the terms of both.
    """

    example: int
    true: float
    found: float
    magnitude: float


class Repeated(NamedTuple):
    """The slack of an example at w, by two calls of the oracle.

    Attributes
    ----------
    example : int
    first, second : float
    magnitude : float
        The size of the terms of both.
    changed : str
        What the calls changed in place, 'x' or 'y'; empty if nothing.
    """

    example: int
    first: float
    second: float
    magnitude: float
    changed: str


def example_sketches(block: Any) -> list[tuple[int, dict[str, Any]]]:
    """The number of every example, and the sketches of its x and y."""
    return [
        (int(number), {"x": sketch(block.X[i]), "y": block.Y is None or sketch(block.Y[i])})
        for i, number in enumerate(block.index)
    ]


def true_losses(block: Any) -> list[tuple[int, float, float]]:
    """The number of every example, the loss of its true output, and the largest loss.

    The largest is found by the separation oracle, only where a true output has a loss.
    """
    losses, block = [], _apart(watched(block))
    # By the problem's own method, which a task with arrays may not call.
    with Call(block.problem, "loss", block.index, hint="y_hat is the true output") as call:
        for i in call.examples():
            loss = block.problem.loss(block.Y[i], block.Y[i])
            losses.append(float(call.checked(loss, (), where=call.where())))
    largest = np.zeros(block.n)
    if any(losses):
        largest = block.losses(block.search(np.zeros(block.size)))
    return list(zip(block.index.tolist(), losses, largest.tolist(), strict=True))


def wrong_answers(block: Any, w: Vector) -> list[str]:
    """Words on a user's task whose losses or planes are not those of the problem's own methods.

    Nothing is compared where these cannot read what the task holds.
    """
    task, w = watched(block).task, block.at(w)
    if is_own(type(task)):
        return []
    block = _apart(watched(block))
    outputs = block.search(w)
    weights, name = 1.0 + np.arange(block.n) / block.n, type(task).__name__
    try:
        losses = Task.losses(task, outputs)
        rows = dense(Task.differences(task, outputs, range(block.n)))
    except Exception:
        task.place = None
        return []
    found, plane = block.losses(outputs), whole(block.plane(outputs, weights.copy()), block.size)
    i = int(np.argmax(np.abs(found - losses)))
    if abs(found[i] - losses[i]) > AGREEMENT * losses.max():
        return [
            f"{name}.losses returned {found[i]:.6g} for example {block.index[i]}, whose loss is "
            f"{losses[i]:.6g}"
        ]
    wrong = np.abs(plane - weights @ rows) > AGREEMENT * (weights @ np.abs(rows)).max()
    if wrong.any():
        j = int(np.argmax(wrong))
        return [
            f"{name}.plane is not the weighted sum of joint-feature differences: entry {j} is "
            f"{plane[j]:.6g} in place of {(weights @ rows)[j]:.6g} for {block.n} examples"
        ]
    return []


def decoded_scores(block: Any, w: Vector) -> list[Decoded]:
    """The scores of every example's decoded and true output."""
    whole, block = block.at(w), watched(block)
    true, size = _scores(block, block.Y, whole)
    found, other = _scores(block, block.decode(whole), whole)
    columns = block.index.tolist(), true, found, size + other
    return [Decoded(*row) for row in zip(*columns, strict=True)]


def predicted_losses(block: Any, w: Vector) -> Vector:
    """The losses of every example's decoded output."""
    return np.asarray(block.losses(block.decode(w)))


def _scores(block: Watched, outputs: Any, w: Vector) -> tuple[Vector, Vector]:
    """The scores of outputs at w, and the sizes of their terms."""
    features = sliced(block.joint_features, outputs, block.n, block.size)
    parts = [(rows @ w, abs(rows) @ abs(w)) for _, rows in features]
    scores, sizes = map(np.concatenate, zip(*parts, strict=True))
    return scores, sizes


def repeated_slacks(block: Any, w: Vector) -> list[Repeated]:
    """The slacks of every example by two calls of the separation oracle at w."""
    block, w, nowhere = _apart(watched(block)), block.at(w), np.full(block.n, np.inf)
    before = example_sketches(block)
    first = planes_above(block, w, nowhere)  # one frame less in tracebacks than with a generator
    second = planes_above(block, w, nowhere)
    # A slack is a loss less a product, so these are the sizes of its terms.
    sizes = [found.losses + np.abs(found.losses - found.slacks) for found in (first, second)]
    changed = map(changed_part, before, example_sketches(block))
    columns = block.index.tolist(), first.slacks, second.slacks, np.maximum(*sizes), changed
    return [Repeated(*row) for row in zip(*columns, strict=True)]


def changed_part(before: tuple[int, dict[str, Any]], after: tuple[int, dict[str, Any]]) -> str:
    """The part of an example whose sketch has changed, 'x' or 'y'; empty if none has."""
    return next((name for name in before[1] if before[1][name] != after[1][name]), "")


def sketch(value: Any, depth: int = DEPTH) -> Any:
    """A small value that changes, as a rule, if the data in ``value`` are changed in place.

    Arrays, sparse matrices and the built-in containers are read, large ones at evenly spread
    positions. Other objects count as unchanged, since they may hold a cache.
    """
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        part = value if value.size <= READ else value.flat[_spread(value.size)]
        return value.shape, zlib.crc32(part.tobytes())
    if sparse.issparse(value):
        return value.shape, sketch(value.data, depth)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, np.ndarray)):
        if depth == 0:
            return len(value)
        some = range(len(value)) if len(value) <= READ else _spread(len(value))
        return len(value), [sketch(value[i], depth - 1) for i in some]
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return repr(value)  # makes NaN equal to itself
    return value[:READ] if isinstance(value, (str, bytes)) else None


def _apart(block: Watched) -> Watched:
    """The block; its calls do not count as calls of the run."""
    apart = copy.copy(block)
    apart.tally = Tally()
    return apart


def _spread(n: int) -> Any:
    return np.linspace(0, n - 1, READ).astype(np.intp)
