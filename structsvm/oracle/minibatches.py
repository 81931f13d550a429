"""The mini-batches of a block, where its problem offers them: blocks on some entries of w."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np

from structsvm.capabilities import offers
from structsvm.exceptions import ProblemError
from structsvm.oracle.block import Block
from structsvm.oracle.call import Call
from structsvm.oracle.columns import Columns
from structsvm.problem import Indices, Vector
from structsvm.soft import MiniBatch, SoftSum


class Part(NamedTuple):
    """A mini-batch: a small block whose w is some entries of the whole one.

    Attributes
    ----------
    places : ndarray of shape (n,)
        The places of its examples in the whole block.
    columns : Columns
        The entries.
    block : Block
    """

    places: Indices
    columns: Columns
    block: Block


def soft_sum(block: Block, w: Vector, mu: float) -> SoftSum:
    """The soft outputs of a block, summed."""
    if not offers(block.problem, "minibatches"):
        return block.soft(w, mu)
    values, slacks = np.empty(block.n), np.empty(block.n)
    total, loss, known = np.zeros(block.size), 0.0, True
    for places, columns, own in parts_of(block):
        soft = own.soft(columns.of(w), mu)
        values[places] = soft.values
        columns.add(total, soft.joint_feature_difference)
        loss += soft.loss
        known = known and soft.slacks is not None
        slacks[places] = soft.slacks if known else np.nan
    return SoftSum(values, total, loss, slacks if known else None)


def soft_curvature(block: Block, w: Vector, mu: float) -> Vector:
    """The sum of the variances of the joint features of a block."""
    if not offers(block.problem, "minibatches"):
        return block.soft_curvature(w, mu)
    total = np.zeros(block.size)
    for _, columns, own in parts_of(block):
        columns.add(total, own.soft_curvature(columns.of(w), mu))
    return total


def parts_of(block: Block) -> list[Part]:
    """The mini-batches of a block, made once."""
    if block.parts is None:
        block.parts = _made(block)
    return block.parts


def _made(block: Block) -> list[Part]:
    problem, method = block.problem, "minibatches"
    with Call(problem, method, tally=block.tally):
        parts = [_part(block, batch) for batch in problem.minibatches(block.X, block.Y)]
    places = np.concatenate([part.places for part in parts]) if parts else np.empty(0)
    if not np.array_equal(np.sort(places), np.arange(block.n)):
        raise ProblemError(
            f"{method} must return each of {block.n} examples in one mini-batch; it returned "
            f"{len(places)} places, {len(np.unique(places))} of them different"
        )
    return parts


def _part(block: Block, batch: MiniBatch) -> Part:
    places = np.asarray(batch.examples)
    columns = np.arange(block.size) if batch.columns is None else np.asarray(batch.columns)
    rising = len(columns) and np.all(np.diff(columns) > 0)
    if not (rising and columns[0] >= 0 and columns[-1] < block.size):
        raise ProblemError(
            "minibatches must return columns that are rising integers from 0 to "
            f"{block.size - 1}; it returned {columns!r:.80}"
        )
    own = copy.copy(block)
    own.X, own.Y, own.parts = batch.X, batch.Y, None
    own.n, own.index, own.size = len(places), block.index[places], len(columns)
    return Part(places, Columns(columns, block.size), own)
