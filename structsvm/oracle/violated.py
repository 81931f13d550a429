"""Functions that compute losses and planes of a block's outputs.

All functions of this module must be picklable, because they run in the process that stores the
block of examples. Each function takes the task of a block, then arguments that all blocks share,
and then arguments for the examples of the block.
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
    """An output for every example, and planes for examples whose slack exceeds a threshold.

    Attributes
    ----------
    outputs : sequence of n
    losses, slacks : ndarray of shape (n,)
        The losses and slacks of the outputs.
    violated : ndarray of shape (m,)
        The positions of the examples that have a plane.
    rows : ndarray or CSR matrix of shape (m, size)
        The joint-feature differences of the violated outputs.
    offsets : ndarray of shape (m,)
        The offsets of the planes.
    """

    outputs: Sequence[Any]
    losses: Vector
    slacks: Vector
    violated: Indices
    rows: Any
    offsets: Vector


def mean_plane(task: Any, w: Vector, n: int, outputs: Sequence[Any] | None = None) -> Any:
    """Return the contribution of a block to the one-slack plane of n examples.

    The returned array ``row`` is the weighted sum of the joint-feature differences of the block's
    examples. The returned tuple ``rest`` contains the outputs, the sum of the weighted losses, the
    weights (None if all are 1/n), and whether the loss of any output is positive.
    """
    outputs = task.search(w) if outputs is None else _noted(task, outputs, "")
    losses, weights, kept = task.losses(outputs), np.full(task.n, 1 / n), None
    if oracle_may_miss(task.problem):
        w, kept, total = task.at(w), weights, BlockSum(task.size)
        for piece in slices(task.ends, task.size):
            rows, own = task.differences(outputs, piece.places), piece.places
            # An output that is worse than the true output is replaced by it, which adds nothing.
            weights[own] *= losses[own] >= products(rows, w)
            total.add(piece, weights[own], rows)
        row = total.value
    else:
        row = task.plane(outputs, weights)
    return row, (outputs, dot(weights, losses, task.ends), kept, bool(np.any(losses > 0)))


def _noted(task: Any, outputs: Sequence[Any], search: str) -> Sequence[Any]:
    """Note in the task which search returned the outputs, and return the outputs."""
    watched(task).found = outputs, search
    return outputs


def planes_above(
    task: Any,
    w: Vector,
    thresholds: Vector,
    outputs: Sequence[Any] | None = None,
    search: str = "",
) -> Violated:
    """Return an output for every example, and the planes of examples with large slacks.

    By default, a search at w finds the outputs. A plane is returned for each example whose slack
    exceeds the example's threshold. ``search`` is the name of the method that returned ``outputs``,
    for error messages.
    """
    outputs = task.search(w) if outputs is None else _noted(task, outputs, search)
    losses, point = task.losses(outputs), task.at(w)
    slacks, planes = np.zeros(task.n), []
    for chosen, starts, _ in slices(task.ends, task.size):
        rows, places = task.differences(outputs, chosen), slice(chosen.start, chosen.stop)
        slacks[places] = np.maximum(losses[places] - products(rows, point), 0)
        # Only rows of slacks above the thresholds are stored.
        above = np.flatnonzero(slacks[places] > thresholds[places])
        for own in np.split(above, np.searchsorted(above, starts[1:])):
            planes.append(_compact(rows[own]) if len(own) else np.empty((0, task.size)))
    violated, kept = np.flatnonzero(slacks > thresholds), stacked(planes)
    offsets = task.offsets(losses[violated], kept)
    return Violated(outputs, losses, slacks, violated, kept, offsets)


def _compact(rows: Any) -> Any:
    """Return the rows in CSR format or as an array, whichever is smaller."""
    entries = rows.nnz if sparse.issparse(rows) else np.count_nonzero(rows)
    small = entries <= SPARSE * rows.shape[0] * rows.shape[1]
    return sparse.csr_matrix(rows) if small else dense(rows)


def absolute_sums(task: Any, with_truth: bool, outputs: Sequence[Any]) -> tuple[Vector, float]:
    """Return the sum of the absolute joint-feature differences, and the sum of the losses.

    If the task defines ``term_sizes``, each result is at least the sum of the sizes from
    ``term_sizes``. If ``with_truth`` is true, the absolute joint features of the true outputs are
    added to the absolute joint-feature differences.
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
    """For each entry, sum the absolute joint features or differences of the examples."""
    total = BlockSum(task.size)
    for piece in slices(task.ends, task.size):
        total.add(piece, np.ones(len(piece.places)), abs(rows_of(outputs, piece.places)))
    return whole(total.value, task.size)


def weighted_planes(task: Any, weights: Vector, *passes: Sequence[Any]) -> tuple[Vector, Vector]:
    """For each oracle pass, return weighted sums of its joint-feature differences and losses."""
    rows, sums = np.empty((len(passes), task.size)), np.empty(len(passes))
    for j, outputs in enumerate(passes):
        rows[j] = whole(task.plane(outputs, weights[:, j]), task.size)
        sums[j] = dot(weights[:, j], task.losses(outputs), task.ends)
    return rows, sums


def soft_sum(task: Any, w: Vector, mu: float) -> tuple[Vector, Any]:
    """Call the soft oracle for a block of examples.

    Return the sum of the expected joint-feature differences, and the tuple ``(values, loss,
    slacks)`` of the soft oracle.
    """
    values, difference, loss, slacks = task.soft(w, mu, np.ones(task.n))
    return difference, (values, loss, slacks)


def variances(task: Any, w: Vector, mu: float) -> Vector:
    """Return the variance of the joint features, summed over the examples of a block."""
    return np.asarray(task.curvature(w, mu, np.ones(task.n)))


def losses_of_passes(task: Any, *passes: Sequence[Any]) -> Vector:
    """Return the losses of the outputs of earlier passes, shape (n, passes)."""
    return np.array([task.losses(outputs) for outputs in passes]).T


def sum_joint_features(task: Any, weights: Vector, first: Sequence[Any] | None) -> Vector:
    """Return weighted sums of the labels' joint features, shape (m, size), for weights (n, m).

    If ``first`` is not None, the joint features of the labels ``first`` are subtracted from the
    joint features of the task's labels.
    """
    if first is not None:
        return np.array([whole(task.plane(first, own), task.size) for own in weights.T])
    sums = [BlockSum(task.size) for _ in weights.T]
    for piece in slices(task.ends, task.size):
        features = task.joint_features(task.Y, piece.places)
        for total, own in zip(sums, weights.T, strict=True):
            total.add(piece, own[piece.places], features)
    return np.array([whole(total.value, task.size) for total in sums])
