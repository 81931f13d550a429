"""The losses and rows of outputs, for the task of a block of examples.

These functions run where the block is, so they must be picklable. Arguments that all blocks share
come first, then the arguments of the block's examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense, stacked
from structsvm.planes.plane import SPARSE
from structsvm.task.slices import sliced_differences, sliced_joint_features
from structsvm.task.sums import Entries, condensed, sum_of_weighted, summed

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


def search(task: Any, w: Vector) -> Sequence[Any]:
    """The most violated outputs."""
    found: Sequence[Any] = task.search(w)
    return found


def mean_plane(task: Any, w: Vector, n: int, outputs: Sequence[Any] | None = None) -> Mean:
    """Sum the task's planes with weight 1/n; the outputs are by default the search's at w."""
    outputs = task.search(w) if outputs is None else outputs
    losses, kept = task.losses(outputs), None
    weights = np.full(task.n, 1 / n)
    if oracle_may_miss(task.problem):
        row, weights = _sum_of_violated(task, outputs, losses, w, n)
        kept = weights
    else:
        row = task.plane(outputs, weights)
    return Mean(outputs, row, float(weights @ losses), kept, bool(np.any(losses > 0)))


def mean_output(task: Any, w: Vector, n: int, scores: Vector | None = None) -> Mean:
    """Sum the outputs' part of the planes, without the labels' joint features.

    ``scores`` are the labels' scores, which show where an undergenerating oracle found nothing
    better; None for other oracles.
    """
    outputs = task.search(w)
    losses, weights, sums = task.losses(outputs), np.full(task.n, 1 / n), []
    w = task.at(w)
    for places, rows in sliced_joint_features(task, outputs):
        if scores is not None:
            lead = scores[places] - rows @ w
            weights[places] *= losses[places] >= lead - TIE * np.abs(scores[places])
        sums.append(sum_of_weighted(-weights[places], rows))
    row, loss = condensed(sums, task.size), float(weights @ losses)
    kept = None if scores is None else weights
    return Mean(outputs, row, loss, kept, bool(np.any(losses > 0)))


def _sum_of_violated(
    task: Any, outputs: Sequence[Any], losses: Vector, w: Vector, n: int
) -> tuple[Vector | Entries, Vector]:
    """The row and the weights over the examples whose output scores higher than the true output.

    Where an undergenerating oracle found nothing better than the true output, the true output is
    used instead; it adds nothing to the plane.
    """
    sums, weights, w = [], np.zeros(task.n), task.at(w)
    for places, differences in sliced_differences(task, outputs):
        weights[places] = (losses[places] >= differences @ w) / n
        sums.append(sum_of_weighted(weights[places], differences))
    return condensed(sums, task.size), weights


def planes_above(
    task: Any, w: Vector, thresholds: Vector, outputs: Sequence[Any] | None = None
) -> Violated:
    """Planes of the examples whose slack at w exceeds the threshold; by default the search's."""
    outputs = task.search(w) if outputs is None else outputs
    losses, w = task.losses(outputs), task.at(w)
    slacks, planes = np.zeros(task.n), []
    for places, differences in sliced_differences(task, outputs):
        # Row by row: only rows above the threshold are stored.
        violations = losses[places] - differences @ w
        slacks[places] = np.maximum(violations, 0)
        above = np.flatnonzero(slacks[places] > thresholds[places])
        planes.append(_compact(differences[above]) if len(above) else np.empty((0, task.size)))
    violated = np.flatnonzero(slacks > thresholds)
    return Violated(outputs, losses, slacks, violated, stacked(planes))


def absolute_sums(
    task: Any, whole: bool, outputs: Sequence[Any]
) -> tuple[Vector | Entries, float]:
    """The sums over the examples of the sizes of the terms of planes, and of their losses.

    These are absolute values, and the task's own sizes where it knows larger ones. If ``whole``,
    the joint features of the true outputs count too: they may be large where the differences are
    small.
    """
    losses, ones = task.losses(outputs), np.ones(task.n)
    parts = chain(
        sliced_differences(task, outputs), sliced_joint_features(task, task.Y) if whole else ()
    )
    sums = [sum_of_weighted(ones[places], abs(rows)) for places, rows in parts]
    if task.term_sizes is None:
        return condensed(sums, task.size), float(losses.sum())
    rows, own = task.term_sizes(outputs, range(task.n))
    sizes = summed([sum_of_weighted(ones, rows)], task.size)
    return np.maximum(sizes, summed(sums, task.size)), max(float(own.sum()), float(losses.sum()))


def weighted_planes(task: Any, weights: Vector, *passes: Sequence[Any]) -> tuple[Vector, Vector]:
    """Rows and losses of earlier passes over the examples, with weights of shape (n, passes)."""
    rows, sums = np.empty((len(passes), task.size)), np.empty(len(passes))
    for j, outputs in enumerate(passes):
        rows[j] = summed([task.plane(outputs, weights[:, j])], task.size)
        sums[j] = weights[:, j] @ task.losses(outputs)
    return rows, sums


def losses_of_passes(task: Any, *passes: Sequence[Any]) -> Vector:
    """The losses of the outputs of earlier passes, shape (n, passes)."""
    return np.array([task.losses(outputs) for outputs in passes]).T


def joint_feature_rows(task: Any) -> Any:
    """The labels' joint features, weighted, shape (n, size)."""
    return stacked([rows for _, rows in sliced_joint_features(task, task.Y)])


def mean_joint_feature(task: Any, n: int) -> Vector | Entries:
    """The sum of the labels' joint features, weighted, with weight 1/n."""
    weights = np.full(task.n, 1 / n)
    features = sliced_joint_features(task, task.Y)
    return condensed([sum_of_weighted(weights[where], rows) for where, rows in features], task.size)


def sum_joint_features(task: Any, weights: Vector) -> Vector:
    """The sums of the labels' joint features with m weights each, (n, m); shape (m, size)."""
    rows = np.zeros((weights.shape[1], task.size))
    for places, features in sliced_joint_features(task, task.Y):
        rows += weights[places].T @ features
    return rows


def _compact(rows: Any) -> Any:
    """The rows in CSR format where that is smaller, else as an array."""
    entries = rows.nnz if sparse.issparse(rows) else np.count_nonzero(rows)
    small = entries <= SPARSE * rows.shape[0] * rows.shape[1]
    return sparse.csr_matrix(rows) if small else dense(rows)
