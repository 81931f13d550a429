"""Functions that call an oracle for all examples at w, and make cutting planes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector
from structsvm.data.containers import joined, stacked, take
from structsvm.objective.rounding import TermSizes
from structsvm.oracle.examples import Examples
from structsvm.oracle.violated import (
    Violated,
    absolute_sums,
    mean_plane,
    planes_above,
    soft_sum,
    variances,
    weighted_planes,
)
from structsvm.planes.plane import Cuts, SoftSource, Source
from structsvm.task.sums import plus

#: Largest number of examples whose terms are measured.
MEASURED = 100
#: Largest number of joint-feature entries that are measured, estimated by ``Problem.work``.
MEASURED_NUMBERS = 2_000_000


def one_slack_cut(
    examples: Examples, labels: Any, w: Vector, outputs: Sequence[Any] | None = None
) -> Cuts:
    """Return the one-slack plane: the mean over the examples of the planes of their outputs.

    The separation oracle finds the outputs at w, unless ``outputs`` of a cheap search are passed.
    If the surrogate has a fixed temperature, the plane is computed by the soft oracle.
    """
    temperature, n = examples.temperature, examples.n
    if temperature:
        found = examples.ask("search", labels, w)
        return soft_cut(examples, labels, w, temperature, n)[0]._replace(outputs=found)
    divided = () if outputs is None else (outputs,)
    row, parts = np.zeros(examples.size), []
    # Each row is added when it arrives, since it is as long as w.
    for own, rest in examples.map(mean_plane, labels, w, n, divided=divided):
        row = plus(row, own)
        parts.append(rest)
    found, losses, weights, any_loss = zip(*parts, strict=True)
    outputs = joined(found)
    same = weights[0] is None  # all weights are 1/n, so one number is enough
    weight = np.broadcast_to(1 / n, n) if same else joined(weights)
    # One after another, as in one task; Python's sum of floats compensates from 3.12 on.
    offsets = examples.task.offsets(np.cumsum(losses)[-1:], row[None, :])
    return Cuts(
        labels=labels,
        outputs=outputs,
        slacks=np.maximum(offsets - row @ w, 0.0),
        rows=row[None, :],
        offsets=offsets,
        groups=np.zeros(1, dtype=np.intp),
        sources=[Source(None, outputs, weight)],
        any_loss=any(any_loss),
    )


def find_violated(
    examples: Examples,
    labels: Any,
    w: Vector,
    thresholds: Vector,
    outputs: Sequence[Any] | None = None,
    search: str = "",
) -> Violated:
    """Return outputs at w, and planes of the examples whose slacks exceed their thresholds.

    ``search`` is the name of the method that returned ``outputs``, for error messages, or '' for a
    cheap search.
    """
    divided = (thresholds,) if outputs is None else (thresholds, outputs)
    measure = partial(planes_above, search=search)
    blocks: list[Violated] = [*examples.map(measure, labels, w, divided=divided)]
    if len(blocks) == 1:
        return blocks[0]
    found, losses, slacks, violated, rows, offsets = zip(*blocks, strict=True)
    starts = np.cumsum([0, *map(len, losses[:-1])])
    places = [start + own for start, own in zip(starts, violated, strict=True)]
    outputs, violated = joined(found), joined(places)
    return Violated(
        outputs, joined(losses), joined(slacks), violated, stacked(rows), joined(offsets)
    )


def n_slack_cuts(labels: Any, found: Violated) -> Cuts:
    """Return the n-slack planes of the examples whose slacks exceed their thresholds."""
    violated, one = found.violated, np.ones(1)
    return Cuts(
        labels=labels,
        outputs=found.outputs,
        slacks=found.slacks,
        rows=found.rows,
        offsets=found.offsets,
        groups=violated,
        sources=[Source(i, [found.outputs[i]], one) for i in violated.tolist()],
        any_loss=bool(np.any(found.losses > 0)),
    )


def soft_cut(examples: Examples, labels: Any, w: Vector, mu: float, n: int) -> tuple[Cuts, SoftSum]:
    """Return the soft oracle's one-slack plane for some of n examples, and the oracle's SoftSum.

    An example that is not evaluated counts with its true output, which adds 0 to the plane. If the
    soft oracle returns hinge losses as slacks, the slack of the plane is the mean hinge loss. If
    the soft oracle returns no slacks, the slack of the plane is the mean smoothed slack, which is
    an upper bound of the mean hinge loss. If only some of the n examples are evaluated, the mean
    slack of all examples is unknown, and the slack of the plane is set to infinity.
    """
    total, parts = np.zeros(examples.size), []
    for own, rest in examples.map(soft_sum, labels, w, mu):
        total += own
        parts.append(rest)
    values, losses, of_blocks = zip(*parts, strict=True)
    known = None if any(each is None for each in of_blocks) else joined(of_blocks)
    soft = SoftSum(joined(values), total, float(np.cumsum(losses)[-1]), known)
    if examples.temperature:  # the plane that touches the slacks at w
        soft = soft._replace(loss=float(soft.values.sum() + total @ examples.task.at(w)))
    complete = examples.n == n
    slacks = soft.values if soft.slacks is None else soft.slacks
    slack = np.maximum(slacks, 0).sum() / n if complete else np.inf
    row = total[None, :] / n
    cuts = Cuts(
        labels=labels,
        outputs=None,
        slacks=np.array([slack]),
        rows=row,
        offsets=examples.task.offsets(np.array([soft.loss / n]), row),
        groups=np.zeros(1, dtype=np.intp),
        sources=[SoftSource(None if complete else examples.index, w, mu)],
        any_loss=soft.loss > 0,
    )
    return cuts, soft


def curvature(examples: Examples, labels: Any, w: Vector, mu: float) -> Vector:
    """Return the sum over the examples of the variances of their joint features."""
    return np.asarray(sum(examples.map(variances, labels, w, mu)))


def term_sizes(
    examples: Examples, labels: Any, outputs: Sequence[Any], whole: bool = True
) -> TermSizes:
    """Return the mean absolute joint-feature difference and mean loss of evenly spaced examples.

    If ``whole`` is true, the absolute joint features of the true outputs are added to the absolute
    joint-feature differences.
    """
    numbers = min(examples.size, examples.problem.work or examples.size)
    most = min(examples.n, MEASURED, max(1, int(MEASURED_NUMBERS // max(numbers, 1))))
    places = np.unique(np.linspace(0, examples.n - 1, most).astype(np.intp))
    some = None if len(places) == examples.n else places
    subset, own = examples.labelled_subset(some, labels)
    sizes = subset.map(absolute_sums, own, whole, divided=(take(outputs, places),))
    rows, losses = zip(*sizes, strict=True)
    mean, loss = sum(rows) / subset.n, float(np.cumsum(losses)[-1]) / subset.n
    return TermSizes(mean, loss, examples.task.offset_size(loss, mean))


def planes_of_passes(
    examples: Examples, labels: Any, passes: Sequence[Sequence[Any]], weights: Vector
) -> tuple[Vector, Vector]:
    """Compute a plane from the weighted outputs of each oracle pass; return rows and offsets."""
    divided = (np.transpose(weights), *passes)
    rows, losses = zip(*examples.map(weighted_planes, labels, divided=divided), strict=True)
    return sum(rows), examples.task.offsets(sum(losses), sum(rows))


def relabelled_planes(
    examples: Examples,
    labels: Any,
    sources: Sequence[Any],
    previous: tuple[Any, Vector, Vector],
) -> tuple[Vector, Vector]:
    """Recompute the planes of m earlier passes (``sources``) for new labels, as rows and offsets.

    ``previous`` holds earlier labels, and the rows and offsets for the earlier labels.
    """
    if not len(sources):
        return np.empty((0, examples.size)), np.empty(0)
    passes, weights = [s.outputs for s in sources], np.array([s.weights for s in sources])
    task, (before, rows, offsets) = examples.task, previous
    if task.relabelled is None:
        return planes_of_passes(examples, labels, passes, weights)
    earlier = before, rows, task.losses_of(offsets, rows)
    rows, losses = task.with_labels(labels).relabelled(passes, weights, earlier)
    return rows, task.offsets(losses, rows)
