"""Experiments: contenders on data sets, and their measurements.

A script names its experiments in ``EXPERIMENTS``, each of which makes a table of its results.
``python -m benchmarks FOLDER/SCRIPT`` runs them; benchmarks/sequences/letters.py is a short one.
"""

from __future__ import annotations

import importlib
import platform
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits

from benchmarks import store
from benchmarks.store import Row
from benchmarks.tables.pages import show

#: Functions that return a data set, or one of several draws by its number; by what the first
#: columns of a row say of the data: one value, or a tuple of several.
Data = Mapping[Any, Callable[..., Any]]


class Other(dict[str, Any]):
    """A row of another table with the same first columns: an entry of a row, under its title."""


class Fit(NamedTuple):
    """The value that a contender returned, and its CPU seconds."""

    found: Any
    seconds: float


def returned(fits: Any, data: Any = None) -> Any:
    """Return the value of a contender, or the values of all by name."""
    return fits.found if isinstance(fits, Fit) else {name: fits[name].found for name in fits}


def means(rows: list[Row]) -> Row:
    """The mean of each column."""
    return {column: float(np.mean([row[column] for row in rows])) for column in rows[0]}


class Experiment(NamedTuple):
    """A table of results: a row for each data set and contender, or if `wide` for each data set.

    Attributes
    ----------
    title : str
        The title of the table.
    columns : tuple of str
        The columns that tell rows apart: those of the data, the contender's unless `wide`, and
        any further ones that `measure` returns.
    data : mapping, or function that returns one
        What loads each data set. Data whose file or package is missing are skipped; their rows
        stay as they are.
    contenders : mapping or function
        Functions of the data, by name; or one function, which has no name and no column. Those
        whose package is missing are skipped.
    measure : function
        ``measure(fit, data)`` returns the other columns of a row, or ``measure(fits, data)`` with
        the fits by their names if `wide`. It may return a list of rows, and rows may have
        :class:`Other`. Default: what the contenders returned.
    wide : bool
    draws : int
        The number of draws of each data set; 0 where they are not drawn.
    summary : function
        What is stored of the rows of all draws. Default: the means.
    apart : bool
        Whether each row has a process of its own, to measure its memory.
    strict : bool
        Whether a fit that does not converge is an error.
    """

    title: str
    columns: tuple[str, ...]
    data: Data | Callable[[], Data]
    contenders: Mapping[str, Callable[[Any], Any]] | Callable[[Any], Any]
    measure: Callable[[Any, Any], Any] = returned
    wide: bool = False
    draws: int = 0
    summary: Callable[[list[Any]], Any] = means
    apart: bool = False
    strict: bool = False

    def loaders(self) -> Data:
        return self.data() if callable(self.data) else self.data

    def by_name(self) -> Mapping[str, Callable[[Any], Any]]:
        return {"": self.contenders} if callable(self.contenders) else self.contenders


def run(
    name: str, titles: Collection[str] = (), missing: bool = False, briefly: bool = False
) -> None:
    """Run all experiments of a script, or those with some titles, and print the tables.

    Results are saved after each row. `missing` leaves out the rows that there are; `briefly` runs
    one data set of each and one draw, and saves the results in a temporary folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        if briefly:
            store.RESULTS = Path(folder)
        for number, experiment in enumerate(experiments(name)):
            if not titles or experiment.title in titles:
                for row in rows(name, number, missing, briefly):
                    print(row, flush=True)
                    keep(name, experiment, row)
        if content := store.stored(name):
            store.write(name, {"environment": environment(), **content})
            show(name)


def experiments(name: str) -> Sequence[Experiment]:
    """The experiments of a script."""
    return importlib.import_module(f"benchmarks.{name.replace('/', '.')}").EXPERIMENTS


def keep(name: str, experiment: Experiment, row: Row) -> None:
    """Store a row, and the rows of other tables in it."""
    others = {title: found for title, found in row.items() if isinstance(found, Other)}
    own = {column: value for column, value in row.items() if column not in others}
    key = {column: own[column] for column in experiment.columns}
    for title, found in {experiment.title: own, **others}.items():
        store.merge(name, title, [key | found], *experiment.columns)


def rows(name: str, number: int, missing: bool = False, briefly: bool = False) -> Iterator[Row]:
    """Yield the rows of an experiment of a script."""
    experiment = experiments(name)[number]
    known = store.stored(name).get(experiment.title, []) if missing else []
    for key in experiment.loaders():
        wanted = [one for one in experiment.by_name() if not _is_known(experiment, key, one, known)]
        separate = experiment.apart and not experiment.wide
        found = None
        for contenders in [[one] for one in wanted] if separate else [wanted] if wanted else []:
            case = name, number, key, contenders, briefly
            for found in _in_a_process(*case) if experiment.apart else _of_case(*case):
                yield found
        if briefly and found:
            return


def _is_known(experiment: Experiment, key: Any, contender: str, known: Sequence[Row]) -> bool:
    (first,) = _rows_with(experiment.columns, _named(experiment, key, contender), {})
    return any(first.items() <= row.items() for row in known)


def _named(experiment: Experiment, key: Any, contender: str) -> tuple[Any, ...]:
    """The values of the first columns."""
    values = key if isinstance(key, tuple) else (key,)
    return values if experiment.wide or contender == "" else (*values, contender)


def _in_a_process(*case: Any) -> list[Row]:
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        return fresh.submit(_listed, *case).result()


def _listed(*case: Any) -> list[Row]:
    return list(_of_case(*case))


def _of_case(
    name: str, number: int, key: Any, contenders: list[str], briefly: bool
) -> Iterator[Row]:
    """Yield the rows of some contenders on one data set."""
    experiment = experiments(name)[number]
    drawn: dict[tuple[Any, ...], list[Any]] = {}
    for draw in range(1 if briefly else max(1, experiment.draws)):
        arguments = (draw,) if experiment.draws else ()
        with _circumstances(experiment.strict):
            try:
                data = experiment.loaders()[key](*arguments)
            except (FileNotFoundError, ModuleNotFoundError) as missing:
                print(f"skipped: {key} ({missing})", flush=True)
                return
            for contender, found in _measured(experiment, data, contenders):
                named = _named(experiment, key, contender)
                drawn.setdefault(named, []).append(found)
                if not experiment.draws:
                    yield from _rows_with(experiment.columns, named, found)
    for named, of_draws in drawn.items() if experiment.draws else ():
        yield from _rows_with(experiment.columns, named, experiment.summary(of_draws))


def _measured(
    experiment: Experiment, data: Any, contenders: list[str]
) -> Iterator[tuple[str, Any]]:
    """Yield the measurements of each contender, or of all under the name ''."""
    fits: dict[str, Fit] = {}
    for name in contenders:
        try:
            seconds, found = cpu_seconds(lambda name=name: experiment.by_name()[name](data), 1)
        except ModuleNotFoundError as missing:
            print(f"skipped: {name} ({missing})", flush=True)
            continue
        fits[name] = Fit(found, seconds)
        if not experiment.wide:
            yield name, experiment.measure(fits.pop(name), data)
    if experiment.wide and fits:
        yield "", experiment.measure(fits, data)


def _rows_with(columns: Sequence[str], values: tuple[Any, ...], found: Any) -> list[Row]:
    if len(values) > len(columns):  # rows would take the place of others
        raise ValueError(f"rows are told apart by {values}, which need more columns than {columns}")
    first = dict(zip(columns, values, strict=False))
    return [first | row for row in (found if isinstance(found, list) else [found])]


@contextmanager
def _circumstances(strict: bool) -> Iterator[None]:
    """Use one thread and no warnings; `strict` turns warnings of convergence into errors."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if strict:
            warnings.simplefilter("error", ConvergenceWarning)
            # The smallest C to choose from may leave the weights at 0.
            warnings.filterwarnings("ignore", "training ended at w = 0")
        yield


def one_thread() -> Any:
    """Limit BLAS to one thread: CPU time would include threads that spin while waiting."""
    return threadpool_limits(limits=1)


def cpu_seconds(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Median CPU time of a few runs, and the return value of the last one."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        outcome = run()
        times.append(time.process_time() - start)
    return statistics.median(times), outcome


def environment() -> dict[str, Any]:
    """Versions that the times depend on; BLAS kernels are named after their processor."""
    blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "blas": sorted({f"{b['internal_api']} {b.get('architecture', '')}".strip() for b in blas}),
    }
