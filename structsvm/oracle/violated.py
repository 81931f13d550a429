"""The losses and rows of outputs, for one block of examples.

These functions run where the block is, so they must be picklable. Arguments that all blocks share
come first, then the arguments of the block's examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import offers, oracle_may_miss
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense, stacked
from structsvm.oracle.block import Block
from structsvm.oracle.stacks import Entries, condensed, sum_of_weighted, summed
from structsvm.planes.plane import SPARSE

#: Relative difference of two scores that may be rounding: the outputs may be the same.
TIE = 1e-12


class Mean(NamedTuple):
    """A block's contribution to the one-slack plane.

    Attributes
    ----------
    outputs : sequence
        One for each example.
    row : ndarray of shape (size,), or Entries
    loss : float
        The weighted sum of the losses.
    weights : ndarray or None
        The weight of each example in the row and offset; None where all are 1/n.
    any_loss : bool
        Whether any output has a loss > 0.
    """

    outputs: Sequence[Any]
    row: Vector | Entries
    loss: float
    weights: Vector | None
    any_loss: bool


class Violated(NamedTuple):
    """An output for every example, and planes for those whose slack exceeds a threshold.

    Attributes
    ----------
    outputs : sequence of n
    losses, slacks : ndarray of shape (n,)
        The losses and slacks of the outputs.
    violated : ndarray of shape (m,)
        The positions of the examples that have a plane.
    rows : ndarray or CSR matrix of shape (m, size)
        Their planes.
    """

    outputs: Sequence[Any]
    losses: Vector
    slacks: Vector
    violated: Indices
    rows: Any

    @property
    def own_losses(self) -> Vector:
        """The losses of the outputs that have a plane, shape (m,)."""
        return self.losses[self.violated]


def mean_plane(block: Block, w: Vector, n: int, outputs: Sequence[Any] | None = None) -> Mean:
    """Sum the block's planes with weight 1/n; the outputs are by default the oracle's at w.

    Others are taken for those of a cheap search.
    """
    search = block.oracle if outputs is None else block.cheap_search
    outputs = block.separate(w) if outputs is None else outputs
    losses = block.losses(outputs, search)
    any_loss = bool(np.any(losses > 0))
    if oracle_may_miss(block.problem):
        row, weights = _sum_of_violated(block, outputs, losses, w, n, search)
        return Mean(outputs, row, float(weights @ losses), weights, any_loss)
    weights = np.full(block.n, 1 / n)
    row = block.sum_difference(outputs, block.rescaled(weights, losses), search)
    return Mean(outputs, row, float(weights @ losses), None, any_loss)


def mean_output(block: Block, w: Vector, n: int, scores: Vector | None = None) -> Mean:
    """The outputs' part of the mean plane, without the labels' joint features.

    ``scores`` are the labels' scores, which show where an undergenerating oracle found nothing
    better; None for other oracles.
    """
    outputs = block.separate(w)
    losses, weights, sums = block.losses(outputs, block.oracle), np.full(block.n, 1 / n), []
    scale, w = block.rescaled(np.ones(block.n), losses), block.shifted(w)
    for places, rows in block.joint_features(outputs, block.oracle):
        if scores is not None:
            lead = scores[places] - scale[places] * (rows @ w)
            weights[places] *= losses[places] >= lead - TIE * np.abs(scores[places])
        sums.append(sum_of_weighted(-weights[places] * scale[places], rows))
    row, loss = condensed(sums, block.size), float(weights @ losses)
    kept = None if scores is None else weights
    return Mean(outputs, row, loss, kept, bool(np.any(losses > 0)))


def _sum_of_violated(
    block: Block, outputs: Sequence[Any], losses: Vector, w: Vector, n: int, search: str
) -> tuple[Vector | Entries, Vector]:
    """The row and the weights over the examples whose output scores higher than the true output.

    Where an undergenerating oracle found nothing better than the true output, the true output is
    used instead; it adds nothing to the plane.
    """
    scale, w = block.rescaled(np.ones(block.n), losses), block.shifted(w)
    sums, weights = [], np.zeros(block.n)
    for places, differences in block.differences(outputs, search):
        weights[places] = (losses[places] >= scale[places] * (differences @ w)) / n
        sums.append(sum_of_weighted(weights[places] * scale[places], differences))
    return condensed(sums, block.size), weights


def planes_above(
    block: Block,
    w: Vector,
    thresholds: Vector,
    outputs: Sequence[Any] | None = None,
    search: str = "",
) -> Violated:
    """Planes of the examples whose slack at w exceeds the threshold; by default the oracle's.

    For messages, ``search`` returned the outputs given, by default a cheap search.
    """
    search = block.oracle if outputs is None else search or block.cheap_search
    outputs = block.separate(w) if outputs is None else outputs
    losses = block.losses(outputs, search)
    scale, w = block.rescaled(np.ones(block.n), losses), block.shifted(w)
    slacks, planes = np.zeros(block.n), []
    for places, differences in block.differences(outputs, search):
        # Row by row: only rows above the threshold are stored.
        violations = losses[places] - scale[places] * (differences @ w)
        slacks[places] = np.maximum(violations, 0)
        above = np.flatnonzero(slacks[places] > thresholds[places])
        kept = _compact(differences[above]) if len(above) else np.empty((0, block.size))
        factors = scale[places][above]
        if np.any(factors != 1):
            kept = sparse.diags(factors) @ kept
        planes.append(kept)
    violated = np.flatnonzero(slacks > thresholds)
    return Violated(outputs, losses, slacks, violated, stacked(planes))


def absolute_sums(
    block: Block, whole: bool, outputs: Sequence[Any]
) -> tuple[Vector | Entries, float]:
    """The sums over the examples of the sizes of the terms of planes, and of their losses.

    These are absolute values, and the problem's own sizes where it knows larger ones. If ``whole``,
    the joint features of the true outputs count too: they may be large where the differences are
    small.
    """
    losses = block.losses(outputs)
    scale = block.rescaled(np.ones(block.n), losses)
    parts = chain(block.differences(outputs), block.joint_features() if whole else ())
    sums = [sum_of_weighted(scale[places], abs(rows)) for places, rows in parts]
    if not offers(block.problem, "term_sizes"):
        return condensed(sums, block.size), float(losses.sum())
    rows, loss = block.term_sizes(outputs, scale)
    return np.maximum(rows, summed(sums, block.size)), max(loss, float(losses.sum()))


def weighted_planes(block: Block, weights: Vector, *passes: Sequence[Any]) -> tuple[Vector, Vector]:
    """Rows and losses of earlier passes over the block, with weights of shape (n, passes)."""
    rows, sums = np.empty((len(passes), block.size)), np.empty(len(passes))
    for j, outputs in enumerate(passes):
        losses, weight = block.losses(outputs), weights[:, j]
        row = block.sum_difference(outputs, block.rescaled(weight, losses))
        rows[j] = summed([row], block.size)
        sums[j] = weight @ losses
    return rows, sums


def losses_of_passes(block: Block, *passes: Sequence[Any]) -> Vector:
    """The losses of the outputs of earlier passes, shape (n, passes)."""
    return block.losses_of_passes(passes).T


def joint_feature_rows(block: Block) -> Any:
    """The labels' joint features, weighted, shape (n, size)."""
    rows = stacked([rows for _, rows in block.joint_features()])
    return rows if np.all(block.weights == 1) else sparse.diags(block.weights) @ rows


def mean_joint_feature(block: Block, n: int) -> Vector | Entries:
    """The sum of the labels' joint features, weighted, with weight 1/n."""
    weights = block.weights / n
    sums = [sum_of_weighted(weights[places], rows) for places, rows in block.joint_features()]
    return condensed(sums, block.size)


def sum_joint_features(block: Block, weights: Vector) -> Vector:
    """The sums of the labels' joint features with m weights each, (n, m); shape (m, size)."""
    rows, weights = np.zeros((weights.shape[1], block.size)), weights * block.weights[:, None]
    for places, features in block.joint_features():
        rows += weights[places].T @ features
    return rows


def _compact(rows: Any) -> Any:
    """The rows in CSR format where that is smaller, else as an array."""
    entries = rows.nnz if sparse.issparse(rows) else np.count_nonzero(rows)
    small = entries <= SPARSE * rows.shape[0] * rows.shape[1]
    return sparse.csr_matrix(rows) if small else dense(rows)
