"""Functions that a worker calls to find blocks of examples by keys, and to run jobs on the blocks.

The functions of this module run in the threads and processes that ``structsvm.oracle.workers``
starts.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache, cached_property
from typing import Any, NamedTuple

from threadpoolctl import ThreadpoolController

from structsvm.data.arrays import Indices
from structsvm.task.call import Tally

#: Number of runs whose blocks a process keeps. The blocks of earlier runs are dropped.
RUNS_KEPT = 2
#: The blocks that were sent to this process, by run and number. The last run used is at the end.
_runs: OrderedDict[str, dict[int, Any]] = OrderedDict()
_lock = threading.Lock()


class BlockHandle:
    """A handle of a block or of some of its examples.

    The handle is pickled as a key, by which workers find the block.

    Parameters
    ----------
    key : tuple of str and int
        The key of the run (a problem with its data), and the number of the block.
    stored : Wrapper or None
        The complete block; None if only the key was sent.
    places : ndarray, optional
        The positions of the examples in the block. Default: all examples.
    """

    def __init__(self, key: tuple[str, int], stored: Any, places: Indices | None = None) -> None:
        self.key, self.stored, self.places = key, stored, places

    @cached_property
    def block(self) -> Any:
        """The task of the handle's examples. Requires: ``stored`` is not None."""
        return self.stored if self.places is None else self.stored.part(self.places)

    def part(self, places: Indices) -> BlockHandle:
        """Return a handle of a subset of the examples."""
        places = places if self.places is None else self.places[places]
        return BlockHandle(self.key, self.stored, places)

    def __reduce__(self) -> tuple[Any, ...]:
        return BlockHandle, (self.key, None, self.places)


class Job(NamedTuple):
    """The arguments of a call for one block.

    Attributes
    ----------
    handle : BlockHandle
    labels : sequence or None
        Outputs that replace the Y of the block; with None, Y is used.
    divided : tuple
        This block's parts of the arguments that are divided among blocks.
    sent : Wrapper or None
        The complete block, for a process that does not yet have it. Otherwise None.
    """

    handle: BlockHandle
    labels: Any
    divided: tuple[Any, ...]
    sent: Any = None

    def carrying(self) -> Job:
        """Return a copy of the job that contains its block of examples when it is pickled."""
        return self._replace(sent=self.handle.stored)


class Answer(NamedTuple):
    """A function's return value for a block, with the number and the time of the oracle calls."""

    value: Any
    tally: Tally


def run_job(function: Callable[..., Any], shared: tuple[Any, ...], job: Job) -> Answer:
    """Call ``function(block, *shared, *divided)`` with one BLAS thread."""
    block = job.handle.block
    with one_blas_thread():
        value = function(block.with_labels(job.labels), *shared, *job.divided)
    return Answer(value, block.tally.take())


def run_jobs(
    function: Callable[..., Any], shared: tuple[Any, ...], jobs: Sequence[Job]
) -> list[Answer | None]:
    """Run jobs in a worker process; return None for a job whose block the process does not have."""
    found = [job._replace(handle=known_here(job.handle, job.sent)) for job in jobs]
    return [None if job.handle is None else run_job(function, shared, job) for job in found]


def known_here(handle: BlockHandle, sent: Any = None) -> Any:
    """Return a handle with the block, or None if the block was never sent to this process."""
    if sent is None and handle.stored is not None:  # not pickled: the caller shares memory
        return handle
    run, number = handle.key
    with _lock:
        blocks = _runs.setdefault(run, {})
        _runs.move_to_end(run)
        if len(_runs) > RUNS_KEPT:
            _runs.popitem(last=False)
        if sent is not None:
            # Blocks that were pickled separately have copies of the problem, of which one is kept.
            sent = copy.copy(sent)
            sent.problem = next(iter(blocks.values()), sent).problem
            blocks[number] = sent
        stored = blocks.get(number)
    return None if stored is None else BlockHandle(handle.key, stored, handle.places)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which matrix products use one thread, so that sums keep their order."""
    context: AbstractContextManager[Any] = _blas().limit(limits=1)
    return context
