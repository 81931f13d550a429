"""The losses and rows of outputs, for the task of a block of examples.

These functions run where the block is, so they must be picklable. Arguments that all blocks share
come first, then the arguments of the block's examples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense, stacked
from structsvm.planes.plane import SPARSE
from structsvm.task.sums import BlockSum, dot, products, slices, whole
from structsvm.task.watched import watched


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
    offsets : ndarray of shape (m,)
        Their planes.
    """

    outputs: Sequence[Any]
    losses: Vector
    slacks: Vector
    violated: Indices
    rows: Any
    offsets: Vector


def mean_plane(task: Any, w: Vector, n: int, outputs: Sequence[Any] | None = None) -> Any:
    """A block's part of the row of the one-slack plane of n examples, and of the rest of it.

    The rest are the outputs, the sum of their losses, their weights, None where all are 1/n, and
    whether any has a loss.
    """
    outputs = task.search(w) if outputs is None else _noted(task, outputs, "")
    losses, weights, kept = task.losses(outputs), np.full(task.n, 1 / n), None
    if oracle_may_miss(task.problem):
        w, kept, total = task.at(w), weights, BlockSum(task.size)
        for piece in slices(task.ends, task.size):
            rows, own = task.differences(outputs, piece.places), piece.places
            # Where the oracle found nothing better, the true output is used: it adds nothing.
            weights[own] *= losses[own] >= products(rows, w)
            total.add(piece, weights[own], rows)
        row = total.value
    else:
        row = task.plane(outputs, weights)
    return row, (outputs, dot(weights, losses, task.ends), kept, bool(np.any(losses > 0)))


def _noted(task: Any, outputs: Sequence[Any], search: str) -> Sequence[Any]:
    """The outputs given, of which the task notes what returned them."""
    watched(task).found = outputs, search
    return outputs


def planes_above(
    task: Any,
    w: Vector,
    thresholds: Vector,
    outputs: Sequence[Any] | None = None,
    search: str = "",
) -> Violated:
    """An output for every example, by default the search's at w, and planes above the thresholds.

    For messages, ``search`` returned the outputs given, by default a cheap search.
    """
    outputs = task.search(w) if outputs is None else _noted(task, outputs, search)
    losses, point = task.losses(outputs), task.at(w)
    slacks, planes = np.zeros(task.n), []
    for chosen, starts, _ in slices(task.ends, task.size):
        rows, places = task.differences(outputs, chosen), slice(chosen.start, chosen.stop)
        slacks[places] = np.maximum(losses[places] - products(rows, point), 0)
        # Only rows above the threshold are stored.
        above = np.flatnonzero(slacks[places] > thresholds[places])
        for own in np.split(above, np.searchsorted(above, starts[1:])):
            planes.append(_compact(rows[own]) if len(own) else np.empty((0, task.size)))
    violated, kept = np.flatnonzero(slacks > thresholds), stacked(planes)
    offsets = task.offsets(losses[violated], kept)
    return Violated(outputs, losses, slacks, violated, kept, offsets)


def _compact(rows: Any) -> Any:
    """The rows in CSR format where that is smaller, else as an array."""
    entries = rows.nnz if sparse.issparse(rows) else np.count_nonzero(rows)
    small = entries <= SPARSE * rows.shape[0] * rows.shape[1]
    return sparse.csr_matrix(rows) if small else dense(rows)


def absolute_sums(task: Any, with_truth: bool, outputs: Sequence[Any]) -> tuple[Vector, float]:
    """The sums over the examples of the sizes of the terms of planes, and of their losses.

    These are absolute values, and the task's own sizes where it knows larger ones. If
    ``with_truth``, the joint features of the true outputs count too: they may be large where the
    differences are small.
    """
    sizes, ones = _sizes(task, task.differences, outputs), np.ones(task.n)
    if with_truth:
        sizes = sizes + _sizes(task, task.joint_features, task.Y)
    loss = dot(ones, task.losses(outputs), task.ends)
    if task.term_sizes is None:
        return sizes, loss
    rows, own = task.term_sizes(outputs, range(task.n))
    return np.maximum(ones @ rows, sizes), max(float(own.sum()), loss)


def _sizes(task: Any, rows_of: Callable[..., Any], outputs: Any) -> Vector:
    """The sum over the examples of the absolute values of some rows of outputs."""
    total = BlockSum(task.size)
    for piece in slices(task.ends, task.size):
        total.add(piece, np.ones(len(piece.places)), abs(rows_of(outputs, piece.places)))
    return whole(total.value, task.size)


def weighted_planes(task: Any, weights: Vector, *passes: Sequence[Any]) -> tuple[Vector, Vector]:
    """Rows and losses of earlier passes over the examples, with weights of shape (n, passes)."""
    rows, sums = np.empty((len(passes), task.size)), np.empty(len(passes))
    for j, outputs in enumerate(passes):
        rows[j] = whole(task.plane(outputs, weights[:, j]), task.size)
        sums[j] = dot(weights[:, j], task.losses(outputs), task.ends)
    return rows, sums


def soft_sum(task: Any, w: Vector, mu: float) -> tuple[Vector, Any]:
    """A block's sum of expected differences, and the rest of its soft outputs."""
    values, difference, loss, slacks = task.soft(w, mu, np.ones(task.n))
    return difference, (values, loss, slacks)


def variances(task: Any, w: Vector, mu: float) -> Vector:
    """A block's part of the sum of variances."""
    return np.asarray(task.curvature(w, mu, np.ones(task.n)))


def losses_of_passes(task: Any, *passes: Sequence[Any]) -> Vector:
    """The losses of the outputs of earlier passes, shape (n, passes)."""
    return np.array([task.losses(outputs) for outputs in passes]).T


def sum_joint_features(task: Any, weights: Vector, first: Sequence[Any] | None) -> Vector:
    """The sums of the labels' joint features with m weights each, (n, m); shape (m, size).

    With ``first``, they are sums of differences to the joint features of these labels.
    """
    if first is not None:
        return np.array([whole(task.plane(first, own), task.size) for own in weights.T])
    sums = [BlockSum(task.size) for _ in weights.T]
    for piece in slices(task.ends, task.size):
        features = task.joint_features(task.Y, piece.places)
        for total, own in zip(sums, weights.T, strict=True):
            total.add(piece, own[piece.places], features)
    return np.array([whole(total.value, task.size) for total in sums])
