"""The mini-batches of a block, where its task has them: tasks on some entries of w."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.minibatches import MiniBatch
from structsvm.data.arrays import Indices
from structsvm.exceptions import ProblemError
from structsvm.oracle.batch_columns import Columns


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
