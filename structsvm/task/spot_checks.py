"""Spot checks for one block: whether examples change, and whether losses and scores are right.

The functions of this module run in the worker process that holds the block of examples, and must be
picklable. A doubt is a pair: the size of a contradiction, and a message.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import oracle_is_exact
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.exceptions import ProblemError
from structsvm.objective.rounding import AGREEMENT, NEGLIGIBLE
from structsvm.task.advice import is_own
from structsvm.task.call import Tally
from structsvm.task.contradictions import (
    COPY,
    changed,
    contract_error,
    missed,
    no_prediction,
    no_truth,
    unequal,
)
from structsvm.task.faults import uncut
from structsvm.task.sums import sliced, whole
from structsvm.task.task import Task
from structsvm.task.watched import Watched, watched

#: Largest number of entries of an array, or elements of a list, that a sketch reads.
READ = 4096
#: Depth to which a sketch reads nested lists.
DEPTH = 4


def first_look(block: Any) -> list[tuple[int, Any, Any]]:
    """Return fingerprints of all examples, or raise a ProblemError if a true output has a loss."""
    found, inside = sketches(block), watched(block)
    if isinstance(inside.problem, SelfLabelledProblem):
        return found
    # Call the problem's loss, which a task with arrays may not call.
    losses = Watched(Task(inside.problem, inside.X, inside.Y), inside.index).losses(inside.Y)
    apart = _apart(inside)
    if losses.any() or (not is_own(type(apart.task)) and uncut(apart)):
        largest = apart.losses(apart.search(np.zeros(apart.size)))
        for i in np.flatnonzero(losses > NEGLIGIBLE * largest):
            raise contract_error(
                apart.problem,
                f"{type(apart.problem).__name__}.loss(y, y) must be 0; it is {losses[i]:.6g} for "
                f"the true output of example {apart.index[i]}",
            )
    return found


def second_look(block: Any, w: Vector) -> list[tuple[float, str]]:
    """Call the oracle twice at w, and return contradictions as pairs of size and message.

    Raises a ProblemError if a method of the task changes an example, or if a user's task and the
    problem's methods disagree.
    """
    w, inside, found, before = block.at(w), watched(block), [], sketches(block)
    apart = _apart(inside)
    for _ in range(2):
        outputs = apart.search(w)
        seen = sketch(outputs)
        products, sizes = _products(apart, apart.differences, outputs, w)
        losses = apart.losses(outputs)
        found.append((losses - products, losses + sizes))
    if (now := sketches(block)) != before:  # sketches are copies
        raise changed(apart.problem, before, now)
    if not is_own(type(apart.task)):
        _require_right(apart, outputs, seen)
    (first, size), (second, other) = found
    i = int(np.argmin(first))
    promises = oracle_is_exact(apart.problem) and not apart.problem.decode_may_miss
    if promises and first[i] < -AGREEMENT * size[i]:
        return [(-first[i], no_truth(apart.problem, apart.index[i], first[i]))]
    first, second = np.maximum(first, 0), np.maximum(second, 0)
    i = int(np.argmax(np.abs(first - second)))
    difference = abs(first[i] - second[i])
    if difference <= AGREEMENT * max(size[i], other[i]):
        return []
    return [(difference, unequal(apart.problem, apart.index[i], [first[i], second[i]]))]


def decoded(block: Any, w: Vector) -> list[tuple[float, str]]:
    """Return doubts about a decoder whose outputs score less at w than true outputs.

    Raises a ProblemError if the decoder changes an example.
    """
    w, block, before = block.at(w), watched(block), sketches(block)
    problem, own = block.problem, type(block.task).decode is not Task.decode
    if problem.decode is None or not (own or type(problem).decode is not Problem.decode):
        return [(np.inf, no_prediction(problem))]
    if problem.decode_may_miss or not oracle_is_exact(problem):
        return []
    try:
        found, size = _products(block, block.joint_features, block.decode(w), w)
        true, other = _products(block, block.joint_features, block.Y, w)
    except ProblemError as error:  # training has ended, and its result is right
        return [(np.inf, no_prediction(problem, error))]
    if (now := sketches(block)) != before:
        raise changed(problem, before, now)
    i = int(np.argmax(true - found))
    if true[i] - found[i] <= AGREEMENT * (size + other)[i]:
        return []
    return [(true[i] - found[i], missed(block, i, found[i], true[i]))]


def _require_right(block: Watched, outputs: Any, seen: Any) -> None:
    """Raise a ProblemError if a user's task and the problem's methods disagree.

    The function compares nothing if the problem's methods cannot read the data that the task holds.
    ``seen`` is a fingerprint of the outputs, taken when the search returned the outputs.
    """
    plain = Watched(Task(block.problem, block.X, block.Y), block.index)
    weights, name = 1.0 + np.arange(block.n) / block.n, type(block.task).__name__
    block.plane(outputs, weights.copy())
    if sketch(outputs) != seen:
        raise contract_error(
            block.problem, f"a method of {name} changed its argument outputs in place", COPY
        )
    try:
        losses, rows = plain.losses(outputs), dense(plain.differences(outputs, range(block.n)))
    except ProblemError:
        return
    found, total = block.losses(outputs), weights @ rows
    plane = whole(block.plane(outputs, weights.copy()), block.size)
    i = int(np.argmax(np.abs(found - losses)))
    if abs(found[i] - losses[i]) > AGREEMENT * losses.max():
        raise contract_error(
            block.problem,
            f"{name}.losses returned {found[i]:.6g} for example {block.index[i]}, whose loss is "
            f"{losses[i]:.6g}",
        )
    j = int(np.argmax(np.abs(plane - total)))
    if abs(plane[j] - total[j]) > AGREEMENT * (weights @ np.abs(rows)).max():
        raise contract_error(
            block.problem,
            f"{name}.plane is not the weighted sum of joint-feature differences: entry {j} is "
            f"{plane[j]:.6g} in place of {total[j]:.6g} for {block.n} examples",
        )


def _products(
    block: Watched, rows_of: Callable[[Any, Any], Any], outputs: Any, w: Vector
) -> tuple[Vector, Vector]:
    """Return <w, row> for each output's row, and the sum of its terms' absolute values."""
    products, sizes = np.empty((2, block.n))
    for places, rows in sliced(rows_of, outputs, block.n, block.size):
        products[places], sizes[places] = rows @ w, abs(rows) @ abs(w)
    return products, sizes


def _apart(block: Watched) -> Watched:
    """Return a copy of the block, with a count of calls that is not added to the run's count."""
    apart = copy.copy(block)
    apart.tally = Tally()
    return apart


def sketches(block: Any) -> list[tuple[int, Any, Any]]:
    """Return the index and the fingerprints of x and y for every example."""
    found = []
    for i, number in enumerate(block.index.tolist()):
        found.append((number, sketch(block.X[i]), block.Y is None or sketch(block.Y[i])))
    return found


def sketch(value: Any, depth: int = DEPTH) -> Any:
    """Return a fingerprint, which usually changes if the data in ``value`` change in place.

    The function reads arrays, sparse matrices and built-in containers. In large arrays only evenly
    spread positions are read. A change in an instance of a user's class is not detected: the
    instance may hold a cache.
    """
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        part = value if value.size <= READ else value.flat[_spread(value.size)]
        return value.shape, zlib.crc32(part.tobytes())
    if sparse.issparse(value):
        value = value if hasattr(value, "indices") else value.tocoo()
        return value.shape, sketch(value.data), sketch(getattr(value, "indices", None))
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


def _spread(n: int) -> Indices:
    return np.linspace(0, n - 1, READ).astype(np.intp)
