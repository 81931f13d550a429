"""The mini-batches of a block, where its problem offers them: blocks on some entries of w."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from structsvm.contract.minibatches import MiniBatch
from structsvm.data.arrays import Indices
from structsvm.data.batches import LazySequence
from structsvm.exceptions import ProblemError
from structsvm.oracle.batch_columns import Columns
from structsvm.oracle.block import Block
from structsvm.oracle.call import Call, Tally


class SubBlock(NamedTuple):
    """A mini-batch: a small block whose w consists of some entries of the whole w.

    Attributes
    ----------
    places : ndarray of shape (n,)
        The positions of its examples in the whole block.
    columns : Columns
        The entries.
    block : Block
    """

    places: Indices
    columns: Columns
    block: Block


def minibatches_of(block: Block, tally: Tally) -> Sequence[SubBlock]:
    """The mini-batches of a block; a ProblemError unless each example is in exactly one.

    They are not kept where the problem makes them on demand.
    """
    problem, method = block.problem, "minibatches"
    with Call(problem, method, tally=block.tally):
        batches = problem.minibatches(block.X, block.Y)
        if isinstance(batches, LazySequence):
            return LazySequence(lambda batch: _bound(block, batch, tally), batches)
        found = [_bound(block, batch, tally) for batch in batches]
    places = np.concatenate([each.places for each in found]) if found else np.empty(0)
    if not np.array_equal(np.sort(places), np.arange(block.n)):
        raise ProblemError(
            f"{method} must return each of {block.n} examples in one mini-batch; it returned "
            f"{len(places)} places, {len(np.unique(places))} of them different"
        )
    return found


def _bound(block: Block, batch: MiniBatch, tally: Tally) -> SubBlock:
    places = np.asarray(batch.examples)
    columns = np.arange(block.size) if batch.columns is None else np.asarray(batch.columns)
    rising = len(columns) and columns.dtype.kind in "iu" and np.all(np.diff(columns) > 0)
    if not (rising and columns[0] >= 0 and columns[-1] < block.size):
        raise ProblemError(
            "minibatches must return columns that are rising integers from 0 to "
            f"{block.size - 1}; it returned {columns!r:.80}"
        )
    own = copy.copy(block)
    own.X, own.Y = batch.X, batch.Y
    own.n, own.index, own.size = len(places), block.index[places], len(columns)
    own.weights, own.tally = block.weights[places], tally
    own.prior = None if block.prior is None else block.prior[columns]
    return SubBlock(places, Columns(columns, block.size), own)
