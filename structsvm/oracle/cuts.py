"""One pass of an oracle over the examples at a point w, turned into planes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector
from structsvm.data.containers import joined, stacked, take
from structsvm.objective.rounding import TermSizes
from structsvm.oracle.examples import Examples, total
from structsvm.oracle.violated import (
    Mean,
    Violated,
    absolute_sums,
    mean_plane,
    planes_above,
)
from structsvm.planes.plane import Cuts, SoftSource, Source
from structsvm.task.sums import SumOf

#: Largest number of examples whose terms are measured,
MEASURED = 100
#: and of their joint-feature entries, as far as ``Problem.work`` tells.
MEASURED_NUMBERS = 2_000_000


def one_slack_cut(
    examples: Examples, labels: Any, w: Vector, outputs: Sequence[Any] | None = None
) -> Cuts:
    """The one-slack plane: the mean over the examples of the planes of their outputs.

    The outputs are the separation oracle's at w, unless others are given. Where the temperature is
    kept, the plane is the soft oracle's instead.
    """
    temperature = examples.temperature
    if temperature:
        found = joined(examples.ask("search", labels, w))
        return soft_cut(examples, labels, w, temperature, examples.n)[0]._replace(outputs=found)
    divided, rows = () if outputs is None else (outputs,), SumOf("row", np.zeros(examples.size))
    n = examples.n
    means = examples.map(mean_plane, labels, w, n, divided=divided, keep=rows)
    return joined_cut(examples, labels, w, means, rows.total)


def joined_cut(
    examples: Examples,
    labels: Any,
    w: Vector,
    means: Sequence[Mean],
    row: Vector,
    rest: Callable[[Vector], Vector] | None = None,
) -> Cuts:
    """The one-slack plane made of the blocks' means, and of the sum of their rows.

    ``rest`` returns the part of the row that the means lack, from the examples' weights.
    """
    found, _, losses, weights, any_loss = zip(*means, strict=True)
    outputs = joined(found)
    same = weights[0] is None  # all weights are 1/n: one number, read n times
    weight = np.broadcast_to(1 / examples.n, examples.n) if same else joined(weights)
    if rest is not None:
        row += rest(weight)
    offset = float(examples.first.offsets(total(losses), row))
    slack = max(0.0, offset - float(row @ w))
    return Cuts(
        labels=labels,
        outputs=outputs,
        slacks=np.array([slack]),
        rows=row[None, :],
        offsets=np.array([offset]),
        groups=np.zeros(1, dtype=np.intp),
        sources=[Source(None, outputs, weight)],
        any_loss=any(any_loss),
    )


def n_slack_cuts(examples: Examples, labels: Any, found: Violated) -> Cuts:
    """The n-slack planes: one for each example whose slack exceeds its threshold."""
    violated, one = found.violated, np.ones(1)
    return Cuts(
        labels=labels,
        outputs=found.outputs,
        slacks=found.slacks,
        rows=found.rows,
        offsets=examples.first.offsets(found.own_losses, found.rows),
        groups=violated,
        sources=[Source(i, [found.outputs[i]], one) for i in violated.tolist()],
        any_loss=bool(np.any(found.losses > 0)),
    )


def find_violated(
    examples: Examples,
    labels: Any,
    w: Vector,
    thresholds: Vector,
    outputs: Sequence[Any] | None = None,
    search: str = "",
) -> Violated:
    """Outputs at w, and planes of the examples whose slack exceeds its threshold.

    For messages, ``search`` returned the outputs given, by default a cheap search.
    """
    divided = (thresholds,) if outputs is None else (thresholds, outputs)
    measure = partial(planes_above, search=search)
    blocks = examples.map(measure, labels, w, divided=divided)
    found, losses, slacks, violated, rows = zip(*blocks, strict=True)
    starts = np.cumsum([0, *map(len, losses[:-1])])
    places = [start + own for start, own in zip(starts, violated, strict=True)]
    return Violated(joined(found), joined(losses), joined(slacks), joined(places), stacked(rows))


def soft_cut(examples: Examples, labels: Any, w: Vector, mu: float, n: int) -> tuple[Cuts, SoftSum]:
    """The one-slack plane of the soft oracle over some of n examples, and the sums behind it.

    The other examples count as if at their true output, where a plane is 0. The slack is the mean
    slack, or the soft slack, an upper bound, if the soft oracle does not return slacks; infinite
    unless all examples are evaluated.
    """
    differences = SumOf("joint_feature_difference")
    ones = np.ones(examples.n)
    kept = examples.ask("soft", labels, w, mu, divided=(ones,), keep=differences)
    values, _, losses, of_blocks = zip(*kept, strict=True)
    known = None if any(each is None for each in of_blocks) else joined(of_blocks)
    soft = SoftSum(joined(values), differences.total, sum(losses), known)
    if examples.temperature:  # the plane that touches the slacks at w
        offset = float(soft.values.sum() + soft.joint_feature_difference @ examples.first.at(w))
        soft = soft._replace(loss=offset)
    whole = examples.n == n
    slacks = soft.values if soft.slacks is None else soft.slacks
    slack = np.maximum(slacks, 0).sum() / n if whole else np.inf
    row = soft.joint_feature_difference / n
    cuts = Cuts(
        labels=labels,
        outputs=None,
        slacks=np.array([slack]),
        rows=row[None, :],
        offsets=np.array([examples.first.offsets(soft.loss / n, row)]),
        groups=np.zeros(1, dtype=np.intp),
        sources=[SoftSource(None if whole else examples.index, w, mu)],
        any_loss=soft.loss > 0,
    )
    return cuts, soft


def curvature(examples: Examples, labels: Any, w: Vector, mu: float) -> Vector:
    """The sum over the examples of the variances of their joint features."""
    variances = SumOf()
    ones = np.ones(examples.n)
    examples.ask("curvature", labels, w, mu, divided=(ones,), keep=variances)
    return np.asarray(variances.total)


def term_sizes(
    examples: Examples, labels: Any, outputs: Sequence[Any], whole: bool = True
) -> TermSizes:
    """The sizes of the terms of the slacks of some outputs, from examples spread evenly.

    If ``whole``, the joint features of the true outputs count, not only their differences.
    """
    numbers = min(examples.size, examples.problem.work or examples.size)
    most = min(examples.n, MEASURED, max(1, int(MEASURED_NUMBERS // max(numbers, 1))))
    places = np.unique(np.linspace(0, examples.n - 1, most).astype(np.intp))
    some = None if len(places) == examples.n else places
    subset, own = examples.labelled_subset(some, labels)
    rows, losses = zip(
        *subset.map(absolute_sums, own, whole, divided=(take(outputs, places),)), strict=True
    )
    mean, loss = sum(rows) / subset.n, sum(losses) / subset.n
    return TermSizes(mean, loss, examples.first.offset_size(loss, mean))
