"""The speed-up by n_jobs where the oracle dominates: threads, processes, a Dask cluster.

The expensive oracle is that of a chain, called for one sequence at a time, and keeps a processor
busy for 10 ms per call. The soft oracle is that of a chain, on all the handwritten words, in
threads. Fits with the expensive oracle make four passes, the other one runs to 1e-3. Each is run
twice; the first run also starts the workers and sends the data. The overhead is the additional time
of a pass over 32 sequences with a cheap oracle. Speed-ups are of wall time, so the machine should
be otherwise idle.

    python -m benchmarks.speed.parallel    # the words are read from the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import parallel_config

from benchmarks.report import one_thread, report
from benchmarks.speed._data import letter_words
from structsvm import OneSlackCuttingPlane, SmoothedCuttingPlane, choose_solver
from structsvm.problems import Chain
from structsvm.problems.sequences.chain.problem import ChainTask
from structsvm.task.task import Task

#: CPU time of the expensive oracle.
SECONDS_PER_CALL = 0.01
#: Size of the data for the expensive oracle, in sequences.
SEQUENCES = 800
#: Passes of a fit with the expensive oracle.
PASSES = 4
#: Size of the data for the overhead, in sequences.
FEW = 32
#: Passes that the overhead is averaged over.
CHEAP_PASSES = 100
#: Dask workers, of one thread each.
WORKERS = 4


class SingleTask(ChainTask):
    """Sequences of a chain that are searched one at a time."""

    search = Task.search


class SingleChain(Chain):
    """A chain whose oracle is called for one sequence at a time, in processes."""

    parallelism, oracle_cost = "processes", "expensive"
    kind_of_task = SingleTask

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return ChainTask(self, [x], [y]).search(w)[0]


class ExpensiveChain(SingleChain):
    """A chain whose oracle takes 10 ms."""

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        started = time.thread_time()
        found = super().separation_oracle(x, y, w)
        while time.thread_time() < started + SECONDS_PER_CALL:
            pass
        return found


def main() -> None:
    rows = []
    for name, train in fits():
        alone, before = _timed(name, "1 job", partial(train, n_jobs=1), rows)
        _timed(name, "n_jobs=2", partial(train, n_jobs=2), rows, alone, before)
        if "expensive" in name:
            rows += _on_a_cluster(name, train, alone, before)
    tables = {"Wall seconds of a fit, and the speed-up": rows, "Overhead of a pass, ms": overhead()}
    report("speed/parallel", tables)


def overhead() -> list[dict]:
    """Wall milliseconds that a pass takes longer in processes than in one job."""
    X, Y = sequences(FEW)
    train = partial(OneSlackCuttingPlane(0, max_iter=CHEAP_PASSES).solve, SingleChain(), X, Y, 10.0)
    rows: list[dict] = []
    alone, before = _timed("cheap oracle", "1 job", partial(train, n_jobs=1), rows)
    _timed("cheap oracle", "n_jobs=2", partial(train, n_jobs=2), rows, alone, before)
    rows += _on_a_cluster("cheap oracle", train, alone, before)
    passes = len(alone.history)
    return [
        {"where": row["where"], "ms": 1e3 * (row["second s"] - before) / passes} for row in rows[1:]
    ]


def sequences(n: int) -> tuple[list[Any], list[Any]]:
    """Random label sequences that rise, and noisy one-hot rows for the labels."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 11, size=n)
    Y = [np.cumsum(rng.integers(2, size=length)) % 5 for length in lengths]
    return [np.eye(5, 20)[y] + 0.8 * rng.normal(size=(len(y), 20)) for y in Y], Y


def fits() -> Iterator[tuple[str, Callable[..., Any]]]:
    X, Y = sequences(SEQUENCES)
    for solver in (OneSlackCuttingPlane, SmoothedCuttingPlane):
        train = partial(solver(max_iter=PASSES).solve, ExpensiveChain(), X, Y, 0.1 * len(X))
        yield f"expensive oracle, {solver.__name__}", train
    try:
        folds = [letter_words(fold) for fold in range(10)]
    except FileNotFoundError as error:
        print(f"OCR words skipped: {error}")
        return
    X = [x.astype(np.float32) for words, _ in folds for x in words]
    Y = [y for _, labels in folds for y in labels]
    solver = choose_solver(Chain(), X, Y).solver
    yield f"soft oracle, {len(X)} words, auto", partial(solver.solve, Chain(), X, Y, 0.1 * len(X))


def _on_a_cluster(name: str, train: Callable[..., Any], alone: Any, before: float) -> list[dict]:
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError as error:
        print(f"Dask skipped: {error}")
        return []
    rows: list[dict] = []
    with (
        LocalCluster(WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        _timed(name, f"{WORKERS} Dask workers", train, rows, alone, before)
    return rows


def _timed(
    name: str,
    where: str,
    train: Callable[..., Any],
    rows: list[dict],
    alone: Any = None,
    before: float | None = None,
) -> tuple[Any, float]:
    """Train twice and append a row; return the result and the wall seconds of the second run."""
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        result = train()
        seconds.append(time.perf_counter() - started)
    rows.append(
        {
            "work": name,
            "where": where,
            "first s": seconds[0],
            "second s": seconds[1],
            "speed-up": (before or seconds[1]) / seconds[1],
            "same bits": alone is None or bool(np.array_equal(result.w, alone.w)),
        }
    )
    print(rows[-1], flush=True)
    return result, seconds[1]


if __name__ == "__main__":
    with one_thread():
        main()
