"""The losses and rows of outputs, for the task of a block of examples.

These functions run where the block is, so they must be picklable. Arguments that all blocks share
come first, then the arguments of the block's examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense, stacked
from structsvm.planes.plane import SPARSE
from structsvm.task.sums import BlockSum, Entries, dot, products, sliced, slices, whole
from structsvm.task.watched import watched

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


def mean_plane(task: Any, w: Vector, n: int, outputs: Sequence[Any] | None = None) -> Mean:
    """Sum the task's planes with weight 1/n; the outputs are by default the search's at w.

    Others are taken for those of a cheap search.
    """
    outputs = task.search(w) if outputs is None else _noted(task, outputs, "")
    losses, kept = task.losses(outputs), None
    weights = np.full(task.n, 1 / n)
    if oracle_may_miss(task.problem):
        row, weights = _sum_of_violated(task, outputs, losses, w, n)
        kept = weights
    else:
        row = task.plane(outputs, weights)
    return Mean(outputs, row, dot(weights, losses, task.ends), kept, bool(np.any(losses > 0)))


def mean_output(task: Any, w: Vector, n: int, scores: Vector | None = None) -> Mean:
    """Sum the outputs' part of the planes, without the labels' joint features.

    ``scores`` are the labels' scores, which show where an undergenerating oracle found nothing
    better; None for other oracles.
    """
    outputs = task.search(w)
    losses, weights = task.losses(outputs), np.full(task.n, 1 / n)
    w, total = task.at(w), BlockSum(task.ends, task.size)
    for chosen in total.slices():
        rows, places = task.joint_features(outputs, chosen), slice(chosen.start, chosen.stop)
        if scores is not None:
            lead = scores[places] - products(rows, w)
            weights[places] *= losses[places] >= lead - TIE * np.abs(scores[places])
        total.add(-weights[places], rows)
    kept, loss = None if scores is None else weights, dot(weights, losses, task.ends)
    return Mean(outputs, total.value, loss, kept, bool(np.any(losses > 0)))


def _noted(task: Any, outputs: Sequence[Any], search: str) -> Sequence[Any]:
    """The outputs given, of which the task notes what returned them."""
    watched(task).found = outputs, search
    return outputs


def _sum_of_violated(
    task: Any, outputs: Sequence[Any], losses: Vector, w: Vector, n: int
) -> tuple[Vector | Entries, Vector]:
    """The row and the weights over the examples whose output scores higher than the true output.

    Where an undergenerating oracle found nothing better than the true output, the true output is
    used instead; it adds nothing to the plane.
    """
    weights, w, total = np.zeros(task.n), task.at(w), BlockSum(task.ends, task.size)
    for chosen in total.slices():
        rows, places = task.differences(outputs, chosen), slice(chosen.start, chosen.stop)
        weights[places] = (losses[places] >= products(rows, w)) / n
        total.add(weights[places], rows)
    return total.value, weights


def planes_above(
    task: Any,
    w: Vector,
    thresholds: Vector,
    outputs: Sequence[Any] | None = None,
    search: str = "",
) -> Violated:
    """Planes of the examples whose slack at w exceeds the threshold; by default the search's.

    For messages, ``search`` returned the outputs given, by default a cheap search.
    """
    outputs = task.search(w) if outputs is None else _noted(task, outputs, search)
    losses, w = task.losses(outputs), task.at(w)
    slacks, planes = np.zeros(task.n), []
    for chosen, starts, _ in slices(task.ends, task.size):
        rows, places = task.differences(outputs, chosen), slice(chosen.start, chosen.stop)
        slacks[places] = np.maximum(losses[places] - products(rows, w), 0)
        # Only rows above the threshold are stored.
        above = np.flatnonzero(slacks[places] > thresholds[places])
        for own in np.split(above, np.searchsorted(above, starts[1:])):
            planes.append(_compact(rows[own]) if len(own) else np.empty((0, task.size)))
    violated = np.flatnonzero(slacks > thresholds)
    return Violated(outputs, losses, slacks, violated, stacked(planes))


def absolute_sums(task: Any, with_truth: bool, outputs: Sequence[Any]) -> tuple[Vector, float]:
    """The sums over the examples of the sizes of the terms of planes, and of their losses.

    These are absolute values, and the task's own sizes where it knows larger ones. If
    ``with_truth``, the joint features of the true outputs count too: they may be large where the
    differences are small.
    """
    losses, ones = task.losses(outputs), np.ones(task.n)
    total = BlockSum(task.ends, task.size)
    for places in total.slices():
        total.add(ones[places], abs(task.differences(outputs, places)))
    sizes, loss = whole(total.value, task.size), dot(ones, losses, task.ends)
    if with_truth:
        total = BlockSum(task.ends, task.size)
        for places in total.slices():
            total.add(ones[places], abs(task.joint_features(task.Y, places)))
        sizes = sizes + whole(total.value, task.size)
    if task.term_sizes is None:
        return sizes, loss
    rows, own = task.term_sizes(outputs, range(task.n))
    return np.maximum(ones @ rows, sizes), max(float(own.sum()), loss)


def weighted_planes(task: Any, weights: Vector, *passes: Sequence[Any]) -> tuple[Vector, Vector]:
    """Rows and losses of earlier passes over the examples, with weights of shape (n, passes)."""
    rows, sums = np.empty((len(passes), task.size)), np.empty(len(passes))
    for j, outputs in enumerate(passes):
        rows[j] = whole(task.plane(outputs, weights[:, j]), task.size)
        sums[j] = dot(weights[:, j], task.losses(outputs), task.ends)
    return rows, sums


def losses_of_passes(task: Any, *passes: Sequence[Any]) -> Vector:
    """The losses of the outputs of earlier passes, shape (n, passes)."""
    return np.array([task.losses(outputs) for outputs in passes]).T


def joint_feature_rows(task: Any) -> Any:
    """The labels' joint features, weighted, shape (n, size)."""
    return stacked([rows for _, rows in sliced(task.joint_features, task.Y, task.n, task.size)])


def mean_joint_feature(task: Any, n: int) -> Vector | Entries:
    """The sum of the labels' joint features, weighted, with weight 1/n."""
    weights, total = np.full(task.n, 1 / n), BlockSum(task.ends, task.size)
    for places in total.slices():
        total.add(weights[places], task.joint_features(task.Y, places))
    return total.value


def sum_joint_features(task: Any, weights: Vector) -> Vector:
    """The sums of the labels' joint features with m weights each, (n, m); shape (m, size)."""
    sums = [BlockSum(task.ends, task.size) for _ in weights.T]
    pieces = zip(*(total.slices() for total in sums), strict=True)
    for places, *_ in pieces:
        features = task.joint_features(task.Y, places)
        for total, own in zip(sums, weights.T, strict=True):
            total.add(own[places], features)
    return np.array([whole(total.value, task.size) for total in sums])


def _compact(rows: Any) -> Any:
    """The rows in CSR format where that is smaller, else as an array."""
    entries = rows.nnz if sparse.issparse(rows) else np.count_nonzero(rows)
    small = entries <= SPARSE * rows.shape[0] * rows.shape[1]
    return sparse.csr_matrix(rows) if small else dense(rows)
