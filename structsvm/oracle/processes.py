"""Pools of worker processes that end with their parent process, and ignore Ctrl-C.

Without this module, idle workers of joblib and their shared memory would remain for minutes after
the parent process was killed. A terminal sends Ctrl-C to every process. If the workers did not
ignore Ctrl-C, each worker would print a traceback.
"""

from __future__ import annotations

import copy
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from itertools import count
from multiprocessing import resource_tracker
from threading import RLock, Thread
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky.backend import resource_tracker as loky_tracker
from joblib.parallel import LokyBackend, MultiprocessingBackend, get_active_backend
from tqdm import tqdm

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: Number of consecutive failures of workers after which the run ends with an error.
ATTEMPTS = 5
#: Interval, in seconds, at which a worker polls its parent.
PERIOD = 1.0


@contextmanager
def process_pool(
    n_jobs: int | None, prefer: str | None = None, **options: Any
) -> Iterator[Parallel]:
    """Start the worker processes of a joblib.Parallel, and yield the joblib.Parallel.

    Parameters
    ----------
    n_jobs : int or None
        The number of jobs, as in joblib.
    prefer : {'processes', 'threads'}, optional
        The kind of workers if no ``parallel_config`` names a backend.
    **options
        Further arguments of :class:`joblib.Parallel`.
    """
    backend, _ = get_active_backend(prefer=prefer)
    # Subclasses are excluded: the workers of a cluster are not children of this process.
    if type(backend) not in (LokyBackend, MultiprocessingBackend) or effective_n_jobs(n_jobs) == 1:
        with Parallel(n_jobs, prefer=prefer, **options) as pool:
            yield pool
        return
    backend = copy.copy(backend)
    tie = {"initializer": _tie_to, "initargs": (os.getpid(),)}
    backend.backend_kwargs = tie | backend.backend_kwargs
    with ExitStack() as opened:
        with _interrupts_held():
            pool = opened.enter_context(Parallel(n_jobs, backend=backend, **options))
            # The first task starts all processes.
            again_where_workers_die(lambda: list(pool([delayed(os.getpid)()])))
        yield pool


def again_where_workers_die(run: Callable[[], T]) -> T:
    """Call a function that uses worker processes, and repeat the call if a worker dies."""
    for failures in count(1):
        try:
            return run()
        except BrokenProcessPool as error:
            warn_of_failure(failures, error)
    raise AssertionError


def warn_of_failure(failures: int, error: Exception) -> None:
    """Log a failure of workers, and raise a RuntimeError after too many consecutive failures."""
    name = type(error).__name__
    if failures == ATTEMPTS:
        raise RuntimeError(
            f"worker processes failed {failures} times in a row, the last time with {name}: "
            f"{error}\nWhere they run out of memory, use fewer jobs; where a method of the problem "
            "ends its process, n_jobs=1 shows which"
        ) from error
    logger.warning("workers failed; their tasks run again; %s: %s", name, error)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C until the context ends. Processes started in the context ignore Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    for tracker in (resource_tracker, loky_tracker):
        tracker.ensure_running()  # starting it later would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _tie_to(parent: int) -> None:
    """Let this worker process ignore Ctrl-C, and end soon after its parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        # Ctrl-C was blocked when this process started. Processes that it starts must not inherit
        # this.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # The default lock is a semaphore, which would be reported as leaked if this process is killed.
    tqdm.set_lock(RLock())
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    # If the parent process dies, this process gets another parent.
    while os.getppid() == parent:
        time.sleep(PERIOD)
    # End immediately, since the main thread may wait for the parent. joblib's tracker removes
    # shared memory when the last of its processes has ended.
    os._exit(1)
