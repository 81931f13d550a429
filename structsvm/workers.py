"""Where the parts of the examples are asked: here, in threads, or in other processes.

The parts, and what they are asked, do not depend on that, nor does the order in which the answers
are put together; and products of matrices take one thread of the BLAS. So the results are the same
to the last bit, on processors of one kind.

A part goes to another process when it is first asked there, and is kept there under its name: later
only what is asked travels. A process that dies takes nothing with it: what it was asked is asked
again elsewhere.
"""

from __future__ import annotations

import logging
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from enum import Enum
from functools import cache, partial
from itertools import chain
from typing import Any

import cloudpickle
import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from structsvm.exceptions import ProblemError
from structsvm.shards import Shard

logger = logging.getLogger(__name__)

#: How often parts are asked where processes die.
ATTEMPTS = 5
#: Parts are asked in so many groups for each process, so that all are done at about the same time.
GROUPS = 4
#: An array of more bytes is an argument of its own, which a cluster sends to each process once.
LARGE = 100_000


class Slot(Enum):
    """The place of an argument that is given apart from the others."""

    OWN = "differs from part to part"
    LARGE = "large"


class Workers:
    """Asks parts; a context manager that holds the threads or processes.

    Parameters
    ----------
    n_jobs : int or None, default=1
        As in joblib: -1 for all processors; None for 1, unless a ``joblib.parallel_config`` says
        otherwise.
    prefer : {'processes', 'threads'}
        Where no ``parallel_config`` names a backend.
    """

    def __init__(self, n_jobs: int | None = 1, prefer: str = "processes") -> None:
        self.n_jobs, self.prefer = n_jobs, prefer
        self._opened = ExitStack()
        self._pool: Any = None
        self._at_once = 1
        self._shards: Sequence[Shard] = ()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    def hold(self, shards: Sequence[Shard]) -> None:
        """Learn of the parts that will be asked, or some of whose examples will be."""
        self._shards = shards

    @property
    def jobs(self) -> int:
        """How many parts may be asked at the same time."""
        return effective_n_jobs(self.n_jobs)

    @property
    def parallel(self) -> bool:
        """Whether parts are asked at the same time."""
        return self._at_once > 1

    def ask(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        shards: Sequence[Shard],
        own: Sequence[tuple[Any, ...]],
    ) -> Sequence[Any]:
        """What parts answer to ``function(part, *arguments)``.

        ``own`` are each part's values of the arguments that are ``Slot.OWN``.
        """
        if len(shards) == 1:
            return [_answer(function, arguments, shards[0], own[0])]
        if self._pool is None:
            self._pool = self._opened.enter_context(self._new_pool())
        if isinstance(self._pool, Parallel):
            return self._ask_processes(function, arguments, shards, own)
        one = partial(_answer_beside_others, function, arguments)
        ask = self._pool.map if isinstance(self._pool, ThreadPoolExecutor) else map
        return list(ask(one, shards, own))

    def _new_pool(self) -> Any:
        self._at_once = self.jobs
        backend, _ = get_active_backend(prefer=self.prefer)
        if not self.parallel:
            return nullcontext("none")
        if getattr(backend, "supports_sharedmem", False):
            # Threads of joblib's own would answer after 10 ms at the soonest.
            return ThreadPoolExecutor(self._at_once)
        if hasattr(backend, "client"):
            self._spread(backend.client)
        return Parallel(self.n_jobs, prefer=self.prefer, pre_dispatch="all", batch_size=1)

    def _spread(self, client: Any) -> None:
        """Send all parts to all processes of a Dask cluster at once."""
        if self.prefer == "processes" and max(client.nthreads().values(), default=1) > 1:
            warnings.warn(
                "the problem declares parallelism = 'processes', but workers of the cluster have "
                "several threads, which will call its methods at the same time: start them with "
                "threads_per_worker=1, or declare 'threads' if that is safe",
                stacklevel=2,
            )
        try:
            parts = [shard.with_part() for shard in self._shards]
            client.scatter(parts, broadcast=True, hash=False)
        except Exception:
            _require_travelling(self._shards)
            raise

    def _ask_processes(
        self, function: Any, arguments: Any, shards: Sequence[Shard], own: Any
    ) -> Sequence[Any]:
        """Ask processes, some of which may die."""
        large = [value for value in arguments if _is_large(value)]
        small = tuple(Slot.LARGE if _is_large(value) else value for value in arguments)
        ask = delayed(partial(_answer_group, function, small))
        failures = 0
        while True:
            try:
                return self._ask_and_send(ask, shards, own, large)
            except ProblemError:
                raise
            except Exception as error:
                failures += 1
                _require_travelling(shards)
                _require_no_pickling_error(error)
                _require_another_attempt(failures, error)
                name = type(error).__name__
                logger.warning("workers failed and are asked again; %s: %s", name, error)

    def _ask_and_send(self, ask: Any, shards: Any, own: Any, large: Any) -> Sequence[Any]:
        """Ask, and ask again with the parts sent along where they are not kept."""
        tasks = list(zip(shards, own, strict=True))
        answers = self._asked(ask, tasks, large)
        missing = [j for j, answer in enumerate(answers) if answer is None]
        if missing:
            again = [(shards[j].with_part(), own[j]) for j in missing]
            for j, answer in zip(missing, self._asked(ask, again, large), strict=True):
                answers[j] = answer
        return answers

    def _asked(self, ask: Any, tasks: list[Any], large: Any) -> list[Any]:
        count = min(len(tasks), GROUPS * self._at_once)
        edges = [len(tasks) * j // count for j in range(count + 1)]
        groups = [tasks[edges[j] : edges[j + 1]] for j in range(count)]
        return list(chain.from_iterable(self._pool(ask(group, *large) for group in groups)))


# ---------------------------------------------------------------------- where a part is asked


def _answer(
    function: Any, arguments: tuple[Any, ...], shard: Shard, own: Any, large: Any = ()
) -> Any:
    """What a part answers; None where it is not kept."""
    if shard.part is None:
        return None
    return shard.part.answer(function, *_filled(arguments, iter(own), iter(large)))


def _answer_beside_others(*task: Any) -> Any:
    with one_blas_thread():
        return _answer(*task)


def _answer_group(function: Any, arguments: Any, group: list[Any], *large: Any) -> list[Any]:
    return [_answer_beside_others(function, arguments, *task, large) for task in group]


def _filled(arguments: tuple[Any, ...], own: Iterator[Any], large: Iterator[Any]) -> Iterator[Any]:
    for value in arguments:
        if value is Slot.OWN:
            yield next(own)
        else:
            yield next(large) if value is Slot.LARGE else value


def _is_large(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.nbytes > LARGE


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which products of matrices take one thread."""
    return _blas().limit(limits=1)


def _require_travelling(shards: Sequence[Shard]) -> None:
    """Raise a ProblemError where a problem or its examples cannot be sent to another process."""
    parts = [shard.home for shard in shards if shard.home is not None]
    name = type(parts[0].problem).__name__
    threads = f"or, if its methods are thread-safe, set parallelism = 'threads' in {name}"
    _require_picklable(parts[0].problem, name, threads)
    for part in parts:
        first, last = part.index[[0, -1]]
        for what, examples in (("inputs", part.X), ("outputs", part.Y)):
            where = f"the {what} of examples {first} to {last}"
            _require_picklable(examples, where, "or keep what is not out of them")


def _require_no_pickling_error(error: Exception) -> None:
    """Raise a ProblemError where an answer could not be sent back: to ask again would not help."""
    if isinstance(error, pickle.PicklingError) or "cannot pickle" in str(error):
        raise ProblemError(
            "what the problem's methods return cannot be sent between processes "
            f"({type(error).__name__}: {error}): make it picklable"
        ) from error


def _require_another_attempt(failures: int, error: Exception) -> None:
    if failures == ATTEMPTS:
        raise RuntimeError(
            f"worker processes failed {failures} times in a row, the last time with "
            f"{type(error).__name__}: {error}\nWhere they run out of memory, ask for fewer jobs; "
            "where a method of the problem ends its process, n_jobs=1 shows which"
        ) from error


def _require_picklable(value: Any, what: str, mend: str) -> None:
    try:
        cloudpickle.dumps(value)
    except Exception as error:
        raise ProblemError(
            f"{what} cannot be sent to other processes ({type(error).__name__}: {error}): make it "
            f"picklable, {mend}"
        ) from error
