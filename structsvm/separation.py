"""One pass of the separation oracle at a point w, turned into planes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.oracle import BoundProblem
from structsvm.problem import Indices, SoftSum, Vector


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


def aggregate_cut(
    bound: BoundProblem, labels: Any, w: Vector, outputs: Sequence[Any] | None = None
) -> Cuts:
    """The one-slack plane: the mean over the examples of their most violated outputs.

    Those are what the oracle returns, unless other outputs are given.
    """
    outputs = bound.separate(labels, w) if outputs is None else outputs
    losses = bound.losses(labels, outputs)
    if bound.problem.oracle_quality == "undergenerating":
        row, weights = _sum_of_violated(bound, labels, outputs, losses, w)
    else:
        weights = np.full(bound.n, 1 / bound.n)
        row = bound.sum_difference(labels, outputs, _rescaled(bound, weights, losses))
    offset = float(weights @ losses)
    slack = max(0.0, offset - float(row @ w))
    return Cuts(
        labels=labels,
        outputs=outputs,
        slacks=np.array([slack]),
        rows=row[None, :],
        offsets=np.array([offset]),
        groups=np.zeros(1, dtype=np.intp),
        sources=[Source(None, outputs, weights)],
        any_loss=bool(np.any(losses > 0)),
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
    outputs = bound.separate(labels, w) if outputs is None else outputs
    losses = bound.losses(labels, outputs)
    scale = _rescaled(bound, np.ones(bound.n), losses)
    slacks = np.zeros(bound.n)
    rows: list[Vector] = [np.empty((0, bound.size))]
    for part, differences in bound.differences(labels, outputs):
        planes = scale[part, None] * differences
        slacks[part] = np.maximum(losses[part] - planes @ w, 0)
        rows.append(planes[slacks[part] > thresholds[part]])
    violated = np.flatnonzero(slacks > thresholds)
    one = np.ones(1)
    return Cuts(
        labels=labels,
        outputs=outputs,
        slacks=slacks,
        rows=np.concatenate(rows),
        offsets=losses[violated],
        groups=violated,
        sources=[Source(i, [outputs[i]], one) for i in violated.tolist()],
        any_loss=bool(np.any(losses > 0)),
    )


def soft_cut(part: BoundProblem, labels: Any, w: Vector, mu: float, n: int) -> tuple[Cuts, SoftSum]:
    """The one-slack plane of the soft oracle over some of n examples, and what it is made of.

    The other examples are at their truth and add nothing to it. The slack is infinite where the
    soft oracle does not tell it for all.
    """
    soft = part.soft(labels, w, mu)
    whole = part.n == n
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
        sources=[SoftSource(None if whole else part.index, w, mu)],
        any_loss=soft.loss > 0,
    )
    return cuts, soft


def _sum_of_violated(
    bound: BoundProblem, labels: Any, outputs: Sequence[Any], losses: Vector, w: Vector
) -> tuple[Vector, Vector]:
    """The one-slack row and weights over the examples whose output is better than the truth.

    Where an undergenerating oracle found nothing better, the truth is the better output; it adds
    nothing.
    """
    scale = _rescaled(bound, np.ones(bound.n), losses)
    row, weights = np.zeros(bound.size), np.zeros(bound.n)
    for part, differences in bound.differences(labels, outputs):
        planes = scale[part, None] * differences
        weights[part] = (losses[part] >= planes @ w) / bound.n
        row += weights[part] @ planes
    return row, weights


def _rescaled(bound: BoundProblem, weights: Vector, losses: Vector) -> Vector:
    """Weights of the joint-feature differences: slack rescaling multiplies them by the loss."""
    return weights if bound.rescaling == "margin" else weights * losses
