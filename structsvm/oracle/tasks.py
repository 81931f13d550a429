"""Blocks by key: a task carries a key, and a worker process keeps the blocks."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from functools import cached_property
from typing import Any, NamedTuple

from structsvm.data.arrays import Indices

#: Number of runs whose blocks a process keeps; the blocks of earlier runs are dropped.
RUNS_KEPT = 2


class Key(NamedTuple):
    """The key of a block: the run, which is a problem and its data, and the block's number."""

    run: str
    number: int


class BlockHandle:
    """A block, or some of its examples.

    It is pickled as a key, and the worker looks the block up in its :class:`BlockCache`. A handle
    made by :meth:`carrying` is pickled with the block.

    Parameters
    ----------
    key : Key
    stored : Task, Wrapper or None
        The whole block; None where only the key was sent.
    places : ndarray, optional
        The positions of the examples in it. Default: all.
    carries : bool, default=False
        Whether the block is pickled too.
    """

    def __init__(
        self, key: Key, stored: Any, places: Indices | None = None, carries: bool = False
    ) -> None:
        self.key, self.stored, self.places, self.carries = key, stored, places, carries

    @cached_property
    def block(self) -> Any:
        """The block of these examples. Requires: ``stored`` is not None."""
        assert self.stored is not None
        return self.stored if self.places is None else self.stored.part(self.places)

    def subset(self, places: Indices) -> BlockHandle:
        """Some of these examples, by their positions among them."""
        places = places if self.places is None else self.places[places]
        return BlockHandle(self.key, self.stored, places)

    def carrying(self) -> BlockHandle:
        """The same, to be pickled with its block."""
        return BlockHandle(self.key, self.stored, self.places, carries=True)

    def __reduce__(self) -> tuple[Any, ...]:
        stored = self.stored if self.carries else None
        return BlockHandle, (self.key, stored, self.places, self.carries)


class Task(NamedTuple):
    """Arguments that belong to one block.

    Attributes
    ----------
    handle : BlockHandle
    labels : sequence or None
        Outputs that replace the block's own; None for its own.
    divided : tuple
        The block's slices of the arguments that are divided among the blocks.
    """

    handle: BlockHandle
    labels: Any
    divided: tuple[Any, ...]

    def carrying(self) -> Task:
        """The same, to be pickled with its block."""
        return self._replace(handle=self.handle.carrying())


class BlockCache:
    """The blocks sent to this process, of the runs used last."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, dict[int, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, handle: BlockHandle) -> None:
        """Keep the block that a handle carries."""
        assert handle.stored is not None
        with self._lock:
            blocks = self._blocks(handle.key.run)
            block = copy.copy(handle.stored)
            # Blocks that were pickled separately each have a copy of the problem: keep one.
            block.problem = next(iter(blocks.values()), block).problem
            blocks[handle.key.number] = block

    def resolve(self, handle: BlockHandle) -> BlockHandle | None:
        """Return the handle with its block; None where this process does not have it."""
        if handle.carries:
            self.put(handle)
        elif handle.stored is not None:  # it was not pickled: the caller shares our memory
            return handle
        with self._lock:
            stored = self._blocks(handle.key.run).get(handle.key.number)
        return None if stored is None else BlockHandle(handle.key, stored, handle.places)

    def _blocks(self, run: str) -> dict[int, Any]:
        # The run used last goes to the end, so that the oldest is dropped.
        blocks = self._runs.setdefault(run, {})
        self._runs.move_to_end(run)
        if len(self._runs) > RUNS_KEPT:
            self._runs.popitem(last=False)
        return blocks
