"""The parallel evaluation of blocks of examples, in threads or processes.

Results are the same to the last bit on all processors of one kind, because the blocks and the order
of sums are fixed, and matrix products use one BLAS thread.

A block is sent to a worker process only once, because the process keeps the block under a key.
After the process has received a block, calls for the block send only a key and arguments. If a
worker dies, its jobs are submitted again.
"""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import Any

import cloudpickle
import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from structsvm.data.arrays import Indices
from structsvm.exceptions import ProblemError
from structsvm.oracle.cluster import Owners, warn_of_threads
from structsvm.oracle.processes import process_pool, warn_of_failure
from structsvm.oracle.remote import (
    Answer,
    BlockHandle,
    Job,
    one_blas_thread,
    run_job,
    run_jobs,
)
from structsvm.task.call import Tally
from structsvm.task.sums import spans
from structsvm.task.watched import watched

#: Number of messages per process and call: several, so that all processes end at about the same
#: time.
MESSAGES_PER_JOB = 4


class Workers(ExitStack):
    """The threads or processes of a run, and its blocks, as a context manager.

    Parameters
    ----------
    n_jobs : int or None, default=1
        The number of jobs, as in joblib. -1 means all processors, and None means 1 unless
        ``joblib.parallel_config`` sets a number.
    prefer : {'processes', 'threads'}
        The kind of workers if no ``parallel_config`` names a backend.
    """

    def __init__(self, n_jobs: int | None = 1, prefer: str = "processes") -> None:
        super().__init__()
        self.n_jobs, self.prefer = n_jobs, prefer
        self._pool: ThreadPoolExecutor | Parallel | Owners | None = None
        self._jobs = 1
        self._handles: Sequence[BlockHandle] = ()

    @property
    def jobs(self) -> int:
        """The number of jobs that can run at the same time."""
        return int(effective_n_jobs(self.n_jobs))

    def blocks(self, whole: Any, ends: Sequence[int]) -> Blocks:
        """Divide a task into blocks of examples, each with its own count of oracle calls.

        ``ends`` holds the end of each block.
        """
        run, handles = uuid.uuid4().hex, []
        for number, places in enumerate(spans(ends)):
            block = whole.part(places)
            watched(block).tally = Tally()
            handles.append(BlockHandle((run, number), block))
        self._handles = handles
        return Blocks(self, handles, ends)

    def run(
        self, function: Callable[..., Any], shared: tuple[Any, ...], jobs: Sequence[Job]
    ) -> Sequence[Answer]:
        """Call ``function(block, *shared, *divided)`` for each job; return the answers in order."""
        if self._pool is None:
            self._start()
        if not isinstance(self._pool, ThreadPoolExecutor):
            return self._run_processes(function, shared, jobs)
        # Without an outer limit, a thread that ends would lift the limit of other threads.
        with one_blas_thread():
            return list(self._pool.map(partial(run_job, function, shared), jobs))

    def _start(self) -> None:
        """Start the threads or processes."""
        # More jobs than blocks would be idle, and each process takes memory.
        self._jobs = min(self.jobs, len(self._handles))
        backend, _ = get_active_backend(prefer=self.prefer)
        if self._jobs == 1 or getattr(backend, "supports_sharedmem", False):
            # joblib's threads would answer after at least 10 ms.
            self._pool = self.enter_context(ThreadPoolExecutor(self._jobs))
            return
        if hasattr(backend, "client"):
            if self.prefer == "processes":
                warn_of_threads(backend.client)
            self._pool = Owners(backend, len(self._handles))
            return
        # pre_dispatch="all" is not used: after Ctrl-C joblib's manager fails on messages that are
        # not yet in its queue, and the queue has room only for the default number of messages.
        self._pool = self.enter_context(process_pool(self._jobs, self.prefer, batch_size=1))

    def _run_processes(
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Job]
    ) -> Sequence[Answer]:
        """Run jobs in processes. If a process dies, its jobs are run again."""
        failures = 0
        while True:
            try:
                return self._run_and_resend(function, shared, tasks)
            except ProblemError:
                raise
            except Exception as error:
                failures += 1
                _require_picklable_blocks([task.handle for task in tasks])
                _require_picklable_answers(error)
                warn_of_failure(failures, error)

    def _run_and_resend(
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Job]
    ) -> list[Any]:
        answers = self._submitted(function, shared, tasks)
        missing = [j for j, answer in enumerate(answers) if answer is None]
        if missing:
            again = [tasks[j].carrying() for j in missing]
            for j, answer in zip(missing, self._submitted(function, shared, again), strict=True):
                answers[j] = answer
        return answers

    def _submitted(
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Job]
    ) -> list[Any]:
        if isinstance(self._pool, Owners):
            return self._pool.run(function, shared, tasks)
        assert isinstance(self._pool, Parallel)
        count = min(len(tasks), MESSAGES_PER_JOB * self._jobs)
        edges = [len(tasks) * j // count for j in range(count + 1)]
        messages = (tasks[edges[j] : edges[j + 1]] for j in range(count))
        run = delayed(run_jobs)
        return list(chain.from_iterable(self._pool(run(function, shared, m) for m in messages)))


class Blocks:
    """The blocks of examples that workers evaluate at the same time.

    Parameters
    ----------
    workers : Workers
    handles : sequence of BlockHandle
    ends : sequence of int
        The end of each block, as an index of the examples.
    """

    def __init__(self, workers: Workers, handles: Sequence[BlockHandle], ends: Any) -> None:
        self._workers, self._handles, self._ends = workers, handles, ends

    def part(self, places: Indices) -> Blocks:
        """Return blocks that contain only the examples at ``places``, an increasing sequence."""
        homes = np.searchsorted(self._ends, places, side="right")
        numbers, firsts = np.unique(homes, return_index=True)
        starts = np.concatenate([[0], self._ends])[numbers]
        pairs = zip(numbers.tolist(), np.split(places, firsts[1:]), starts, strict=True)
        parts = [self._handles[number].part(own - start) for number, own, start in pairs]
        return Blocks(self._workers, parts, np.append(firsts[1:], len(places)))

    def run(
        self,
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        divided: Iterable[tuple[Any, ...]],
        tally: Tally,
    ) -> list[Any]:
        """Call a function for every block, count the calls in ``tally``, and return the values.

        ``divided`` holds the labels and other arguments of each block. The seconds reported by the
        blocks are scaled to add up to the wall time.
        """
        pairs = zip(self._handles, divided, strict=True)
        jobs, started = [Job(handle, own[0], own[1:]) for handle, own in pairs], time.perf_counter()
        if len(jobs) == 1:
            answers: Sequence[Answer] = [run_job(function, shared, jobs[0])]
        else:
            answers = self._workers.run(function, shared, jobs)
        passed = time.perf_counter() - started
        spent = sum(sum(answer.tally.seconds.values()) for answer in answers)
        for answer in answers:
            tally.add(answer.tally, passed / spent if spent and len(jobs) > 1 else 1.0)
        return [answer.value for answer in answers]


def _require_picklable_blocks(handles: Sequence[BlockHandle]) -> None:
    """Raise a ProblemError if a problem or its examples cannot be pickled."""
    blocks = [handle.stored for handle in handles]
    name = type(blocks[0].problem).__name__
    threads = f"or, if its methods are thread-safe, set parallelism = 'threads' in {name}"
    _require_picklable(blocks[0].problem, name, threads)
    for block in blocks:
        first, last = block.index[[0, -1]]
        for what, examples in (("inputs", block.X), ("outputs", block.Y)):
            where = f"the {what} of examples {first} to {last}"
            _require_picklable(examples, where, "or keep what is not out of them")


def _require_picklable(value: Any, what: str, remedy: str) -> None:
    try:
        cloudpickle.dumps(value)
    except Exception as error:
        raise ProblemError(
            f"{what} cannot be pickled, so not be sent to other processes "
            f"({type(error).__name__}: {error}): make it picklable, {remedy}"
        ) from error


def _require_picklable_answers(error: Exception) -> None:
    """Raise a ProblemError if ``error`` says that a return value cannot be pickled."""
    if isinstance(error, pickle.PicklingError) or "cannot pickle" in str(error):
        raise ProblemError(
            "what the problem's methods return cannot be sent between processes "
            f"({type(error).__name__}: {error}): make it picklable"
        ) from error
