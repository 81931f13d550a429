"""The mini-batches of a block, where its task has them: tasks on some entries of w."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.minibatches import MiniBatch
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError


class Columns:
    """The entries of w at some places.

    Places often come in runs of equal length, such as the weights of a feature for every label:
    then w is a matrix, and reading whole rows is several times as fast as reading single entries.

    Parameters
    ----------
    places : ndarray of shape (m,), int
        Rising.
    size : int
        Length of w.

    Attributes
    ----------
    m : int
    """

    def __init__(self, places: Indices, size: int) -> None:
        self.m, self._size = len(places), size
        starts = places[np.flatnonzero(np.diff(places, prepend=-2) != 1)]
        ends = places[np.flatnonzero(np.diff(places, append=size + 1) != 1)] + 1
        self._width = math.gcd(size, int(np.gcd.reduce(starts)), int(np.gcd.reduce(ends)))
        self._rows = places[:: self._width] // self._width

    def of(self, w: Vector) -> Vector:
        """The entries of w, a copy."""
        return w.reshape(-1, self._width)[self._rows].reshape(-1)

    def add(self, total: Vector, values: Vector) -> None:
        """Add values to these entries of ``total``."""
        total.reshape(-1, self._width)[self._rows] += values.reshape(-1, self._width)

    def set(self, w: Vector, values: Vector) -> None:
        """Replace these entries of w."""
        w.reshape(-1, self._width)[self._rows] = values.reshape(-1, self._width)

    def features(self, k: int) -> Indices | None:
        """The columns of w as a (k, d) matrix, if the entries are whole columns; else None."""
        d = self._size // k
        if self._size % k or self.m % k:
            return None
        if self._width == self._size:
            return np.arange(d)
        if self._width != 1:
            return None
        rows = self._rows.reshape(k, -1)
        whole = np.array_equal(
            rows - rows[0], np.broadcast_to(d * np.arange(k)[:, None], rows.shape)
        )
        return rows[0] if whole and rows[0, -1] < d else None


class FeatureColumns:
    """The entries of w for some features, where it is stored as a (d, k) matrix.

    The weights of a feature are then side by side, so reading some features takes few accesses to
    memory; in w, a (k, d) matrix, they are far apart.

    Parameters
    ----------
    features : ndarray of shape (m,), int
    k : int
    """

    def __init__(self, features: Indices, k: int) -> None:
        self._features, self._k = features, k

    def of(self, W: Vector) -> Vector:
        """The entries in the order of w, a copy."""
        return W[self._features].T.reshape(-1)

    def add(self, total: Vector, values: Vector) -> None:
        """Add values, which are in the order of w."""
        total[self._features] += values.reshape(self._k, -1).T

    def set(self, W: Vector, values: Vector) -> None:
        """Replace these entries."""
        W[self._features] = values.reshape(self._k, -1).T


class SubBlock(NamedTuple):
    """A mini-batch: a small block whose w consists of some entries of the whole w.

    Attributes
    ----------
    places : ndarray of shape (n,)
        The positions of its examples in the whole block.
    columns : Columns
        The entries.
    block : Task or Wrapper
    """

    places: Indices
    columns: Columns
    block: Any


def minibatches_of(block: Any) -> Sequence[SubBlock]:
    """The mini-batches of a block; a ProblemError unless each example is in exactly one."""
    found = [_sub_block(block.size, batch) for batch in block.minibatches()]
    places = np.concatenate([each.places for each in found]) if found else np.empty(0)
    if not np.array_equal(np.sort(places), np.arange(block.n)):
        raise ProblemError(
            f"minibatches must return each of {block.n} examples in one mini-batch; it returned "
            f"{len(places)} places, {len(np.unique(places))} of them different"
        )
    return found


def _sub_block(size: int, batch: MiniBatch) -> SubBlock:
    columns = np.arange(size) if batch.columns is None else np.asarray(batch.columns)
    rising = len(columns) and columns.dtype.kind in "iu" and np.all(np.diff(columns) > 0)
    if not (rising and columns[0] >= 0 and columns[-1] < size):
        raise ProblemError(
            "minibatches must return columns that are rising integers from 0 to "
            f"{size - 1}; it returned {columns!r:.80}"
        )
    return SubBlock(np.asarray(batch.examples), Columns(columns, size), batch.task)
