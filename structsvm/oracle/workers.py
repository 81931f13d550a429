"""Evaluation of blocks of examples: here, in threads, or in other processes.

The blocks and the order in which answers are combined are always the same, and matrix products use
one BLAS thread. So the results are the same to the last bit, on processors of the same kind.

A block is sent to another process when it is first needed there, and is kept there under its key:
later only arguments are sent. The tasks of a dead worker are submitted again.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import Any

import cloudpickle
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from structsvm.exceptions import ProblemError
from structsvm.oracle.processes import process_pool, warn_of_failure
from structsvm.oracle.remote import (
    Answer,
    one_blas_thread,
    run_here,
    run_task,
    run_tasks,
    store_blocks,
)
from structsvm.oracle.tasks import BlockHandle, Task

#: Messages for each process and map: several, so that all processes end at about the same time.
MESSAGES_PER_JOB = 4


class Workers:
    """Runs tasks on blocks; a context manager that holds the threads or processes.

    Parameters
    ----------
    n_jobs : int or None, default=1
        As in joblib: -1 for all processors; None for 1, unless ``joblib.parallel_config`` says
        otherwise.
    prefer : {'processes', 'threads'}
        Where no ``parallel_config`` names a backend.
    """

    def __init__(self, n_jobs: int | None = 1, prefer: str = "processes") -> None:
        self.n_jobs, self.prefer = n_jobs, prefer
        self._opened = ExitStack()
        self._started = False
        self._pool: ThreadPoolExecutor | Parallel | None = None
        self._jobs = 1
        self._handles: Sequence[BlockHandle] = ()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    def hold(self, handles: Sequence[BlockHandle]) -> None:
        """Note the blocks of later tasks, so that a cluster can get them in advance."""
        self._handles = handles

    @property
    def jobs(self) -> int:
        """Largest number of tasks that run at the same time."""
        return effective_n_jobs(self.n_jobs)

    @property
    def parallel(self) -> bool:
        """Whether tasks run at the same time."""
        return self._pool is not None

    def run(
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Task]
    ) -> Iterator[Answer]:
        """Yield the answers to ``function(block, *shared, *divided)`` of every task, in order."""
        if len(tasks) > 1 and not self._started:
            self._start()
        if len(tasks) > 1 and self._pool is not None:
            parallel = (
                self._run_processes if isinstance(self._pool, Parallel) else self._run_threads
            )
            yield from parallel(function, shared, tasks)
            return
        yield from run_here(function, shared, tasks)

    def _start(self) -> None:
        """Start the threads or processes, where there is more than one job."""
        # More jobs than blocks would be idle, and each process takes memory.
        self._started, self._jobs = True, min(self.jobs, len(self._handles))
        backend, _ = get_active_backend(prefer=self.prefer)
        if self._jobs == 1:
            return
        if getattr(backend, "supports_sharedmem", False):
            # joblib's own threads would answer after 10 ms at the earliest.
            self._pool = self._opened.enter_context(ThreadPoolExecutor(self._jobs))
            return
        if hasattr(backend, "client"):
            self._preload(backend.client)
        # Not pre_dispatch="all": after Ctrl-C joblib's manager fails on messages that are not in
        # its queue yet, and the queue holds only as many as are dispatched by default.
        pool = process_pool(self._jobs, self.prefer, batch_size=1)
        self._pool = self._opened.enter_context(pool)

    # ------------------------------------------------------------------ threads

    def _run_threads(
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Task]
    ) -> Sequence[Answer]:
        assert isinstance(self._pool, ThreadPoolExecutor)
        # Without the outer limit, a thread that ends would lift the limit of the others.
        with one_blas_thread():
            return list(self._pool.map(partial(run_task, function, shared), tasks))

    # ------------------------------------------------------------------ processes

    def _preload(self, client: Any) -> None:
        """Send all blocks to all processes of a Dask cluster at once."""
        if self.prefer == "processes" and max(client.nthreads().values(), default=1) > 1:
            warnings.warn(
                "the problem declares parallelism = 'processes', but workers of the cluster have "
                "several threads, which will call its methods at the same time: start them with "
                "threads_per_worker=1, or declare 'threads' if that is safe",
                stacklevel=2,
            )
        try:
            handles = [handle.carrying() for handle in self._handles]
            blocks = client.scatter(handles, broadcast=True, hash=False)
            stored = [
                client.submit(store_blocks, blocks, workers=[worker], pure=False)
                for worker in client.nthreads()
            ]
            client.gather(stored)
        except Exception:
            _require_picklable_blocks(self._handles)
            raise

    def _run_processes(
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Task]
    ) -> Sequence[Answer]:
        """Run tasks in processes, some of which may die."""
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
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Task]
    ) -> list[Any]:
        """Run tasks by key, then once more with the blocks where a process lacks them."""
        answers = self._submitted(function, shared, tasks)
        missing = [j for j, answer in enumerate(answers) if answer is None]
        if missing:
            again = [tasks[j].carrying() for j in missing]
            for j, answer in zip(missing, self._submitted(function, shared, again), strict=True):
                answers[j] = answer
        return answers

    def _submitted(
        self, function: Callable[..., Any], shared: tuple[Any, ...], tasks: Sequence[Task]
    ) -> list[Any]:
        assert isinstance(self._pool, Parallel)
        count = min(len(tasks), MESSAGES_PER_JOB * self._jobs)
        edges = [len(tasks) * j // count for j in range(count + 1)]
        messages = (tasks[edges[j] : edges[j + 1]] for j in range(count))
        # Shared arguments are passed separately, so that a cluster sends each to a process once.
        run = delayed(run_tasks)
        return list(chain.from_iterable(self._pool(run(function, m, *shared) for m in messages)))


def _require_picklable_blocks(handles: Sequence[BlockHandle]) -> None:
    """Raise a ProblemError where a problem or its examples cannot be pickled."""
    blocks = [handle.stored for handle in handles if handle.stored is not None]
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
    """Raise a ProblemError where an answer could not be pickled: another attempt cannot help."""
    if isinstance(error, pickle.PicklingError) or "cannot pickle" in str(error):
        raise ProblemError(
            "what the problem's methods return cannot be sent between processes "
            f"({type(error).__name__}: {error}): make it picklable"
        ) from error
