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
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import cache
from typing import Any

import cloudpickle
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from structsvm.exceptions import ProblemError
from structsvm.part import Part
from structsvm.problem import Indices

logger = logging.getLogger(__name__)

#: A Shard, a function of a part, labels, and what else the function is given.
Task = tuple[Any, ...]

#: Trainings whose parts a process keeps.
KEPT = 4
#: How often parts are asked where processes die.
ATTEMPTS = 5


class Shard:
    """A part, or some of its examples, by name: what a task is given.

    It travels as its name, and arrives with what is kept there under that name.

    Parameters
    ----------
    training : str
        Names the problem and the data.
    number : int
        Names the part.
    home : Part or None
        The part, None where it is not kept.
    rows : ndarray, optional
        The places of the examples in it. Default: all.
    sends : bool, default=False
        Whether the part travels too.
    """

    def __init__(
        self,
        training: str,
        number: int,
        home: Part | None,
        rows: Indices | None = None,
        sends: bool = False,
    ) -> None:
        self.training, self.number, self.home, self.rows = training, number, home, rows
        self.sends = sends
        self.part = home if home is None or rows is None else home.subset(rows)

    def with_part(self) -> Shard:
        """The same, with the part to travel too."""
        return Shard(self.training, self.number, self.home, self.rows, sends=True)

    def some(self, rows: Indices) -> Shard:
        """Some of these examples, by their place among them."""
        rows = rows if self.rows is None else self.rows[rows]
        return Shard(self.training, self.number, self.home, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        cargo = self.home if self.sends else None
        return _arrived, (self.training, self.number, self.rows, cargo)

    def __sizeof__(self) -> int:
        """What joblib's Dask backend goes by, which spreads large arguments on its own."""
        return 1_000_000 if self.sends else 100


class _Store:
    """The parts that were sent to this process, of the trainings asked for last."""

    def __init__(self) -> None:
        self._trainings: OrderedDict[str, dict[int, Part]] = OrderedDict()
        self._lock = threading.Lock()

    def parts(self, training: str) -> dict[int, Part]:
        with self._lock:
            parts = self._trainings.setdefault(training, {})
            self._trainings.move_to_end(training)
            if len(self._trainings) > KEPT:
                self._trainings.popitem(last=False)
            return parts


_store = _Store()


def _arrived(training: str, number: int, rows: Indices | None, cargo: Part | None) -> Shard:
    parts = _store.parts(training)
    if cargo is not None:
        for other in parts.values():  # one problem for all parts
            cargo.problem = other.problem
            break
        parts[number] = cargo
    return Shard(training, number, parts.get(number), rows, sends=cargo is not None)


def _answer(shard: Shard, function: Callable[..., Any], labels: Any, *arguments: Any) -> Any:
    """What a part answers; None where it is not kept."""
    return None if shard.part is None else shard.part.answer(function, labels, *arguments)


def _answer_alone(*task: Any) -> Any:
    """The same, beside others."""
    with one_blas_thread():
        return _answer(*task)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which products of matrices take one thread."""
    return _blas().limit(limits=1)


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
        self._shards: Sequence[Shard] = ()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    def hold(self, shards: Sequence[Shard]) -> None:
        """Learn of the parts that will be asked, or some of whose examples will be."""
        self._shards = shards

    def ask(self, tasks: Sequence[Task]) -> Sequence[Any]:
        """The answers of parts."""
        if len(tasks) == 1:
            return [_answer(*tasks[0])]
        if self._pool is None:
            self._pool = self._opened.enter_context(self._new_pool())
        if isinstance(self._pool, ThreadPoolExecutor):
            return list(self._pool.map(_answer_alone, *zip(*tasks, strict=True)))
        if isinstance(self._pool, Parallel):
            return self._ask_processes(tasks)
        return [_answer_alone(*task) for task in tasks]

    @property
    def parallel(self) -> bool:
        """Whether parts are asked at the same time."""
        return isinstance(self._pool, (ThreadPoolExecutor, Parallel))

    def _new_pool(self) -> Any:
        n_jobs = effective_n_jobs(self.n_jobs)
        backend, _ = get_active_backend(prefer=self.prefer)
        if n_jobs == 1:
            return nullcontext("none")
        if getattr(backend, "supports_sharedmem", False):
            # Threads of joblib's own would answer after 10 ms at the soonest.
            return ThreadPoolExecutor(n_jobs)
        if hasattr(backend, "client"):  # Dask can send to all workers at once
            parts = [shard.with_part() for shard in self._shards]
            backend.client.scatter(parts, broadcast=True, hash=False)
        return Parallel(self.n_jobs, prefer=self.prefer, pre_dispatch="all")

    def _ask_processes(self, tasks: Sequence[Task]) -> Sequence[Any]:
        """Ask processes, some of which may die."""
        for _ in range(ATTEMPTS - 1):
            try:
                return self._ask_and_send(tasks)
            except ProblemError:
                raise
            except Exception as error:
                _require_travelling(tasks[0][0].home)
                name = type(error).__name__
                logger.warning("workers failed and are asked again; %s: %s", name, error)
        return self._ask_and_send(tasks)

    def _ask_and_send(self, tasks: Sequence[Task]) -> Sequence[Any]:
        """Ask, and ask again with the parts sent along where they are not kept."""
        answers = self._pool(delayed(_answer_alone)(*task) for task in tasks)
        missing = [j for j, answer in enumerate(answers) if answer is None]
        again = [(tasks[j][0].with_part(), *tasks[j][1:]) for j in missing]
        found = self._pool(delayed(_answer_alone)(*task) for task in again) if again else []
        for j, answer in zip(missing, found, strict=True):
            answers[j] = answer
        return answers


def _require_travelling(part: Part) -> None:
    """Raise a ProblemError where the problem cannot be sent to another process."""
    try:
        cloudpickle.dumps(part.problem)
    except Exception as error:
        name = type(part.problem).__name__
        raise ProblemError(
            f"{name} cannot be sent to other processes ({type(error).__name__}: {error}): make it "
            f"picklable, or, if its methods release the GIL, set parallelism = 'threads' in {name}"
        ) from error
