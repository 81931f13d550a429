"""One pass of the separation oracle at a point w, turned into planes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.containers import joined
from structsvm.oracle import BoundProblem, Each, total
from structsvm.part import Part
from structsvm.problem import Indices, SoftSum, Vector

#: Rows of single examples are kept in CSR format where a smaller share of them is not 0.
SPARSE = 0.2


class Source(NamedTuple):
    """Where a plane comes from: oracle outputs for some examples, and their weights in it.

    ``example`` is the index of the only example, or None for all of them.
    """

    example: int | None
    outputs: Sequence[Any]
    weights: Vector


class SoftSource(NamedTuple):
    """Where the plane of a soft oracle comes from: the point and the temperature it was asked at.

    ``examples`` are their indices, or None for all; the others count as at their truth.
    """

    examples: Indices | None
    w: Vector
    mu: float


class Cuts(NamedTuple):
    """What one pass found at w: the slack of every group, and planes with their sources.

    The planes are made against ``labels``, from ``outputs``, one for each example; a soft oracle
    names none. ``any_loss`` says whether any of them had a loss > 0.
    """

    labels: Any
    outputs: Sequence[Any] | None
    slacks: Vector
    rows: Vector
    offsets: Vector
    groups: Indices
    sources: list[Source] | list[SoftSource]
    any_loss: bool


def no_planes(labels: Any, size: int) -> Cuts:
    """What a pass tells that keeps its planes elsewhere and does not tell P."""
    nothing = np.empty(0)
    groups, rows = nothing.astype(np.intp), np.empty((0, size))
    return Cuts(labels, None, np.array([np.inf]), rows, nothing, groups, [], True)


class Found(NamedTuple):
    """What the oracle found for every example, and a plane for some.

    Attributes
    ----------
    outputs : sequence of n
    losses, slacks : ndarray of shape (n,)
        Of these outputs.
    violated : ndarray of shape (m,)
        The places of the examples that have a plane.
    rows : ndarray or CSR matrix of shape (m, size)
        Their planes; the offsets are the losses.
    """

    outputs: Sequence[Any]
    losses: Vector
    slacks: Vector
    violated: Indices
    rows: Any


def aggregate_cut(
    bound: BoundProblem, labels: Any, w: Vector, outputs: Sequence[Any] | None = None
) -> Cuts:
    """The one-slack plane: the mean over the examples of their most violated outputs.

    Those are what the oracle returns, unless other outputs are given.
    """
    found = bound.map(_summed_up, labels, w, bound.n, _each(outputs))
    parts, rows, offsets, weights, any_loss = zip(*found, strict=True)
    outputs, row, offset = joined(parts), total(rows), float(total(offsets))
    same = weights[0] is None  # one number that is read n times
    weight = np.broadcast_to(1 / bound.n, bound.n) if same else joined(weights)
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


def example_cuts(
    bound: BoundProblem,
    labels: Any,
    w: Vector,
    outputs: Sequence[Any] | None,
    thresholds: Vector,
) -> Cuts:
    """The n-slack planes: one for each example whose slack at w exceeds its threshold.

    They are made of what the oracle returns, unless other outputs are given.
    """
    found = find(bound, labels, w, thresholds, outputs)
    rows, violated = found.rows, found.violated
    one = np.ones(1)
    return Cuts(
        labels=labels,
        outputs=found.outputs,
        slacks=found.slacks,
        rows=rows.toarray() if sparse.issparse(rows) else rows,
        offsets=found.losses[violated],
        groups=violated,
        sources=[Source(i, [found.outputs[i]], one) for i in violated.tolist()],
        any_loss=bool(np.any(found.losses > 0)),
    )


def find(
    bound: BoundProblem, labels: Any, w: Vector, thresholds: Vector, outputs: Any = None
) -> Found:
    """Ask the oracle at w, unless outputs are given; planes where the slack exceeds a threshold."""
    found = bound.map(_planes_above, labels, w, Each(thresholds), _each(outputs))
    parts, losses, slacks, violated, rows = zip(*found, strict=True)
    starts = np.cumsum([0, *map(len, losses[:-1])])
    places = [start + places for start, places in zip(starts, violated, strict=True)]
    return Found(joined(parts), joined(losses), joined(slacks), joined(places), stacked(rows))


def soft_cut(
    bound: BoundProblem, labels: Any, w: Vector, mu: float, n: int
) -> tuple[Cuts, SoftSum]:
    """The one-slack plane of the soft oracle over some of n examples, and what it is made of.

    The other examples are at their truth and add nothing to it. The slack is infinite where the
    soft oracle does not tell it for all.
    """
    soft = _summed(bound.map(Part.soft, labels, w, mu))
    whole = bound.n == n
    slack = np.inf
    if whole and soft.slacks is not None:
        slack = np.maximum(soft.slacks, 0).sum() / n
    cuts = Cuts(
        labels=labels,
        outputs=None,
        slacks=np.array([slack]),
        rows=soft.joint_feature_difference[None, :] / n,
        offsets=np.array([soft.loss / n]),
        groups=np.zeros(1, dtype=np.intp),
        sources=[SoftSource(None if whole else bound.index, w, mu)],
        any_loss=soft.loss > 0,
    )
    return cuts, soft


def _summed(parts: Sequence[SoftSum]) -> SoftSum:
    """The soft outputs of all examples from those of the parts."""
    if len(parts) == 1:
        return parts[0]
    values, differences, losses, slacks = zip(*parts, strict=True)
    told = None if any(part is None for part in slacks) else joined(slacks)
    return SoftSum(joined(values), total(differences), sum(losses), told)


def stacked(blocks: Sequence[Any]) -> Any:
    """Rows one below the other, in CSR format if all blocks are."""
    blocks = [block for block in blocks if block.shape[0]] or blocks[:1]
    if len(blocks) == 1:
        return blocks[0]
    if all(sparse.issparse(block) for block in blocks):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate([b.toarray() if sparse.issparse(b) else b for b in blocks])


# ---------------------------------------------------------------------- of one part


def _each(outputs: Sequence[Any] | None) -> Any:
    return None if outputs is None else Each(outputs)


def _summed_up(
    part: Part, labels: Any, w: Vector, n: int, outputs: Sequence[Any] | None
) -> tuple[Sequence[Any], Vector, float, Vector | None, bool]:
    """Outputs, their share in the row and offset, and the weights in it, None where all are 1/n."""
    outputs = part.separate(labels, w) if outputs is None else outputs
    losses = part.losses(labels, outputs)
    any_loss = bool(np.any(losses > 0))
    if part.problem.oracle_quality == "undergenerating":
        row, weights = _sum_of_violated(part, labels, outputs, losses, w, n)
        return outputs, row, float(weights @ losses), weights, any_loss
    weights = np.full(part.n, 1 / n)
    row = part.sum_difference(labels, outputs, part.rescaled(weights, losses))
    return outputs, row, float(weights @ losses), None, any_loss


def _sum_of_violated(
    part: Part, labels: Any, outputs: Sequence[Any], losses: Vector, w: Vector, n: int
) -> tuple[Vector, Vector]:
    """The row and the weights over the examples whose output is better than the truth.

    Where an undergenerating oracle found nothing better, the truth is the better output; it adds
    nothing.
    """
    scale = part.rescaled(np.ones(part.n), losses)
    row, weights = np.zeros(part.size), np.zeros(part.n)
    for rows, differences in part.differences(labels, outputs):
        planes = scale[rows, None] * differences
        weights[rows] = (losses[rows] >= planes @ w) / n
        row += weights[rows] @ planes
    return row, weights


def _planes_above(
    part: Part, labels: Any, w: Vector, thresholds: Vector, outputs: Sequence[Any] | None
) -> Found:
    """What the oracle finds, and planes where the slack exceeds the threshold."""
    outputs = part.separate(labels, w) if outputs is None else outputs
    losses = part.losses(labels, outputs)
    scale = part.rescaled(np.ones(part.n), losses)
    slacks, planes = np.zeros(part.n), []
    for rows, differences in part.differences_as_they_are(labels, outputs):
        slacks[rows] = np.maximum(losses[rows] - scale[rows] * (differences @ w), 0)
        above = np.flatnonzero(slacks[rows] > thresholds[rows])
        kept = _compact(differences[above])
        if part.rescaling == "slack":
            kept = sparse.diags(losses[rows][above]) @ kept
        planes.append(kept)
    violated = np.flatnonzero(slacks > thresholds)
    return Found(outputs, losses, slacks, violated, stacked(planes))


def _compact(rows: Any) -> Any:
    """The rows in CSR format where that is smaller."""
    if sparse.issparse(rows):
        return rows
    dense = np.count_nonzero(rows) > SPARSE * rows.size
    return rows if dense else sparse.csr_matrix(rows)
