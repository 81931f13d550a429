"""The worker's side of a task: find the block, call the function.

The functions here run in the threads and processes that :mod:`structsvm.oracle.workers` starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, NamedTuple

from threadpoolctl import ThreadpoolController

from structsvm.oracle.tasks import BlockCache, BlockHandle, Task
from structsvm.task.call import Tally

#: The blocks that were sent to this process.
_cache = BlockCache()


class Answer(NamedTuple):
    """The value of a function of a block, with its oracle calls and time."""

    value: Any
    tally: Tally


def run_task(function: Callable[..., Any], shared: tuple[Any, ...], task: Task) -> Answer:
    """Call ``function(block, *shared, *divided)`` with one thread of the BLAS."""
    block = task.handle.block
    with one_blas_thread():
        value = function(block.with_labels(task.labels), *shared, *task.divided)
    return Answer(value, block.tally.take())


def run_here(
    function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Task]
) -> Iterator[Answer]:
    """Run tasks in this process, one after another.

    A single block may use all threads: nothing else runs, and there is no order to keep.
    """
    with one_blas_thread() if len(tasks) > 1 else nullcontext():
        for handle, labels, divided in tasks:
            block = handle.block
            value = function(block.with_labels(labels), *shared, *divided)
            yield Answer(value, block.tally.take())


def run_tasks(
    function: Callable[..., Any], tasks: Sequence[Task], *shared: Any
) -> list[Answer | None]:
    """Run tasks in a worker process; None for a block that this process does not have."""
    answers: list[Answer | None] = []
    for task in tasks:
        handle = _cache.resolve(task.handle)
        found = None if handle is None else task._replace(handle=handle)
        answers.append(None if found is None else run_task(function, shared, found))
    return answers


def store_blocks(handles: Sequence[BlockHandle]) -> None:
    """Keep the blocks that these handles carry."""
    for handle in handles:
        _cache.put(handle)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which matrix products use one thread, so that sums keep their order."""
    return _blas().limit(limits=1)
